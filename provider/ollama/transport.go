package ollama

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"mime"
	"net/http"

	"github.com/aloudchat/aloud/provider"
)

const (
	maxErrorBody = 64 << 10 // how much of an error answer is read; Ollama's are one line
	maxBody      = 64 << 20 // of an answer that is one object; what a server tells of a model is a few megabytes at the most
)

// strict is the transport under every request: an answer that is not one of Ollama's API is an error here, before anyone reads it as success.
type strict struct {
	at   string // the server, as shown
	next http.RoundTripper
}

// RoundTrip returns a *provider.Error for a server that cannot be reached, a status other than success, and a web page.
func (s strict) RoundTrip(req *http.Request) (*http.Response, error) {
	resp, err := s.next.RoundTrip(req)
	switch {
	case err != nil && req.Context().Err() != nil:
		return nil, err
	case err != nil:
		return nil, unreachable(s.at, err)
	case resp.StatusCode < 300 && !webPage(resp.Header):
		return resp, nil
	}
	defer resp.Body.Close()
	body, _ := io.ReadAll(io.LimitReader(resp.Body, maxErrorBody)) // what could not be read is missing from the sentence, no more
	return nil, refused(s.at, resp, body)
}

func webPage(h http.Header) bool {
	kind, _, _ := mime.ParseMediaType(h.Get("Content-Type"))
	return kind == "text/html" || kind == "application/xhtml+xml"
}

// whole is the transport under the requests whose answer is one object: an answer that is cut off is an error here. The api package would
// report it as one that is not JSON, and take an empty one for a success.
type whole struct {
	at   string
	next http.RoundTripper
}

// RoundTrip returns a *provider.Error for an answer that is not one whole JSON value.
func (w whole) RoundTrip(req *http.Request) (*http.Response, error) {
	resp, err := w.next.RoundTrip(req)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxBody+1))
	switch {
	case err != nil && req.Context().Err() != nil:
		return nil, err
	case err != nil:
		return nil, broken(w.at, err)
	case len(body) > maxBody:
		return nil, &provider.Error{Hint: hintHost, Text: fmt.Sprintf("the server at %q sent an answer of more than %d MB", w.at, maxBody>>20)}
	case len(bytes.TrimSpace(body)) == 0 || cutOff(body):
		return nil, broken(w.at, io.ErrUnexpectedEOF)
	case !json.Valid(body):
		return nil, nonsense(w.at, body, nil)
	}
	resp.Body = io.NopCloser(bytes.NewReader(body))
	return resp, nil
}

// cutOff reports whether text is the beginning of an object, without its end.
func cutOff(text []byte) bool {
	return bytes.HasPrefix(bytes.TrimSpace(text), []byte("{")) && !json.Valid(text)
}
