package openai

import (
	"bytes"
	"crypto/tls"
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
	"time"

	"github.com/aloudchat/aloud/netaddr"
	"github.com/aloudchat/aloud/provider"
)

const (
	hintURL   = "check base_url: that of most servers ends with /v1"
	hintRuns  = "see that the server still runs, then try again"
	hintAgain = "try again; the server's log says more"
)

// unreachable is for a request that got no answer at all.
func (c *Client) unreachable(err error) *provider.Error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, syscall.ECONNRESET) {
		return &provider.Error{Kind: provider.KindBroken, Err: c.hushed(err), Hint: hintRuns,
			Text: fmt.Sprintf("the model server at %q closed the connection without an answer", c.Address())}
	}
	e := &provider.Error{Kind: provider.KindUnavailable, Err: c.hushed(err), Text: fmt.Sprintf("no model server answers at %q", c.Address())}
	var name *net.DNSError
	var network *net.OpError
	var plain tls.RecordHeaderError
	var stranger x509.UnknownAuthorityError
	switch {
	case errors.As(err, &name):
		e.Text += fmt.Sprintf(": the name %q is not known", name.Name)
		e.Hint = "check the name in base_url"
	case errors.As(err, &plain) || errors.Is(err, http.ErrSchemeMismatch):
		e.Text += ": it speaks http, not https"
		e.Hint = "write base_url with http://"
	case errors.As(err, &stranger):
		e.Text += ": nobody this system trusts has signed its certificate"
		e.Hint = "name the file of the certificate with ca_file"
	case !errors.As(err, &network): // somebody answers, with a certificate or a protocol that does not fit
		e.Text += ": " + c.said(c.hushed(err).Error())
		e.Hint = "check base_url"
	case c.local():
		e.Hint = "start the server, or write where it is with base_url or --host"
	default:
		e.Hint = "check base_url, and that the server runs there"
	}
	return e
}

// local reports whether the server's address is on this machine.
func (c *Client) local() bool {
	return netaddr.Loopback(c.base.Hostname())
}

// hushed is a cause without the address it was asked at, which may hold a password, and without secrets.
func (c *Client) hushed(err error) error {
	if u, ok := errors.AsType[*url.Error](err); ok {
		err = u.Err
	}
	return c.secrets.Error(err)
}

// asked is what of a request matters for understanding its refusal.
type asked struct {
	model string
	tools bool
	think provider.Think
}

// explain gives a refusal its final form.
func (c *Client) explain(no *refusal, a asked) *provider.Error {
	cause := errors.New(http.StatusText(no.status))
	status := strings.TrimSpace(fmt.Sprintf("%d %s", no.status, http.StatusText(no.status)))
	if e := c.meant(no.text, string(no.body), no.status, a); e != nil {
		return e
	}
	e := &provider.Error{Err: cause, Hint: hintAgain}
	switch {
	case no.status == http.StatusUnauthorized || no.status == http.StatusForbidden:
		return c.locked(no)
	case no.status >= 300 && no.status < 400:
		e.Text = fmt.Sprintf("the server at %q sends requests on to %q", c.Address(), c.said(no.to))
		e.Hint = "set base_url to the address of the server itself"
	case no.page:
		e.Text, e.Hint = fmt.Sprintf("the server at %q answered with a web page, not with OpenAI's API", c.Address()), hintURL
		if no.status >= 300 {
			e.Text += " (" + status + ")"
		}
	case no.status == http.StatusNotFound || no.status == http.StatusMethodNotAllowed:
		e.Text, e.Hint = fmt.Sprintf("the server at %q has no chat completions (%s)", c.Address(), status), hintURL
	case no.loading():
		e.Text, e.Hint = fmt.Sprintf("the server at %q is still loading its model", c.Address()), "try again in a moment"
	case no.status == http.StatusTooManyRequests && !no.passes():
		e.Text, e.Hint = fmt.Sprintf("the server at %q says: %s", c.Address(), c.said(no.text)), "look at the account that the key belongs to"
	case no.status == http.StatusTooManyRequests || no.status == http.StatusServiceUnavailable || no.status == http.StatusBadGateway:
		e.Text, e.Hint = fmt.Sprintf("the server at %q is busy (%s)", c.Address(), status), waitHint(no)
		if no.text != "" {
			e.Text += ": " + c.said(no.text)
		}
	case no.text != "":
		e.Text = fmt.Sprintf("the server at %q says: %s", c.Address(), c.said(no.text))
	case len(bytes.TrimSpace(no.body)) == 0:
		e.Text = fmt.Sprintf("the server at %q answered %s and no reason", c.Address(), status)
	default:
		e.Text, e.Hint = fmt.Sprintf("the server at %q answered %s: %s", c.Address(), status, c.said(string(no.body))), hintURL
	}
	return e
}

// waitHint says when to try again, as the server says it.
func waitHint(no *refusal) string {
	if !no.asks {
		return "try again in a moment"
	}
	return "try again in " + no.waiting.Round(time.Second).String()
}

// locked is for a server that wants a key, or another one.
func (c *Client) locked(no *refusal) *provider.Error {
	e := &provider.Error{Err: errors.New(http.StatusText(no.status))}
	switch {
	case c.headers.Get("Authorization") == "":
		e.Text = fmt.Sprintf("the server at %q wants a key", c.Address())
		e.Hint = "name the variable that holds it with api_key_env"
	default:
		e.Text = fmt.Sprintf("the server at %q does not take the key", c.Address())
		e.Hint = "check the variable that api_key_env names"
	}
	if no.text != "" {
		e.Text += ": " + c.said(no.text)
	}
	return e
}

// told is for an error that the server states in the middle of a stream.
func (c *Client) told(failure json.RawMessage, a asked) *provider.Error {
	var f struct {
		Code  json.Number `json:"code"`
		Error struct {
			Code json.Number `json:"code"`
		} `json:"error"`
	}
	_ = json.Unmarshal(failure, &f) // a code in words is found in the text
	status, _ := f.Error.Code.Int64()
	text := provider.ErrorText(failure)
	if text == "" {
		text = provider.ErrorReason(failure)
	}
	if e := c.meant(text, string(failure), int(status), a); e != nil {
		return e
	}
	if text == "" {
		return &provider.Error{Err: errors.New("an error without words"), Hint: hintAgain,
			Text: fmt.Sprintf("the server at %q gave the answer up and does not say why", c.Address())}
	}
	return &provider.Error{Err: errors.New(c.said(text)), Hint: hintAgain, Text: fmt.Sprintf("the server at %q says: %s", c.Address(), c.said(text))}
}

// nonsense is for an answer that is not OpenAI's API: a web page, another program's JSON, a broken line.
func (c *Client) nonsense(data []byte, cause error) *provider.Error {
	e := &provider.Error{Err: cause, Hint: hintURL}
	switch {
	case provider.IsPage(data):
		e.Text = fmt.Sprintf("the server at %q answered with a web page, not with OpenAI's API", c.Address())
	case len(data) > 0:
		e.Text = fmt.Sprintf("the server at %q answered with something that is not OpenAI's API: %s", c.Address(), c.said(string(data)))
	default:
		e.Text = fmt.Sprintf("the server at %q answered with something that is not OpenAI's API", c.Address())
	}
	return e
}

// broken is for an answer that stopped before its end. cause is nil when the connection was closed in good order.
func (c *Client) broken(cause error) *provider.Error {
	if cause == nil {
		return &provider.Error{Kind: provider.KindBroken, Text: "the model's answer ended before it was done",
			Hint: "try again; some servers end like this when the conversation is longer than their context"} // vaadin/flow-components#9195
	}
	return &provider.Error{Kind: provider.KindBroken, Err: c.hushed(cause), Hint: hintRuns,
		Text: fmt.Sprintf("the connection to the model server at %q broke in the middle of the answer", c.Address())}
}

// said makes words from outside fit into a sentence: one safe line of bounded length, without secrets.
func (c *Client) said(text string) string {
	return provider.ErrorLine(c.secrets.Text(text[:min(len(text), 64<<10)]))
}
