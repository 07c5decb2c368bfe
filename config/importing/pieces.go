package importing

import (
	"maps"
	"slices"
	"strings"

	"github.com/aloudchat/aloud/mcpclient/others"
	"github.com/aloudchat/aloud/secret"
)

// view is a text as it may be when it is used, so that what is secret of it shows by where it stands: variables have their defaults, or what stands
// in for a value that nobody knows.
type view struct {
	text   string
	starts []int // where the parts begin in it
}

func viewOf(t others.Text) (v view) {
	for i, p := range t {
		v.starts = append(v.starts, len(v.text))
		switch {
		case p.Kind == others.Literal:
			v.text += p.Text
		case p.HasDefault:
			v.text += p.Default
		case beginsAddress(t[i:]) && i == 0:
			v.text += "https://x"
		default:
			v.text += "x"
		}
	}
	return v
}

// beginsAddress tells whether a variable probably holds the first part of an address, and not a folder.
func beginsAddress(t others.Text) bool {
	folders := []string{"HOME", "USERPROFILE", "PWD"}
	return isBase(t) && t[1].Text[0] == '/' && !slices.Contains(folders, t[0].Text)
}

// isBase tells whether a text begins with a variable to which parts of a path are added.
func isBase(t others.Text) bool {
	return len(t) > 1 && t[0].Kind != others.Literal && t[1].Kind == others.Literal && strings.ContainsAny(t[1].Text[:1], `/\`)
}

// end is where a part ends.
func (v view) end(part int) int {
	if part+1 < len(v.starts) {
		return v.starts[part+1]
	}
	return len(v.text)
}

// value moves a whole value that is secret, or the pieces of it that are. called is what it is called, variable what would hold it.
func (m *mover) value(t others.Text, called, variable string) (out others.Text) {
	t = joined(t)
	v := viewOf(t)
	places, byName := secret.Places(v.text), namesAll(t, v, called)
	for i, p := range t {
		words := v.text[v.starts[i]:v.end(i)]
		inside := overlap(places, v.starts[i], v.end(i))
		whole := byName && secret.Looks(called, words) || inside == nil && secret.Looks("", words)
		switch {
		case p.HasDefault && (whole || inside != nil || secret.Looks(called, words)):
			out = append(out, m.fallback(p))
		case p.Kind != others.Literal:
			out = append(out, p)
		case whole && !isScheme(words):
			out = append(out, others.Var(m.hold(variable, m.server, words))...)
		case whole:
			out = append(out, p)
		default:
			out = append(out, m.pieces(v, i, inside, variable)...)
		}
	}
	return out
}

// namesAll tells whether what a value is called is said of all of it, and not of a piece: an address, a path and JSON have names of their own inside.
func namesAll(t others.Text, v view, called string) bool {
	if len(t) == 1 {
		return secret.Places(v.text) == nil || !strings.Contains(v.text, "://") && secret.Tells(called)
	}
	return secret.Tells(called) && !strings.Contains(v.text, "://") && !isBase(t) && !strings.HasPrefix(v.text, "{") && !strings.HasPrefix(v.text, "[")
}

// overlap is what of the places is between two.
func overlap(places []secret.Place, start, end int) (inside []secret.Place) {
	for _, at := range places {
		if at = (secret.Place{Start: max(at.Start, start), End: min(at.End, end)}); at.Start < at.End {
			inside = append(inside, at)
		}
	}
	return inside
}

// pieces moves what is secret of a part: of an address, of JSON, of the words that databases are reached with.
func (m *mover) pieces(v view, part int, places []secret.Place, variable string) (out others.Text) {
	done := v.starts[part]
	for _, at := range places {
		piece := v.text[at.Start:at.End]
		if isScheme(piece) || others.VariableName(piece) == others.VariableName("") { // signs around a variable
			continue
		}
		name := variable
		switch called := lastName(v.text[:at.Start]); {
		case piece == v.text:
		case strings.Contains(v.text, "://"):
			name = others.VariableName(m.server + " key")
		case secret.Tells(called):
			name = others.VariableName(m.server + " " + called)
		}
		out = append(append(out, others.Lit(v.text[done:at.Start])...), others.Var(m.hold(name, m.server, piece))...)
		done = at.End
	}
	return append(out, others.Lit(v.text[done:v.end(part)])...)
}

// fallback is a variable without its default, which is secret: the one that is set is used, and otherwise the default is moved like any other value.
func (m *mover) fallback(p others.Part) others.Part {
	set, _ := m.env(p.Text)
	switch {
	case set != "":
	case slices.Contains(slices.Collect(maps.Values(m.opened)), p.Text): // it is the server's own already
		m.moved[p.Text] = p.Default
	default:
		p.Text = m.hold(p.Text, m.server, p.Default)
	}
	return others.Part{Kind: others.Variable, Text: p.Text}
}

// isScheme knows what stands before a token and says how it is meant, with the blank behind it.
func isScheme(s string) bool {
	word, ok := strings.CutSuffix(s, " ")
	return ok && word != "" && !strings.ContainsFunc(word, func(r rune) bool { return r|0x20 < 'a' || r|0x20 > 'z' })
}

// joined makes one of literals that stand side by side.
func joined(t others.Text) (out others.Text) {
	for _, p := range t {
		if n := len(out); n > 0 && p.Kind == others.Literal && out[n-1].Kind == others.Literal {
			out[n-1].Text += p.Text
			continue
		}
		if p.Kind != others.Literal || p.Text != "" {
			out = append(out, p)
		}
	}
	return out
}

// lastName is what a value is called by the words before it, as in {"apiKey": "… and in host=db password=….
func lastName(before string) string {
	const signs = "\"' \t\\:="
	name := strings.TrimRight(before, signs)
	if name == before {
		return ""
	}
	return name[strings.LastIndexAny(name, signs+",;{&?")+1:]
}
