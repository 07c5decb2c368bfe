package attach

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/aloudchat/aloud/mcpclient"
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

// Mentions finds what may be mentions in what the person typed, each once: words that begin with @ and have a colon in them.
func (in Input) Mentions() []Mention {
	var all []Mention
	text := in.typed()
	for len(text) > 0 && len(all) < mostMentions {
		at := strings.IndexByte(text, '@')
		if at < 0 {
			break
		}
		before, _ := utf8.DecodeLastRuneInString(text[:at])
		begins := at == 0 || !unicode.IsLetter(before) && !unicode.IsDigit(before) && !strings.ContainsRune("@._-/:", before)
		text = text[at+1:]
		end := strings.IndexFunc(text, unicode.IsSpace)
		if end < 0 {
			end = len(text)
		}
		server, resource, ok := strings.Cut(text[:end], ":")
		m := Mention{server, resource}
		if begins && ok && server != "" && resource != "" && end <= longestMention && !slices.Contains(all, m) {
			all = append(all, m)
		}
		if !begins || !ok {
			continue
		}
		text = text[end:]
	}
	return all
}

// resolve finds the resources that are meant. What names no server is text like any other.
func (r Reader) resolve(ctx context.Context, mentions []Mention) (found []Mention, err error) {
	if r.Source == nil {
		return nil, nil
	}
	for _, m := range mentions {
		switch err := r.Source.Offering(ctx, m.Server); {
		case errors.Is(err, mcpclient.ErrNoServer):
			continue
		case err != nil:
			return nil, fmt.Errorf("%s cannot be attached: %w", m.Name(), err)
		}
		var of []mcpclient.Resource
		for _, r := range r.Source.Resources() {
			if r.Server == m.Server {
				of = append(of, r)
			}
		}
		uri, ok := find(m.Resource, of)
		switch {
		case ok:
			if m.Resource = uri; !slices.Contains(found, m) {
				found = append(found, m)
			}
		case len(of) > 0:
			return nil, fmt.Errorf("the server %q offers no resource %q; type @%s: to see those it offers", m.Server, sanitize.Line(m.Resource), sanitize.Line(m.Server))
		}
	}
	return found, nil
}

// endings may follow a mention that stands in a sentence.
const endings = `.,;:!?)]}>'"` + "`…"

// find returns the address of the resource that is meant by what was written: by its address, a template's, or its name. The end of a sentence,
// or a bracket, does not belong to it unless the server says so.
func find(written string, offered []mcpclient.Resource) (uri string, ok bool) {
	bare := strings.TrimRight(written, endings)
	for _, text := range []string{written, bare} {
		if i := slices.IndexFunc(offered, func(r mcpclient.Resource) bool { return !r.Template && r.URI == text }); i >= 0 {
			return text, true
		}
	}
	for _, text := range []string{bare, written} {
		if text == "" {
			continue
		}
		if slices.ContainsFunc(offered, func(r mcpclient.Resource) bool { return r.Fits(text) }) {
			return text, true
		}
		if i := slices.IndexFunc(offered, func(r mcpclient.Resource) bool { return !r.Template && (r.Name == text || r.Title == text) }); i >= 0 {
			return offered[i].URI, true
		}
	}
	return bare, strings.Contains(bare, "://")
}
