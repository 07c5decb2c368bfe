package servers

import (
	"bufio"
	"context"
	"crypto/rand"
	"encoding/json"
	"io"
	"sync"

	"github.com/mark3labs/mcp-go/server"
)

// inner runs a server of mcp-go as a Local. The stdio server of mcp-go has one session for all servers of a program.
type inner struct {
	*server.MCPServer
	lost <-chan struct{} // ends the server when it is closed; may be nil
}

func (s inner) Serve(ctx context.Context, in io.Reader, out io.Writer) error {
	session := server.NewInProcessSession(rand.Text(), nil)
	if err := s.RegisterSession(ctx, session); err != nil {
		return err
	}
	ctx = s.WithContext(ctx, session)
	ctx, end := context.WithCancel(ctx)
	defer end()
	var mu sync.Mutex
	write := func(message any) {
		mu.Lock()
		defer mu.Unlock()
		_ = json.NewEncoder(out).Encode(message)
	}
	go func() {
		for {
			select {
			case n := <-session.ClientNotifications():
				write(n)
			case <-ctx.Done():
				return
			}
		}
	}()
	go func() {
		for lines := bufio.NewReader(in); ; {
			line, err := lines.ReadBytes('\n')
			if err != nil {
				end()
				return
			}
			go func() {
				if response := s.HandleMessage(ctx, line); response != nil {
					write(response)
				}
			}()
		}
	}()
	select {
	case <-ctx.Done():
	case <-s.lost:
	}
	return nil
}
