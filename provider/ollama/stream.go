package ollama

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"

	"github.com/aloudchat/aloud/provider"
)

const (
	// maxLine bounds one line of a stream; a whole tool call comes in one.
	maxLine = provider.MostLine
	// lastWords is how long a server may take to end a response whose last line has come. Then the connection is given up.
	lastWords = time.Second
)

// stream reads the lines of one response.
type stream struct {
	at     string // the server, as shown
	cancel context.CancelFunc
	body   io.ReadCloser
	lines  *bufio.Reader
	long   []byte // holds a line that is longer than the reader's buffer
}

// open posts a request whose response is a stream of JSON lines. The caller closes it; cancelling ctx closes the connection at once.
func (c *Client) open(ctx context.Context, path string, request any) (*stream, error) {
	data, err := json.Marshal(request)
	if err != nil {
		return nil, fmt.Errorf("the request cannot be written as JSON: %w", err)
	}
	within, cancel := context.WithCancel(ctx)
	req, err := http.NewRequestWithContext(within, http.MethodPost, c.base.JoinPath(path).String(), bytes.NewReader(data))
	if err != nil {
		cancel()
		return nil, err
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/x-ndjson")
	req.Header.Set("User-Agent", "aloud")
	resp, err := c.http.Do(req)
	if err != nil {
		cancel()
		return nil, c.explain(ctx, err)
	}
	return &stream{at: c.Address(), cancel: cancel, body: resp.Body, lines: bufio.NewReaderSize(resp.Body, 16<<10)}, nil
}

// next returns the next line that is not blank, valid until the following call, or io.EOF after the last.
// ctx is the one the stream was opened with: its end is not a failure of the server.
func (s *stream) next(ctx context.Context) ([]byte, error) {
	for {
		line, err := s.line()
		switch {
		case err == nil:
		case ctx.Err() != nil:
			return nil, ctx.Err()
		case errors.Is(err, bufio.ErrTooLong):
			return nil, &provider.Error{Kind: provider.KindTooLarge, Err: err, Hint: hintLog,
				Text: fmt.Sprintf("the server at %q sent a line of more than %d MB", s.at, maxLine>>20)}
		case !errors.Is(err, io.EOF):
			return nil, broken(s.at, err)
		case len(line) == 0:
			return nil, io.EOF
		case cutOff(line): // the last line may lack its end, but not half of itself
			return nil, broken(s.at, io.ErrUnexpectedEOF)
		}
		if len(line) > 0 {
			return line, nil
		}
	}
}

// line returns the next line without its end and the white space around it. A rest without an end comes together with the error.
func (s *stream) line() ([]byte, error) {
	s.long = s.long[:0]
	for {
		part, err := s.lines.ReadSlice('\n')
		if !errors.Is(err, bufio.ErrBufferFull) && len(s.long) == 0 {
			return bytes.TrimSpace(part), err
		}
		if len(s.long)+len(part) > maxLine {
			return nil, bufio.ErrTooLong
		}
		s.long = append(s.long, part...)
		if !errors.Is(err, bufio.ErrBufferFull) {
			return bytes.TrimSpace(s.long), err
		}
	}
}

// finish is called when the last line has come: it reads the end of the response, so that the next request can use the same connection.
func (s *stream) finish() {
	giveUp := time.AfterFunc(lastWords, s.cancel)
	defer giveUp.Stop()
	_, _ = io.CopyN(io.Discard, s.body, 64<<10) // a connection that cannot be used again is no failure
}

// close ends the stream; one that is not finished takes its connection with it.
func (s *stream) close() {
	s.cancel()
	s.body.Close()
}
