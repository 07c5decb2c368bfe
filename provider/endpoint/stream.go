package endpoint

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"time"

	"github.com/aloudchat/aloud/internal/sse"
	"github.com/aloudchat/aloud/provider"
)

// finishTimeout limits how long Finish waits for the end of a response.
const finishTimeout = 100 * time.Millisecond

// Stream is a response that is read line by line, or as server-sent events.
type Stream struct {
	Cancel func() // closes the connection

	server *Server
	body   *paced
	lines  *bufio.Scanner // nil until used
	events *sse.Reader    // nil until used
}

// Open posts a request. The caller must close the stream. Cancelling ctx closes the connection. The error is as in
// Fetch.
func (s *Server) Open(ctx context.Context, at *url.URL, request any) (*Stream, error) {
	within, cancel := context.WithCancel(ctx)
	resp, err := s.send(within, http.MethodPost, at, request)
	if err != nil {
		cancel()
		return nil, err
	}
	return &Stream{Cancel: cancel, server: s, body: &paced{ReadCloser: resp.Body, done: within.Done()}}, nil
}

// Line returns the next line that is not blank, without surrounding white space. It is valid until the next call. After
// the last line it returns io.EOF. Any other error is a *provider.Error.
func (s *Stream) Line() ([]byte, error) {
	if s.lines == nil {
		s.lines = bufio.NewScanner(s.body)
		s.lines.Buffer(make([]byte, 16<<10), provider.MaxLine)
	}
	for s.lines.Scan() {
		if line := bytes.TrimSpace(s.lines.Bytes()); len(line) > 0 {
			return line, nil
		}
	}
	return nil, s.failure(cmp.Or(s.lines.Err(), io.EOF))
}

// Event returns the next event that has data or reports an error, of a server whose events are JSON. An event of plain
// JSON is an error, or the reply of a server that does not stream. Its errors are those of Line.
func (s *Stream) Event() (sse.Event, error) {
	if s.events == nil {
		s.events = sse.NewReader(s.body, provider.MaxLine)
		s.events.JSON = true
	}
	for {
		e, err := s.events.Next()
		if e.Data = bytes.TrimSpace(e.Data); err != nil || len(e.Data) > 0 || e.Name == "error" {
			return e, s.failure(err)
		}
	}
}

func (s *Stream) failure(err error) error {
	switch {
	case err == nil, errors.Is(err, io.EOF):
		return err
	case errors.Is(err, bufio.ErrTooLong), errors.Is(err, sse.ErrTooLarge):
		return &provider.Error{Kind: provider.KindTooLarge, Hint: s.server.LogHint(),
			Text: fmt.Sprintf("the server at %q sent a line larger than %d MB", s.server.Address(), provider.MaxLine>>20)}
	}
	return s.server.Broken(err)
}

// Finish reads the rest of a response after its last useful line, so that the connection can be reused.
func (s *Stream) Finish() {
	giveUp := time.AfterFunc(finishTimeout, s.Cancel)
	defer giveUp.Stop()
	_, _ = io.CopyN(io.Discard, s.body.ReadCloser, 64<<10) // reuse is optional
}

// Close closes the stream, and its connection too unless Finish was called.
func (s *Stream) Close() {
	s.Cancel()
	s.body.Close()
}

// Ended returns ctx.Err() if err is not nil and ctx has ended, or else err.
func Ended(ctx context.Context, err error) error {
	if err != nil && ctx.Err() != nil {
		return ctx.Err()
	}
	return err
}
