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

	"github.com/aloudchat/aloud/mcpclient"
	"github.com/aloudchat/aloud/provider"
	"github.com/aloudchat/aloud/sanitize"
)

// Mention is an @server:resource in a text. Whether there is such a server, the servers know.
type Mention struct {
	Server   string
	Resource string // its address or its name, perhaps with the end of a sentence behind it
}

// Name is the mention as it is written, for people to read.
func (m Mention) Name() string { return sanitize.Line("@" + m.Server + ":" + m.Resource) }

// longestMention is in bytes; what is longer is data.
const longestMention = 4 << 10

// Mentions finds what may be mentions in what you typed, each once: words that begin with @ and have a colon in them.
func (in Input) Mentions() []Mention {
	var all []Mention
	text := provider.Message{Text: in.Text, Foreign: in.Foreign}.Typed()
	for word := range strings.FieldsSeq(text) {
		for at := 0; at < len(word) && len(all) < mostMentions; at++ {
			if word[at] != '@' {
				continue
			}
			before, _ := utf8.DecodeLastRuneInString(word[:at])
			if at > 0 && (unicode.IsLetter(before) || unicode.IsDigit(before) || strings.ContainsRune("@._-/:", before)) {
				continue
			}
			server, resource, ok := strings.Cut(word[at+1:], ":")
			m := Mention{server, resource}
			if ok && server != "" && resource != "" && len(word)-at <= longestMention && !slices.Contains(all, m) {
				all = append(all, m)
			}
			if ok {
				break
			}
		}
	}
	return all
}

// meant is a mention with the address of the resource that it means.
type meant struct {
	Mention
	written Mention
}

// resolve finds the resources that are meant. What names no server is text like any other; notes say what may have
// been meant as a mention.
func (r Reader) resolve(ctx context.Context, mentions []Mention) (found []meant, notes []string, err error) {
	if r.Source == nil {
		return nil, nil, nil
	}
	for _, m := range mentions {
		switch err := r.Source.Offering(ctx, m.Server); {
		case errors.Is(err, mcpclient.ErrNoServer):
			for _, server := range r.Source.Servers() {
				far := levenshtein.ComputeDistance(strings.ToLower(m.Server), strings.ToLower(server))
				if far <= 2 && far < len(server)/2 {
					notes = append(notes, fmt.Sprintf("%s attaches nothing: there is no such server; did you mean %s?", m.Name(), Mention{server, m.Resource}.Name()))
					break
				}
			}
			continue
		case err != nil:
			return nil, nil, fmt.Errorf("%s cannot be attached: %w", m.Name(), err)
		}
		of := r.offered(m.Server)
		uri, ok := find(m.Resource, of)
		switch {
		case ok:
			means := Mention{m.Server, uri}
			if !slices.ContainsFunc(found, func(f meant) bool { return f.Mention == means }) {
				found = append(found, meant{means, m})
			}
		case len(of) > 0:
			return nil, nil, fmt.Errorf("the server %q offers no resource %q; type @%s: to see those it offers",
				m.Server, sanitize.Line(m.Resource), sanitize.Line(m.Server))
		default:
			notes = append(notes, fmt.Sprintf("%s attaches nothing: the server offers no resources.", m.Name()))
		}
	}
	return found, notes, nil
}

// offered are the resources of one server.
func (r Reader) offered(server string) (of []mcpclient.Resource) {
	for _, r := range r.Source.Resources() {
		if r.Server == server {
			of = append(of, r)
		}
	}
	return of
}

// endings may follow a mention that stands in a sentence.
const endings = `.,;:!?)]}>'"` + "`…"

// find returns the address of the resource that is meant by what was written: by its address, a template's, its name,
// or its path. The end of a sentence, or a bracket, does not belong to it unless the server says so.
func find(written string, offered []mcpclient.Resource) (uri string, ok bool) {
	bare := strings.TrimRight(written, endings)
	for _, text := range []string{written, bare} {
		if slices.ContainsFunc(offered, func(r mcpclient.Resource) bool { return !r.Template && r.URI == text }) {
			return text, true
		}
	}
	for _, text := range []string{bare, written} {
		for _, r := range offered {
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
	for _, r := range offered { // a template whose end is any path, as files has one
		before, name, ok := strings.Cut(r.URI, "{+")
		if ok && r.Template && !strings.Contains(before, "{") && strings.IndexByte(name, '}') == len(name)-1 {
			return before + (&url.URL{Path: bare}).EscapedPath(), true
		}
	}
	return bare, false
}
