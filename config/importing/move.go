package importing

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/aloudchat/aloud/config"
	"github.com/aloudchat/aloud/mcpclient/others"
	"github.com/aloudchat/aloud/secret"
)

// mover makes entries of the servers of a file: it takes secrets out of their values and leaves variables in their place.
type mover struct {
	*variables
	inputs
	server  string   // at hand, as it is called here
	remarks []string // of it
}

// entry makes what is written of a server.
func (m *mover) entry(s others.Server, name, whence string) config.Entry {
	m.server, m.remarks, m.opened = name, slices.Clone(s.Remarks), map[string]string{}
	e := config.Entry{
		Name: name, Note: "from " + whence, EnvVars: s.EnvVars, Disabled: s.Disabled,
		Startup: s.StartupTimeout, Tool: s.ToolTimeout, EnabledTools: s.EnabledTools, DisabledTools: s.DisabledTools,
	}
	if s.URL != nil {
		e.URL, e.Transport = m.write(m.value(m.filled(s.URL), "", "key")), s.Transport
		m.headers(&e, s)
		e.Login = m.login(s)
		return e
	}
	e.Command, e.Cwd = m.write(m.filled(s.Command)), m.write(m.filled(s.Cwd))
	e.Env = map[string]string{}
	own := map[string]others.Text{}
	for _, variable := range slices.Sorted(maps.Keys(s.Env)) {
		own[variable] = m.value(m.filled(s.Env[variable]), variable, variable)
		e.Env[variable] = m.write(own[variable])
	}
	e.Args = m.arguments(withOwn(s.Args, own)) // after the variables, whose names are the better ones
	return e
}

// withOwn puts what a server's own variables have into its arguments: some servers do so themselves, and aloud knows its own environment only.
func withOwn(args []others.Text, own map[string]others.Text) (all []others.Text) {
	for _, arg := range args {
		var t others.Text
		for _, p := range arg {
			if value, ok := own[p.Text]; ok && p.Kind == others.Variable {
				t = append(t, value...)
			} else {
				t = append(t, p)
			}
		}
		all = append(all, t)
	}
	return all
}

func (m *mover) headers(e *config.Entry, s others.Server) {
	e.Headers = map[string]string{}
	for _, header := range slices.Sorted(maps.Keys(s.Headers)) {
		value := m.header(m.filled(s.Headers[header]), header)
		if variable, ok := bearer(value); ok && header == "Authorization" {
			e.BearerEnv = variable
			m.need(variable, m.server)
			continue
		}
		e.Headers[header] = m.write(value)
	}
}

// login is how to log in. A server that is sent a token needs none of it.
func (m *mover) login(s others.Server) config.Login {
	if s.Headers["Authorization"] != nil {
		return config.Login{}
	}
	login := config.Login{Off: s.Login.Off, ClientID: m.write(m.filled(s.Login.ClientID)), Scopes: s.Login.Scopes, CallbackPort: s.Login.CallbackPort}
	switch hidden := m.filled(s.Login.ClientSecret); {
	case hidden == nil || login.ClientID == "":
		return login
	case len(hidden) == 1 && hidden[0].Kind == others.Variable:
		login.SecretEnv = hidden[0].Text
	default:
		login.SecretEnv = m.hold(others.VariableName(m.server+" client secret"), m.server, resolved(hidden, m.env))
	}
	m.need(login.SecretEnv, m.server)
	return login
}

// write is the text for the file; it notes which variables it needs.
func (m *mover) write(t others.Text) string {
	for _, p := range t {
		if p.Kind == others.Variable && !p.HasDefault {
			m.need(p.Text, m.server)
		}
	}
	return t.String()
}

// value moves a whole value that is secret, or the pieces of it that are. called is what it is called, variable what would hold it.
func (m *mover) value(t others.Text, called, variable string) others.Text {
	whole, plain := t.Plain()
	inPieces := secret.In(whole) != nil && (strings.Contains(whole, "://") || !secret.Tells(called))
	if plain && !inPieces && secret.Looks(called, whole) {
		return others.Var(m.hold(variable, m.server, whole))
	}
	var out others.Text
	for _, p := range t {
		if p.Kind != others.Literal {
			out = append(out, p)
			continue
		}
		out = append(out, m.pieces(p.Text, variable)...)
	}
	return out
}

// pieces moves what is secret of a text: of an address, of JSON, of the words that databases are reached with.
func (m *mover) pieces(text, variable string) (out others.Text) {
	done := 0
	for _, at := range secret.Places(text) {
		before, piece := text[done:at.Start], text[at.Start:at.End]
		name := variable
		switch called := lastName(text[:at.Start]); {
		case piece == text:
		case strings.Contains(text, "://"):
			name = others.VariableName(m.server + " key")
		case secret.Tells(called):
			name = others.VariableName(m.server + " " + called)
		}
		out = append(append(out, others.Lit(before)...), others.Var(m.hold(name, m.server, piece))...)
		done = at.End
	}
	return append(out, others.Lit(text[done:])...)
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

// header moves what opens a door, and leaves the scheme in front of it.
func (m *mover) header(t others.Text, header string) others.Text {
	variable := others.VariableName(m.server + " " + header)
	whole, plain := t.Plain()
	scheme, token, two := strings.Cut(whole, " ")
	if strings.EqualFold(header, "Authorization") {
		variable = others.VariableName(m.server + " token")
	}
	if plain && two && secret.Looks(header, token) {
		return append(others.Lit(scheme+" "), others.Var(m.hold(variable, m.server, token))...)
	}
	return m.value(t, header, variable)
}

// bearer is the variable of "Bearer ${VARIABLE}".
func bearer(t others.Text) (variable string, ok bool) {
	if len(t) != 2 || t[0].Kind != others.Literal || t[1].Kind != others.Variable || t[1].HasDefault {
		return "", false
	}
	return t[1].Text, strings.EqualFold(t[0].Text, "Bearer ")
}

// arguments moves secrets out of --token=…, --token …, NAME=… and "Name: …", and those that show themselves wherever they stand.
func (m *mover) arguments(args []others.Text) (out []string) {
	flag := "" // of which this may be the value
	for _, arg := range args {
		arg = m.filled(arg)
		variable := others.VariableName(m.server + " " + cmp.Or(flag, "token"))
		whole, plain := arg.Plain()
		called, value, sign := splitArgument(whole)
		switch {
		case plain && sign == "=":
			variable = others.VariableName(called)
			if strings.HasPrefix(called, "-") {
				variable = others.VariableName(m.server + " " + called)
			}
			arg = append(others.Lit(called+sign), m.value(others.Lit(value), called, variable)...)
		case plain && sign != "":
			arg = append(others.Lit(called+sign), m.header(others.Lit(value), called)...)
		case !plain || !strings.HasPrefix(whole, "-"):
			arg = m.value(arg, flag, variable)
		}
		flag = ""
		if sign == "" && strings.HasPrefix(whole, "-") {
			flag = whole
		}
		out = append(out, m.write(arg))
	}
	return out
}

// splitArgument parts an argument that has a name and a value in one word. Headers that are written without a space, which some programs want, are
// told by what they are called: images and ports look the same otherwise.
func splitArgument(arg string) (name, value, sign string) {
	for _, sign := range []string{"=", ": ", ":"} {
		name, value, ok := strings.Cut(arg, sign)
		if ok && name != "" && !strings.ContainsAny(name, " /:@?{\"'") && (sign != ":" || secret.TellsClearly(name)) {
			return name, value, sign
		}
	}
	return "", "", ""
}

// SecretArguments tells whether a command line has secrets in it, which should rather be in variables.
func SecretArguments(args []string) bool {
	nothing := func(string) (string, bool) { return "", false }
	v := newVariables(&config.Config{}, nothing, nil)
	m := &mover{variables: &v, server: "server"}
	var texts []others.Text
	for _, arg := range args {
		texts = append(texts, others.Lit(arg))
	}
	m.arguments(texts)
	return len(v.moved) > 0
}
