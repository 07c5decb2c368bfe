package endpoint

import (
	"bytes"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"syscall"

	"github.com/aloudchat/aloud/provider"
)

// LogHint is what to try when only the server's log says more.
func (s *Server) LogHint() string { return "try again; the log of " + s.Program + " says more" }

func (s *Server) runsHint() string { return "see that " + s.Program + " still runs, then try again" }

// Said makes words from outside fit into a sentence: one safe line of bounded length, without secrets.
func (s *Server) Said(text string) string {
	return errorLine(s.Secrets.Text(text[:min(len(text), mostRefusal)]))
}

// unreachable is for a request that got no answer at all.
func (s *Server) unreachable(err error) *provider.Error {
	cause := s.hushed(err)
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, syscall.ECONNRESET) {
		return &provider.Error{Kind: provider.KindBroken, Err: cause, Hint: s.runsHint(),
			Text: fmt.Sprintf("the %s at %q closed the connection without an answer", s.Name, s.Address())}
	}
	e := &provider.Error{Kind: provider.KindUnavailable, Err: cause, Text: fmt.Sprintf("no %s answers at %q", s.Name, s.Address())}
	var name *net.DNSError
	var network *net.OpError
	var unknown x509.UnknownAuthorityError
	switch {
	case errors.As(err, &name):
		e.Text += fmt.Sprintf(": the name %q is not known", name.Name)
	case errors.As(err, &unknown):
		e.Text += ": this system does not trust its certificate"
		e.Hint = s.Trust
	case !errors.As(err, &network): // something answers, with a certificate or a protocol that does not fit
		e.Text += ": " + s.Said(cause.Error())
		e.Hint = s.Usual
	}
	return e
}

// hushed is a cause without secrets, and without the address of the request, which may hold a password.
func (s *Server) hushed(err error) error {
	if u, ok := errors.AsType[*url.Error](err); ok {
		err = u.Err
	}
	return s.Secrets.Error(err)
}

// Explain gives a refusal that means nothing in particular to aloud its sentence.
func (s *Server) Explain(r *Refusal) *provider.Error {
	status := strings.TrimSpace(fmt.Sprintf("%d %s", r.Status, http.StatusText(r.Status)))
	e := &provider.Error{Err: errors.New(status), Hint: s.LogHint()}
	switch {
	case r.Status >= 300 && r.Status < 400:
		e.Text = fmt.Sprintf("the server at %q sends requests on to %q", s.Address(), s.Said(r.Header.Get("Location")))
		e.Hint = "set " + s.Setting + " to the address of the server itself"
	case r.Page:
		e.Text, e.Hint = fmt.Sprintf("the server at %q answered with a web page, not with %s", s.Address(), s.API), s.Usual
		if r.Status >= 300 {
			e.Text += " (" + status + ")"
		}
	case r.Text != "":
		e.Text = fmt.Sprintf("the %s at %q says: %s", s.Name, s.Address(), s.Said(r.Text))
	case len(bytes.TrimSpace(r.Body)) == 0:
		e.Text = fmt.Sprintf("the %s at %q answered %s and no reason", s.Name, s.Address(), status)
	default:
		e.Text, e.Hint = fmt.Sprintf("the server at %q answered %s: %s", s.Address(), status, s.Said(string(r.Body))), s.Usual
	}
	return e
}

// Nonsense is for an answer that is not the server's API: a web page, another program's JSON, a broken line.
func (s *Server) Nonsense(data []byte, cause error) *provider.Error {
	var value json.RawMessage
	if bytes.HasPrefix(bytes.TrimSpace(data), []byte("{")) &&
		errors.Is(json.NewDecoder(bytes.NewReader(data)).Decode(&value), io.ErrUnexpectedEOF) {
		return s.Broken(io.ErrUnexpectedEOF)
	}
	e := &provider.Error{Err: cause, Hint: s.Usual}
	if isPage(data) {
		e.Text = fmt.Sprintf("the server at %q answered with a web page, not with %s", s.Address(), s.API)
	} else {
		e.Text = fmt.Sprintf("the server at %q answered with something that is not %s: %s", s.Address(), s.API, s.Said(string(data)))
	}
	return e
}

// Broken is for a connection that broke in the middle of an answer.
func (s *Server) Broken(cause error) *provider.Error {
	return &provider.Error{Kind: provider.KindBroken, Err: s.hushed(cause), Hint: s.runsHint(),
		Text: fmt.Sprintf("the connection to the %s at %q broke in the middle of the answer", s.Name, s.Address())}
}
