package endpoint

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"time"

	"github.com/aloudchat/aloud/provider"
)

// lastBytes is how long a server may take to end a response after its last line. Then the connection is given up.
const lastBytes = 100 * time.Millisecond

// Stream is a response that is read line by line.
type Stream struct {
	Cancel func() // closes the connection

	server *Server
	body   io.ReadCloser
	lines  *bufio.Reader
	long   []byte // a line that is longer than the reader's buffer
}

// Open posts a request. The caller closes the stream; cancelling ctx closes the connection at once. The error is as
// in Send.
func (s *Server) Open(ctx context.Context, at *url.URL, request any) (*Stream, error) {
	within, cancel := context.WithCancel(ctx)
	resp, err := s.Send(within, http.MethodPost, at, request)
	if err != nil {
		cancel()
		return nil, err
	}
	return &Stream{Cancel: cancel, server: s, body: resp.Body,
		lines: bufio.NewReaderSize(resp.Body, 16<<10)}, nil
}

// Line returns the next line without the white space around it, valid until the next call. Blank lines count. After
// the last line the error is io.EOF, else a *provider.Error.
func (s *Stream) Line() ([]byte, error) {
	s.long = s.long[:0]
	for {
		part, err := s.lines.ReadSlice('\n')
		full := errors.Is(err, bufio.ErrBufferFull)
		if full || len(s.long) > 0 {
			if len(s.long)+len(part) > provider.MostLine {
				return nil, s.tooLarge()
			}
			s.long = append(s.long, part...)
			part = s.long
		}
		switch {
		case full:
			continue
		case err == nil, errors.Is(err, io.EOF) && len(part) > 0: // the last line may lack its end
			return bytes.TrimSpace(part), nil
		case errors.Is(err, io.EOF):
			return nil, io.EOF
		}
		return nil, s.server.Broken(err)
	}
}

func (s *Stream) tooLarge() error {
	return &provider.Error{Kind: provider.KindTooLarge, Hint: s.server.LogHint(),
		Text: fmt.Sprintf("the server at %q sent a line of more than %d MB", s.server.Address(), provider.MostLine>>20)}
}

// Finish reads the end of a response whose last line has come, so that the next request can use the connection.
func (s *Stream) Finish() {
	giveUp := time.AfterFunc(lastBytes, s.Cancel)
	defer giveUp.Stop()
	_, _ = io.CopyN(io.Discard, s.body, 64<<10) // a connection that cannot be used again is no failure
}

// Close ends the stream. One that is not finished takes its connection with it.
func (s *Stream) Close() {
	s.Cancel()
	s.body.Close()
}

// Ended returns the error of ctx when that has ended, else err.
func Ended(ctx context.Context, err error) error {
	if err != nil && ctx.Err() != nil {
		return ctx.Err()
	}
	return err
}
