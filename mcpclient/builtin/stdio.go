package builtin

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"sync"

	"github.com/mark3labs/mcp-go/server"
	"golang.org/x/sync/errgroup"
)

// maxCalls is how many requests of one client are answered at a time.
const maxCalls = 64

// Serve answers one client on in and out until in ends and every request is answered, or until ctx ends. mcp-go's own
// server drops the requests that are unanswered when in ends.
func Serve(ctx context.Context, s *server.MCPServer, in io.Reader, out io.Writer) error {
	serving, cancel := context.WithCancel(ctx)
	defer cancel()
	ended := make(chan error, 1)
	go func() { ended <- answerLines(serving, s, bufio.NewReader(in), out) }()
	select {
	case err := <-ended:
		return err
	case <-ctx.Done(): // the goroutine ends with its next line, or with the program
		return nil
	}
}

func answerLines(ctx context.Context, s *server.MCPServer, in *bufio.Reader, out io.Writer) error {
	var writing sync.Mutex
	var answering errgroup.Group
	answering.SetLimit(maxCalls)
	for ctx.Err() == nil {
		line, err := in.ReadBytes('\n')
		if line = bytes.TrimSpace(line); len(line) > 0 {
			answer := func() error {
				response := s.HandleMessage(ctx, line)
				if response == nil {
					return nil
				}
				writing.Lock()
				defer writing.Unlock()
				return json.NewEncoder(out).Encode(response)
			}
			if isRequest(line) {
				answering.Go(answer)
			} else if err := answer(); err != nil { // a notification must not wait for a request
				return err
			}
		}
		if err != nil {
			if errors.Is(err, io.EOF) {
				err = nil
			}
			return errors.Join(err, answering.Wait())
		}
	}
	return answering.Wait()
}

func isRequest(line []byte) bool {
	var message struct{ ID any }
	return json.Unmarshal(line, &message) == nil && message.ID != nil
}
