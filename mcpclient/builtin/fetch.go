package builtin

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/aloudchat/aloud/internal/netaddr"
	"github.com/aloudchat/aloud/internal/sanitize"
)

const (
	maxPage      = 5 << 20 // bytes of a page, uncompressed
	maxRedirects = 5
	fetchTime    = 30 * time.Second // per call
)

// Fetch returns a server that reads web pages as text. It connects only by http and https, to one host per call,
// because users allow calls by host, and to addresses that are public when the connection is made, because a name can
// change. It uses no proxy, which would hide the address.
func Fetch(o Options) *Server {
	b := browser{&http.Transport{
		DialContext:           netaddr.NewDialer(o.Resolver, o.allow).DialContext,
		ForceAttemptHTTP2:     true,
		TLSHandshakeTimeout:   10 * time.Second,
		ResponseHeaderTimeout: 20 * time.Second,
		DisableKeepAlives:     true, // nothing closes idle connections
	}}
	return &Server{name: "fetch", answers: map[string]handler{"fetch": b.fetch}}
}

// notPublic is the error for an address that is not allowed.
type notPublic struct{ address string }

func (e notPublic) Error() string {
	return fmt.Sprintf("%s is a private or local address, which needs allow_private in [mcp_servers.fetch]", e.address)
}

func (o Options) allow(_ context.Context, to netip.AddrPort) error {
	if o.AllowPrivate || netaddr.Public(to.Addr()) {
		return nil
	}
	return notPublic{to.String()}
}

type browser struct{ transport http.RoundTripper }

func (b browser) fetch(ctx context.Context, a arguments) (string, error) {
	argument, err := a.text("url")
	if err != nil {
		return "", err
	}
	address, err := webAddress(argument)
	if err != nil {
		return "", err
	}
	limited, cancel := context.WithTimeout(ctx, fetchTime)
	defer cancel()
	page, err := b.visit(limited, &trail{host: address.Host}, address)
	if elsewhere, ok := errors.AsType[redirect](err); ok {
		return fmt.Sprintf("%s redirects to another host: %s\nFetch that address to continue.", address, elsewhere.to), nil
	}
	if err != nil && ctx.Err() == nil && limited.Err() != nil {
		err = fmt.Errorf("%s did not answer in time", address.Host)
	}
	if err != nil {
		return "", err
	}
	return pagePart(page, a.number("offset", 0))
}

// visit returns the text of the page at an address, or where it leads.
func (b browser) visit(ctx context.Context, t *trail, address *url.URL) (string, error) {
	request := &http.Request{URL: address, Header: http.Header{
		"User-Agent": {"aloud (+https://github.com/aloudchat/aloud)"},
		"Accept":     {"text/html, text/*;q=0.9, application/json;q=0.9, */*;q=0.5"},
	}}
	client := http.Client{Transport: b.transport, CheckRedirect: func(next *http.Request, via []*http.Request) error {
		return t.follow(via[len(via)-1].URL, next.URL)
	}}
	response, err := client.Do(request.WithContext(ctx))
	if err != nil {
		return "", unreachable(ctx, address, err)
	}
	defer response.Body.Close()
	page, err := read(response)
	if err != nil {
		return "", err
	}
	here := response.Request.URL
	// A page that is sent on again and again is read: it may reload itself at changing addresses.
	mayFollow := page.isHTML && response.StatusCode < 400 && t.redirects < maxRedirects
	if next := refreshed(page.text, here); mayFollow && next != nil {
		if err := t.follow(here, next); err != nil {
			return "", err
		}
		return b.visit(ctx, t, next)
	}
	text, err := page.content(ctx, here)
	if err == nil && response.StatusCode >= 400 {
		err = fmt.Errorf("%s answered %s: %s", address, response.Status, sanitize.Clip(strings.TrimSpace(text), 500))
	}
	return text, err
}

// webAddress parses an address as the approval of the call does. The default scheme is https.
func webAddress(argument string) (*url.URL, error) {
	address, err := netaddr.ParseURL(argument)
	if err != nil || !netaddr.IsWeb(address) {
		return nil, fmt.Errorf("%q is not an http or https address. Write one like \"https://example.com/page\"",
			sanitize.Clip(argument, 200))
	}
	address.Fragment = ""
	return address, nil
}

// redirect is the error for a redirect to another host.
type redirect struct{ to string }

func (r redirect) Error() string { return "redirected to " + r.to }

// trail counts the redirects of a call.
type trail struct {
	host      string
	redirects int
}

// follow allows a redirect to the same host, including upgrades to https.
func (t *trail) follow(from, to *url.URL) error {
	t.redirects++
	switch {
	case !strings.EqualFold(to.Host, t.host), to.Scheme != "https" && from.Scheme == "https":
		return redirect{to.String()}
	case t.redirects > maxRedirects:
		return fmt.Errorf("more than %d redirects", maxRedirects)
	}
	return nil
}

// unreachable returns a one-sentence error for a failed request.
func unreachable(ctx context.Context, address *url.URL, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if elsewhere, ok := errors.AsType[redirect](err); ok {
		return elsewhere
	}
	if private, ok := errors.AsType[notPublic](err); ok {
		return private
	}
	if inner, ok := errors.AsType[*url.Error](err); ok {
		if err = inner.Err; inner.Timeout() {
			return fmt.Errorf("%s did not answer in time", address.Host)
		}
	}
	return fmt.Errorf("cannot fetch %s: %w", address, err)
}

// page is the body of a response as text.
type page struct {
	text   string
	isHTML bool
	broken bool // incomplete
}

// read reads the page in a response.
func read(response *http.Response) (page, error) {
	failed := func(err error) error { return fmt.Errorf("cannot read %s: %w", response.Request.URL, err) }
	in, err := uncompressed(response)
	if err != nil {
		return page{}, failed(err)
	}
	body, err := io.ReadAll(io.LimitReader(in, maxPage+1))
	if err != nil && len(body) == 0 {
		return page{}, failed(err)
	}
	broken := err != nil || len(body) > maxPage
	if body = body[:min(len(body), maxPage)]; broken {
		body = complete(body)
	}
	if err := checkUncompressed(response, body); err != nil {
		return page{}, err
	}
	declared := strings.ToLower(response.Header.Get("Content-Type"))
	kind := cmp.Or(declared, contentType(body))
	if !isText(kind) && !isUnicode(body) {
		return page{}, fmt.Errorf("%s is not text but %s", response.Request.URL, sanitize.Clip(kind, 60))
	}
	return page{decode(body, declared), strings.Contains(kind, "html"), broken}, nil
}

// content returns what to show of a page.
func (p page) content(ctx context.Context, address *url.URL) (text string, err error) {
	if text = p.text; p.isHTML {
		if text, err = readable(ctx, text, address); err != nil {
			return "", err
		}
	}
	text = cmp.Or(text, "[The page is empty.]")
	if p.broken {
		text += "\n[The page is longer than 5 MB or incomplete. The rest is missing.]"
	}
	return text, nil
}

// isText reports whether a content type is text: "text/plain", "application/atom+xml; charset=utf-8".
func isText(kind string) bool {
	kind, _, _ = strings.Cut(kind, ";")
	endsIn := func(suffix string) bool { return strings.HasSuffix(kind, suffix) }
	textual := []string{"json", "xml", "javascript", "yaml", "toml"}
	return strings.HasPrefix(kind, "text/") || slices.ContainsFunc(textual, endsIn)
}

// pagePart returns the part of a page from offset on that fits into a result.
func pagePart(page string, offset int) (string, error) {
	if offset >= len(page) {
		return "", fmt.Errorf("the page has only %d bytes", len(page))
	}
	start := len(sanitize.Cut(page, offset))
	part := sanitize.Cut(page[start:], maxText)
	end := start + len(part)
	if end < len(page) {
		part += fmt.Sprintf("\n[Bytes %d to %d of %d. Continue with offset %d.]", start, end, len(page), end)
	}
	return part, nil
}
