package importing

import (
	"maps"
	"net/http"
	"slices"
	"strings"

	"github.com/aloudchat/aloud/config"
	"github.com/aloudchat/aloud/mcpclient/others"
)

// words is a server as far as it says what it does, with variables put in. Two accounts of one service differ in nothing but these values.
type words struct {
	name    string
	command []string // and its arguments
	url     string
	values  map[string]string // of the environment, or of headers
}

// isThere tells whether a server that does the same is configured already, or was taken from another program.
func (p *Plan) isThere(s others.Server) bool {
	theirs := p.wordsOf(s)
	return slices.ContainsFunc(p.servers, func(taken server) bool {
		w := p.wordsOf(taken.theirs)
		return slices.Equal(theirs.command, w.command) && theirs.url == w.url && maps.Equal(theirs.values, w.values)
	}) || slices.ContainsFunc(p.options.Config.Servers, func(ours config.Server) bool { return theirs.became(wordsOfConfigured(ours)) })
}

// became tells whether a server of another program is one of the configuration, where its secrets and answers are variables. Under its own name it
// is the one that was taken over before, to which somebody may have added values since.
func (w words) became(ours words) bool {
	named := w.name == ours.name
	word := func(theirs, ours string) bool {
		return becameWord(theirs, ours) && (named || !strings.HasPrefix(theirs, asked))
	}
	if !slices.EqualFunc(w.command, ours.command, word) || !word(w.url, ours.url) || !named && len(w.values) != len(ours.values) {
		return false
	}
	for name, value := range w.values {
		if other, both := ours.values[name]; both && !becameWord(value, other) || !both && !named {
			return false
		}
	}
	return true
}

// becameWord knows a word again in which a secret has become a variable that is not set, or a question an answer.
func becameWord(theirs, ours string) bool {
	known, _, open := strings.Cut(theirs, asked)
	hidden, _, hides := strings.Cut(ours, unset)
	before, _, waits := strings.Cut(ours, "${")
	switch {
	case theirs == ours:
		return true
	case open:
		return strings.HasPrefix(ours, known)
	case hides:
		return strings.HasPrefix(theirs, hidden)
	case strings.Contains(theirs, "${"): // it would stand there as it is
		return false
	}
	return waits && strings.HasPrefix(theirs, before)
}

const (
	asked = "\x00" // stands for what a person is asked for, which may have become anything
	unset = "\x01" // stands for a variable whose name is not known any more, and which has no value
)

func (p *Plan) wordsOf(s others.Server) words {
	env := p.options.Place.Env
	w := words{name: ValidName(s.Name), url: strings.TrimRight(resolved(s.URL, env), "/"), values: map[string]string{}}
	own := func(name string) (string, bool) { // as withOwn has it
		if value, ok := s.Env[name]; ok {
			return resolved(value, env), true
		}
		return env(name)
	}
	w.command = []string{resolved(s.Command, env)}
	for _, t := range s.Args {
		w.command = append(w.command, resolved(t, own))
	}
	for name, value := range s.Env {
		w.values[name] = resolved(value, env)
	}
	for _, name := range s.EnvVars {
		w.values[name] = "${" + name + "}"
	}
	for name, value := range s.Headers {
		w.values[http.CanonicalHeaderKey(name)] = resolved(value, env)
	}
	return w
}

func wordsOfConfigured(s config.Server) words {
	w := words{name: s.Name, command: append([]string{s.Command}, s.Args...), url: strings.TrimRight(s.URL, "/"), values: maps.Clone(s.Env)}
	if w.values == nil {
		w.values = map[string]string{}
	}
	for _, name := range s.EnvVars {
		w.values[name] = "${" + name + "}"
	}
	for name, value := range s.Headers {
		if s.Unset != nil && (value == "" || strings.HasSuffix(value, " ")) {
			value += unset
		}
		w.values[http.CanonicalHeaderKey(name)] = value
	}
	return w
}

// resolved puts variables into a text, as the configuration will.
func resolved(t others.Text, env func(string) (string, bool)) string {
	var b strings.Builder
	for _, p := range t {
		value, set := env(p.Text)
		switch {
		case p.Kind == others.Literal:
			b.WriteString(p.Text)
		case p.Kind == others.Variable && p.HasDefault && value == "":
			b.WriteString(p.Default)
		case p.Kind == others.Variable && set:
			b.WriteString(value)
		case p.Kind == others.Ask:
			return b.String() + asked
		default:
			return t.String() // so the configuration has it, too, while it waits for the variable
		}
	}
	return b.String()
}
