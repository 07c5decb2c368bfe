package mcpclient

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/aloudchat/aloud/mcpclient/fault"
	"github.com/mark3labs/mcp-go/mcp"
)

// offers is what a server offers besides tools, and what it has told by itself. Set.mu guards it.
type offers struct {
	prompts   []Prompt             // replaced as a whole, never changed
	resources []Resource           // so are they
	cut       [2][]string          // how far the lists of prompts and of resources were read, where they are longer
	known     bool                 // the lists were fetched once, as far as they can be had
	read      map[string]time.Time // resources that were read here, by URI: when the server said that they changed; zero: not since
	told      []string
}

func newOffers() offers { return offers{read: map[string]time.Time{}} }

// attend fetches what a server offers besides its tools, and goes on hearing what it tells until life ends. Nobody waits for it to be ready.
func (s *Set) attend(life context.Context, p *peer, c *connection) {
	if c.wire.modern() {
		s.running.Go(func() { s.attendStream(life, p, c) })
	}
	s.fetch(life, p, c, heard{prompts: true, resources: true})
	s.mu.Lock()
	p.offers.known = true
	s.announceLocked()
	for uri := range p.offers.read { // the connection before this one was asked for them
		c.wire.news.note(func(h *heard) { h.wanted = append(h.wanted, uri) })
	}
	s.mu.Unlock()
	c.askForLog(life, p.config.StartupTimeout)
	for {
		select {
		case <-life.Done():
			return
		case <-c.lost:
			return
		case <-c.wire.news.wake:
			s.hear(life, p, c, c.wire.news.take())
		}
		select {
		case <-life.Done():
			return
		case <-time.After(relistPause):
		}
	}
}

// hear acts on what a server has told.
func (s *Set) hear(life context.Context, p *peer, c *connection, news heard) {
	s.fetch(life, p, c, news)
	for _, uri := range news.wanted {
		c.subscribe(life, p.config.StartupTimeout, uri)
	}
	if len(news.told) == 0 && len(news.updated) == 0 {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if p.gone != "" {
		return // the name may be another server's by now
	}
	p.offers.told = lastLines(slices.Concat(p.offers.told, p.secrets.Texts(news.told)))
	for uri, at := range news.updated {
		p.offers.update(uri, at)
	}
	s.board.Tell(p.config.Name, p.offers.told)
}

// update marks the resource that has changed, and those of which it is a part.
func (o *offers) update(uri string, at time.Time) {
	for read := range o.read {
		if uri == read || strings.HasPrefix(uri, strings.TrimSuffix(read, "/")+"/") {
			o.read[read] = at
		}
	}
}

// fetch gets the lists anew that have changed. One that cannot be had leaves the old one.
func (s *Set) fetch(life context.Context, p *peer, c *connection, changed heard) {
	ctx, cancel := context.WithTimeout(life, p.config.StartupTimeout)
	defer cancel()
	can := c.client.GetServerCapabilities()
	if changed.prompts && can.Prompts != nil {
		prompts, cut, err := c.listPrompts(ctx, p.config.Name)
		s.replace(p, c, func() {
			p.offers.prompts = p.secrets.hideInPrompts(prompts)
			p.offers.cut[0] = cut
		}, err == nil || len(prompts) > 0)
	}
	if changed.resources && can.Resources != nil {
		resources, cut, err := c.listResources(ctx, p.config.Name)
		s.replace(p, c, func() {
			p.offers.resources = p.secrets.hideInResources(resources)
			p.offers.cut[1] = cut
		}, err == nil || len(resources) > 0)
	}
}

// replace changes what is offered, and says so, where there is something new. A connection that was lost meanwhile has told half of it.
func (s *Set) replace(p *peer, c *connection, change func(), is bool) {
	if !is {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if p.conn != c {
		return
	}
	change()
	s.tellLocked(p, p.state)
}

// askForLog asks a server that keeps a log for what people should know of it.
func (c *connection) askForLog(life context.Context, patience time.Duration) {
	if c.client.GetServerCapabilities().Logging == nil {
		return
	}
	level := logLevel
	if c.wire.asked.Listener() != nil {
		level = mcp.LoggingLevelDebug
	}
	ctx, cancel := context.WithTimeout(life, patience)
	defer cancel()
	//nolint:staticcheck // deprecated with the revisions that need it, which most servers still speak
	_, _ = promptly(ctx, func() (any, error) {
		return nil, c.client.SetLevel(ctx, mcp.SetLevelRequest{Params: mcp.SetLevelParams{Level: level}})
	})
}

const (
	maxPages     = 1000     // of one list, each of which costs a round trip; a server that pages on for ever is stopped here
	maxListBytes = 64 << 20 // of all its pages; they are kept, and one answer may be as big
)

// page is a page of a list, how many of its items were not read, the bytes that it took, and where the next one is; "" when it is the last.
type page[T any] struct {
	items  []T
	unread int
	size   int
	next   mcp.Cursor
}

// pages fetches the pages of a list of such things until there are none, most items are there or enough bytes, or a page comes again. cut is a
// remark where the list is longer than that. With an error comes what there was before it.
func pages[T any](things string, most int, fetch func(mcp.PaginatedParams) (page[T], error)) (all []T, cut []string, err error) {
	seen := map[mcp.Cursor]bool{}
	var params mcp.PaginatedParams
	for size := 0; ; {
		seen[params.Cursor] = true
		p, err := fetch(params)
		if err != nil {
			return all, nil, err
		}
		all, size = append(all, p.items...), size+p.size
		params.Cursor = p.next
		last := p.next == "" || seen[p.next]
		switch {
		case len(all) > most || p.unread > 0 || len(all) == most && !last:
			return all[:min(len(all), most)], []string{fmt.Sprintf("only the first %d of its %s were read", most, things)}, nil
		case last:
			return all, nil, nil
		case len(seen) == maxPages:
			return all, []string{fmt.Sprintf("only the first %d pages of its %s were read", maxPages, things)}, nil
		case size >= maxListBytes:
			return all, []string{fmt.Sprintf("only the first %d MB of its %s were read", maxListBytes>>20, things)}, nil
		}
	}
}

// plainOffer is the answer to a request about prompts or resources for the client, which fails on all of it because of one odd part.
// We read the answer ourselves; the client needs to know only whether there is another page, or a question.
func plainOffer(method mcp.MCPMethod, result json.RawMessage) (plain json.RawMessage, ok bool) {
	member := ""
	switch method {
	case mcp.MethodPromptsList:
		member = "prompts"
	case mcp.MethodResourcesList:
		member = "resources"
	case mcp.MethodResourcesTemplatesList:
		member = "resourceTemplates"
	case mcp.MethodPromptsGet:
		member = "messages"
	case mcp.MethodResourcesRead:
		member = "contents"
	default:
		return nil, false
	}
	var rest struct {
		NextCursor string `json:"nextCursor"`
		ResultType string `json:"resultType"`
	}
	_ = json.Unmarshal(result, &rest)
	if rest.ResultType == "input_required" {
		return nil, false
	}
	plain, err := json.Marshal(map[string]any{member: []any{}, "nextCursor": rest.NextCursor})
	return plain, err == nil
}

// Offering waits until it is known what the server of that name offers. The error says why it offers nothing: there is no such server
// (errors.Is ErrNoServer), it failed, ctx's end.
func (s *Set) Offering(ctx context.Context, name string) error {
	for {
		known, changed, err := s.offeringNow(name)
		if known || err != nil {
			return err
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// offeringNow tells whether it is known what a server offers, and what is closed when that may have changed.
func (s *Set) offeringNow(name string) (known bool, changed <-chan struct{}, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	p := s.named(name)
	switch {
	case p == nil:
		err = fmt.Errorf("%w %q", ErrNoServer, name)
	case p.off:
		err = fmt.Errorf("the server %q offers nothing: it is switched off", name)
	case !p.offers.known && p.failure != nil:
		err = fmt.Errorf("the server %q offers nothing: %w", name, p.secrets.Error(p.failure))
	default:
		known = p.offers.known
	}
	return known, s.changed, err
}

// ErrNoServer is matched by errors about a server that is not there.
var ErrNoServer = errors.New("there is no server")

// named is the server of that name, or nil. s.mu is held.
func (s *Set) named(name string) *peer { return byName(s.peers, name) }

// promptly returns as soon as ctx ends, whatever the server and its transport do. What is left of the work ends on its own goroutine.
func promptly[T any](ctx context.Context, work func() (T, error)) (T, error) {
	type outcome struct {
		value T
		err   error
	}
	done := make(chan outcome, 1)
	go func() {
		var o outcome
		defer func() {
			if p := recover(); p != nil { // a built-in server runs in here
				o.err = fmt.Errorf("it crashed: %v", p)
			}
			done <- o
		}()
		o.value, o.err = work()
	}()
	select {
	case o := <-done:
		return o.value, o.err
	case <-ctx.Done():
		var none T
		return none, ctx.Err()
	}
}

// outcome is what came of a request: what the server really answered, or why there is nothing.
func (a *answer) outcome(err error) (json.RawMessage, error) {
	switch {
	case errors.Is(err, errSessionLost):
		return nil, errSessionLost
	case a.err != nil:
		return nil, fault.Answered(a.err)
	case err != nil:
		if broken := a.broken.Load(); broken != nil {
			err = *broken
		}
		return nil, fault.Of(err)
	}
	return a.result, nil
}
