package builtin

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

const (
	maxMessage  = 16 << 20 // bytes: a file to write, escaped in JSON
	maxRequests = 16       // at the same time
)

// Serve serves one client, with a message on each line, until in or ctx ends. It answers every request that it reads,
// and returns the error of out if it cannot.
func (s *Server) Serve(ctx context.Context, in io.Reader, out io.Writer) error {
	input, copied := io.Pipe() // unlike standard input, it can be closed while it is read
	go func() {
		_, err := io.Copy(copied, in)
		copied.CloseWithError(err)
	}()
	defer context.AfterFunc(ctx, func() { copied.Close() })()
	l := &lines{Closer: input, in: bufio.NewScanner(input), out: out, open: map[jsonrpc.ID]bool{}}
	l.answered.L = new(sync.Mutex) // of out and open
	l.in.Buffer(nil, maxMessage)
	session, err := s.protocol(ctx).Connect(ctx, l, nil)
	if err != nil {
		return err
	}
	err = session.Wait()
	l.answered.L.Lock()
	defer l.answered.L.Unlock()
	return cmp.Or(l.broken, err)
}

// lines is a connection with a message on each line. The SDK's own ends at the first invalid line, and drops the
// responses to requests that are running when the input ends.
type lines struct {
	io.Closer
	in  *bufio.Scanner
	out io.Writer

	answered sync.Cond
	open     map[jsonrpc.ID]bool // requests without a response
	broken   error               // of out
}

func (l *lines) Connect(context.Context) (mcp.Connection, error) { return l, nil }

func (l *lines) SessionID() string { return "" }

func (l *lines) Read(ctx context.Context) (jsonrpc.Message, error) {
	for l.in.Scan() {
		var m struct { // the SDK's decoder is slower
			ID     any
			Method string
			Params json.RawMessage
		}
		err := json.Unmarshal(l.in.Bytes(), &m)
		id, wrongID := jsonrpc.MakeID(m.ID)
		if err == nil && wrongID == nil && m.Method != "" {
			l.await(maxRequests-1, id)
			return &jsonrpc.Request{ID: id, Method: m.Method, Params: m.Params}, nil
		}
		_ = l.Write(ctx, &jsonrpc.Response{Error: &jsonrpc.Error{Code: jsonrpc.CodeParseError, Message: "no message"}})
	}
	l.await(0, jsonrpc.ID{})
	if errors.Is(l.in.Err(), bufio.ErrTooLong) {
		return nil, fmt.Errorf("a message is longer than %d MB", maxMessage>>20)
	}
	return nil, cmp.Or(l.in.Err(), io.EOF)
}

// await waits until at most this many requests are open. It adds the next, if it is one.
func (l *lines) await(most int, next jsonrpc.ID) {
	l.answered.L.Lock()
	defer l.answered.L.Unlock()
	for len(l.open) > most && l.broken == nil {
		l.answered.Wait()
	}
	if next.IsValid() { // notifications have no id
		l.open[next] = true
	}
}

func (l *lines) Write(_ context.Context, message jsonrpc.Message) error {
	line, err := jsonrpc.EncodeMessage(message)
	if err != nil {
		return err
	}
	l.answered.L.Lock()
	defer l.answered.L.Unlock()
	defer l.answered.Signal()
	if r, ok := message.(*jsonrpc.Response); ok {
		delete(l.open, r.ID)
	}
	_, err = l.out.Write(append(line, '\n'))
	l.broken = cmp.Or(l.broken, err)
	return err
}
