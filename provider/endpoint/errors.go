package endpoint

import (
	"bytes"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/url"
	"syscall"

	"github.com/aloudchat/aloud/provider"
)

// Texts of errors and hints that servers have in common.
const (
	TooLong      = "the conversation does not fit in the context window"
	EndedEarly   = "the response ended early"
	ThinkSetting = "the model does not support this think setting"
	UseThinkAuto = "use --think auto"
	Smaller      = "choose a smaller model or a smaller context"
)

// LogHint is the hint for an error with an unknown cause.
func (s *Server) LogHint() string { return "try again, or see the log of " + s.Program }

func (s *Server) runsHint() string { return "check that " + s.Program + " is running, then try again" }

// Safe returns untrusted text as one sanitized line of limited length, without secrets.
func (s *Server) Safe(text string) string {
	return errorLine(s.Secrets.Text(text[:min(len(text), maxRefusal)]))
}

// unreachable returns the error of a request without a response.
func (s *Server) unreachable(err error) *provider.Error {
	cause := s.cause(err)
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, syscall.ECONNRESET) {
		return &provider.Error{Kind: provider.KindBroken, Err: cause, Hint: s.runsHint(),
			Text: fmt.Sprintf("the %s at %q closed the connection without a response", s.Name, s.Address())}
	}
	e := &provider.Error{Kind: provider.KindUnavailable, Err: cause, Hint: s.Start}
	e.Text = fmt.Sprintf("cannot reach the %s at %q", s.Name, s.Address())
	var name *net.DNSError
	var network *net.OpError
	var unknown x509.UnknownAuthorityError
	switch {
	case errors.As(err, &name):
		e.Text += fmt.Sprintf(": unknown host %q", name.Name)
	case errors.As(err, &unknown):
		e.Text += ": its certificate is not trusted"
		e.Hint = s.Trust
	case !errors.As(err, &network): // connected, but the certificate or the protocol is wrong
		e.Text += ": " + s.Safe(cause.Error())
		e.Hint = s.Usual
	}
	return e
}

// cause returns an error without secrets and without the URL of the request, which may contain a password.
func (s *Server) cause(err error) error {
	if u, ok := errors.AsType[*url.Error](err); ok {
		err = u.Err
	}
	return s.Secrets.Error(err)
}

// Explain returns the error for a refusal without a special meaning.
func (s *Server) Explain(r *Refusal) *provider.Error {
	status := r.StatusText()
	e := &provider.Error{Err: errors.New(status), Hint: s.LogHint()}
	switch {
	case r.Status >= 300 && r.Status < 400:
		e.Text = fmt.Sprintf("the server at %q redirects to %q", s.Address(), s.Safe(r.Header.Get("Location")))
		e.Hint = "set " + s.Setting + " to the address of the server itself"
	case r.Page:
		e.Text, e.Hint = s.pageText(), s.Usual
		if r.Status >= 300 {
			e.Text += " (" + status + ")"
		}
	case r.Text != "":
		e.Text = s.ErrorFrom(r.Text)
	case len(bytes.TrimSpace(r.Body)) == 0:
		e.Text = fmt.Sprintf("the %s at %q returned %s without a reason", s.Name, s.Address(), status)
	default:
		e.Text = fmt.Sprintf("the server at %q returned %s: %s", s.Address(), status, s.Safe(string(r.Body)))
		e.Hint = s.Usual
	}
	return e
}

// ErrorFrom returns the text of an error that quotes the server's own message.
func (s *Server) ErrorFrom(message string) string {
	return fmt.Sprintf("the %s at %q returned an error: %s", s.Name, s.Address(), s.Safe(message))
}

func (s *Server) pageText() string {
	return fmt.Sprintf("the server at %q returned a web page instead of an API response", s.Address())
}

// Unreadable returns the error for a response that is not from the API: a web page, other JSON, a broken line.
func (s *Server) Unreadable(data []byte, cause error) *provider.Error {
	var value json.RawMessage
	if bytes.HasPrefix(bytes.TrimSpace(data), []byte("{")) &&
		errors.Is(json.NewDecoder(bytes.NewReader(data)).Decode(&value), io.ErrUnexpectedEOF) {
		return s.Broken(io.ErrUnexpectedEOF)
	}
	e := &provider.Error{Err: cause, Hint: s.Usual}
	e.Text = fmt.Sprintf("cannot parse the response of the server at %q: %s", s.Address(), s.Safe(string(data)))
	if isPage(data) {
		e.Text = s.pageText()
	}
	return e
}

// Broken returns the error for a connection that was lost during a response.
func (s *Server) Broken(cause error) *provider.Error {
	return &provider.Error{Kind: provider.KindBroken, Err: s.cause(cause), Hint: s.runsHint(),
		Text: fmt.Sprintf("lost the connection to the %s at %q during the response", s.Name, s.Address())}
}
