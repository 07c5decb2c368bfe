package attach

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/agnivade/levenshtein"

	"github.com/aloudchat/aloud/internal/sanitize"
	"github.com/aloudchat/aloud/mcpclient"
	"github.com/aloudchat/aloud/provider"
)

// Mention is an @server:resource in a text. The server may not exist.
type Mention struct {
	Server   string
	Resource string // its URI or name, possibly with punctuation after it
}

// Name returns the mention as you type it, sanitized.
func (m Mention) Name() string { return sanitize.Line("@" + m.Server + ":" + m.Resource) }

const maxMention = 4 << 10 // bytes

// Mentions returns the possible mentions in the typed parts of the input, without duplicates: words that begin with @
// and contain a colon.
func (in Input) Mentions() []Mention {
	var all []Mention
	text := provider.Message{Text: in.Text, Foreign: in.Foreign}.Typed()
	for word := range strings.FieldsSeq(text) {
		for at := 0; at < len(word) && len(all) < maxMentions; at++ {
			if word[at] != '@' {
				continue
			}
			before, _ := utf8.DecodeLastRuneInString(word[:at])
			if at > 0 && (unicode.IsLetter(before) || unicode.IsDigit(before) || strings.ContainsRune("@._-/:", before)) {
				continue
			}
			server, resource, ok := strings.Cut(word[at+1:], ":")
			m := Mention{server, resource}
			if ok && server != "" && resource != "" && len(word)-at <= maxMention && !slices.Contains(all, m) {
				all = append(all, m)
			}
			if ok {
				break
			}
		}
	}
	return all
}

// resolved is a mention with its resource replaced by a URI.
type resolved struct {
	Mention
	written Mention
}

// resolve finds the mentioned resources. It ignores words that name no server, with a note if they look like a typo.
func (r Reader) resolve(ctx context.Context, mentions []Mention) (found []resolved, notes []string, err error) {
	if r.Source == nil {
		return nil, nil, nil
	}
	for _, m := range mentions {
		switch err := r.Source.Offering(ctx, m.Server); {
		case errors.Is(err, mcpclient.ErrNoServer):
			for _, server := range r.Source.Servers() {
				far := levenshtein.ComputeDistance(strings.ToLower(m.Server), strings.ToLower(server))
				if far <= 2 && far < len(server)/2 {
					notes = append(notes, fmt.Sprintf("%s is not attached: no such server. Did you mean %s?",
						m.Name(), Mention{server, m.Resource}.Name()))
					break
				}
			}
			continue
		case err != nil:
			return nil, nil, fmt.Errorf("cannot attach %s: %w", m.Name(), err)
		}
		ofOther := func(r mcpclient.Resource) bool { return r.Server != m.Server }
		resources := slices.DeleteFunc(slices.Clone(r.Source.Resources()), ofOther)
		uri, ok := find(m.Resource, resources)
		switch {
		case ok:
			target := Mention{m.Server, uri}
			if !slices.ContainsFunc(found, func(f resolved) bool { return f.Mention == target }) {
				found = append(found, resolved{target, m})
			}
		case len(resources) > 0:
			return nil, nil, fmt.Errorf("server %q has no resource %q. Type @%s: to list its resources",
				m.Server, sanitize.Line(m.Resource), sanitize.Line(m.Server))
		default:
			notes = append(notes, fmt.Sprintf("%s is not attached: the server has no resources", m.Name()))
		}
	}
	return found, notes, nil
}

// endings are characters that may follow a mention in a sentence.
const endings = `.,;:!?)]}>'"` + "`…"

// find returns the URI of a resource given by URI, name or path. Trailing punctuation is ignored unless it is part of a
// resource's URI or name.
func find(written string, resources []mcpclient.Resource) (uri string, ok bool) {
	bare := strings.TrimRight(written, endings)
	for _, text := range []string{written, bare} {
		if slices.ContainsFunc(resources, func(r mcpclient.Resource) bool { return !r.Template && r.URI == text }) {
			return text, true
		}
	}
	for _, text := range []string{bare, written} {
		for _, r := range resources {
			switch {
			case text == "":
			case r.Fits(text):
				return text, true
			case !r.Template && (r.Name == text || r.Title == text):
				return r.URI, true
			}
		}
	}
	if strings.Contains(bare, "://") {
		return bare, true
	}
	for _, r := range resources { // a template that ends in any path, as the built-in files server has
		before, name, ok := strings.Cut(r.URI, "{+")
		if ok && r.Template && !strings.Contains(before, "{") && strings.IndexByte(name, '}') == len(name)-1 {
			return before + (&url.URL{Path: bare}).EscapedPath(), true
		}
	}
	return bare, false
}
