package importing

import (
	"maps"
	"net/http"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/aloudchat/aloud/config"
	"github.com/aloudchat/aloud/mcpclient/others"
)

// words is a server as far as it says what it does, with variables put in. Two accounts of one service differ in nothing but these values.
type words struct {
	name    string
	command []string // and its arguments
	cwd     string
	url     string
	login   string            // who logs in, and for what
	values  map[string]string // of the environment, or of headers
}

// isThere tells whether a server that does the same is configured already, or was taken from another program.
func (p *Plan) isThere(s others.Server) bool {
	theirs := p.wordsOf(s)
	there := slices.ContainsFunc(p.known, theirs.does) ||
		slices.ContainsFunc(p.options.Config.Servers, func(ours config.Server) bool { return theirs.became(wordsOfConfigured(ours)) })
	if there {
		p.known = append(p.known, theirs)
	}
	return there
}

// does tells whether two servers of other programs do the same, whatever they are called.
func (w words) does(other words) bool {
	w.name = other.name
	return reflect.DeepEqual(w, other)
}

// became tells whether a server of another program is one of the configuration. Under its own name it is the one that was taken over before, where
// its secrets and answers are variables, and to which somebody may have added values since. Under another name what is not known may be another
// account.
func (w words) became(ours words) bool {
	named := w.isCalled(ours.name)
	word := func(theirs, ours string) bool { return theirs == ours || named && becameWord(theirs, ours) }
	added := func(theirs, ours string) bool { return word(theirs, ours) || named && theirs == "" }
	if !slices.EqualFunc(w.command, ours.command, word) || !word(w.url, ours.url) || !added(w.cwd, ours.cwd) || !added(w.login, ours.login) {
		return false
	}
	for name, value := range w.values {
		if other, both := ours.values[name]; both && !word(value, other) || !both && !named {
			return false
		}
	}
	return named || len(w.values) == len(ours.values)
}

// isCalled tells whether the name is the one that the server gets here, which has a number when another server had it first.
func (w words) isCalled(name string) bool {
	number, numbered := strings.CutPrefix(name, w.name+"-")
	_, err := strconv.Atoi(number)
	return name == w.name || numbered && err == nil
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
	w := words{name: ValidName(s.Name), cwd: p.atHome(resolved(s.Cwd, env)), url: strings.TrimRight(resolved(s.URL, env), "/"), values: map[string]string{}}
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
	if s.Headers["Authorization"] == nil { // else it needs none
		w.login = loginWords(resolved(s.Login.ClientID, env), s.Login.Scopes)
	}
	return w
}

// atHome is a folder as the configuration has it.
func (p *Plan) atHome(path string) string {
	if rest, ok := strings.CutPrefix(path, "~"); ok && p.options.Place.Home != "" && (rest == "" || rest[0] == '/') {
		return filepath.Join(p.options.Place.Home, rest)
	}
	return path
}

// loginWords are "" for a server that lets everybody log in for what it takes.
func loginWords(id string, scopes []string) string {
	return strings.TrimSpace(id + " " + strings.Join(scopes, " "))
}

func wordsOfConfigured(s config.Server) words {
	w := words{
		name: s.Name, command: append([]string{s.Command}, s.Args...), cwd: s.Cwd, url: strings.TrimRight(s.URL, "/"),
		login: loginWords(s.OAuth.ClientID, s.OAuth.Scopes), values: maps.Clone(s.Env),
	}
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
