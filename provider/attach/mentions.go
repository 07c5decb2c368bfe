package attach

import (
	"context"
	"errors"
	"fmt"
	"iter"
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

// Mention is an @server:resource or @file in a text. The server or file may not exist.
type Mention struct {
	Server   string // what is before the colon; "" for a file without one
	Resource string // its URI or name, possibly with punctuation after it
}

// Name returns the mention as you type it, sanitized.
func (m Mention) Name() string {
	return sanitize.Line(provider.Attachment{Server: m.Server, URI: m.Resource}.Name())
}

const maxMention = 4 << 10 // bytes

// Mentions returns the possible mentions in the typed parts of the input, without duplicates: words that begin with @.
// The name of a file may be in quotes, as in @"two words.md".
func (in Input) Mentions() (all []Mention) {
	for _, m := range mentions(provider.Message{Text: in.Text, Foreign: in.Foreign}.Typed()) {
		if len(all) == maxMentions {
			break
		}
		if !slices.Contains(all, m) {
			all = append(all, m)
		}
	}
	return all
}

// mentions iterates over the places of the possible mentions in a text.
func mentions(text string) iter.Seq2[Span, Mention] {
	return func(yield func(Span, Mention) bool) {
		for at := 0; at < len(text); at++ {
			before, _ := utf8.DecodeLastRuneInString(text[:at])
			if text[at] != '@' || unicode.IsLetter(before) || unicode.IsDigit(before) ||
				strings.ContainsRune("@._-/:", before) {
				continue
			}
			from := at
			m, length := mentionAt(text[at+1:])
			at += length
			if m.Resource != "" && length < maxMention && !yield(Span{From: from, Until: at + 1}, m) {
				return
			}
		}
	}
}

// mentionAt returns the mention at the beginning of a text, after its @, and its length.
func mentionAt(text string) (m Mention, length int) {
	if quoted, ok := strings.CutPrefix(text, `"`); ok {
		line, _, _ := strings.Cut(quoted, "\n")
		if name, rest, closed := strings.Cut(line, `"`); closed && name != "" {
			name += firstWord(rest)
			return Mention{Resource: name}, len(name) + 2
		}
	}
	word := firstWord(text)
	if server, resource, ok := strings.Cut(word, ":"); ok && server != "" && resource != "" {
		return Mention{server, resource}, len(word)
	}
	return Mention{Resource: word}, len(word)
}

// firstWord returns a text up to its first space.
func firstWord(text string) string {
	if i := strings.IndexFunc(text, unicode.IsSpace); i >= 0 {
		return text[:i]
	}
	return text
}

// resolved is a mention of a file, or of a resource, which is replaced by its URI.
type resolved struct {
	Mention
	written Mention
	file    file
}

// resolve finds the mentioned resources and files. It ignores words that name none, with a note if they look like a
// mistyped server.
func (r Reader) resolve(ctx context.Context, mentions []Mention) (found []resolved, notes []string, err error) {
	for _, m := range mentions {
		err := mcpclient.ErrNoServer
		if r.Source != nil && m.Server != "" {
			err = r.Source.Offering(ctx, m.Server)
		}
		switch {
		case errors.Is(err, mcpclient.ErrNoServer):
			if f, ok := r.file(m); ok {
				found = add(found, resolved{Mention{Resource: f.name + f.lines}, m, f})
				continue
			} else if r.Source == nil {
				continue
			}
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
			found = add(found, resolved{Mention: Mention{m.Server, uri}, written: m})
		case len(resources) > 0:
			return nil, nil, fmt.Errorf("server %q has no resource %q. Type @%s: to list its resources",
				m.Server, sanitize.Line(m.Resource), sanitize.Line(m.Server))
		default:
			notes = append(notes, fmt.Sprintf("%s is not attached: the server has no resources", m.Name()))
		}
	}
	return found, notes, nil
}

// add adds a mention if it is new.
func add(found []resolved, m resolved) []resolved {
	if slices.ContainsFunc(found, func(f resolved) bool { return f.Mention == m.Mention }) {
		return found
	}
	return append(found, m)
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
