package main

import (
	"cmp"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/aloudchat/aloud/config"
	"github.com/aloudchat/aloud/mcpclient/others"
	"github.com/aloudchat/aloud/secret"
)

// mover takes secrets out of the values of other programs and leaves variables in their place.
type mover struct {
	moved   map[string]string                // variable → the value it must have
	held    map[string]string                // that value → the variable
	needed  map[string][]string              // variable → the servers that need it, also if it was there before
	server  string                           // at hand, as it is called here
	answers map[string]func() (string, bool) // what ${input:ID} becomes
	inputs  map[string]others.Input
	remarks []string // of the server at hand
}

// entry makes what is written of a server.
func (m *mover) entry(s others.Server, name, whence string) config.Entry {
	m.server, m.remarks = name, slices.Clone(s.Remarks)
	e := config.Entry{
		Name: name, Note: "from " + whence, EnvVars: s.EnvVars, Disabled: s.Disabled,
		Startup: s.StartupTimeout, Tool: s.ToolTimeout, EnabledTools: s.EnabledTools, DisabledTools: s.DisabledTools,
	}
	if s.URL != nil {
		e.URL, e.Transport = m.write(m.address(m.filled(s.URL), name)), s.Transport
		e.Headers = map[string]string{}
		for _, header := range slices.Sorted(maps.Keys(s.Headers)) {
			value := m.header(m.filled(s.Headers[header]), name, header)
			if variable, ok := bearer(value); ok && header == "Authorization" {
				e.BearerEnv = variable
				m.need(variable)
				continue
			}
			e.Headers[header] = m.write(value)
		}
		e.Login = m.login(s, name)
		return e
	}
	e.Command, e.Cwd = m.write(m.filled(s.Command)), m.write(m.filled(s.Cwd))
	e.Env = map[string]string{}
	for _, variable := range slices.Sorted(maps.Keys(s.Env)) {
		e.Env[variable] = m.write(m.value(m.filled(s.Env[variable]), variable, variable, name))
	}
	e.Args = m.arguments(s.Args, name) // after the variables, whose names are the better ones
	return e
}

// login is how to log in. A server that is sent a token needs none of it.
func (m *mover) login(s others.Server, name string) config.Login {
	if s.Headers["Authorization"] != nil {
		return config.Login{}
	}
	login := config.Login{Off: s.Login.Off, ClientID: m.write(m.filled(s.Login.ClientID)), Scopes: s.Login.Scopes, CallbackPort: s.Login.CallbackPort}
	switch key := m.filled(s.Login.ClientSecret); {
	case key == nil || login.ClientID == "":
	case len(key) == 1 && key[0].Kind == others.Variable:
		login.SecretEnv = key[0].Text
		m.need(login.SecretEnv)
	default:
		login.SecretEnv = m.variable(others.VariableName(name+" client secret"), name, resolved(key))
		m.need(login.SecretEnv)
	}
	return login
}

// write is the text for the file; it notes which variables it needs.
func (m *mover) write(t others.Text) string {
	for _, p := range t {
		if p.Kind == others.Variable && !p.HasDefault {
			m.need(p.Text)
		}
	}
	return t.String()
}

// need notes that the server at hand needs a variable.
func (m *mover) need(variable string) {
	if !slices.Contains(m.needed[variable], m.server) {
		m.needed[variable] = append(m.needed[variable], m.server)
	}
}

// filled puts in what a person was asked for, and a variable where nobody answered.
func (m *mover) filled(t others.Text) (out others.Text) {
	for _, p := range t {
		if p.Kind != others.Ask {
			out = append(out, p)
			continue
		}
		in := m.inputs[p.Text]
		answer, ok := "", false
		if ask := m.answers[p.Text]; ask != nil {
			answer, ok = ask()
		}
		variable := others.VariableName(p.Text)
		switch {
		case ok && in.Password:
			out = append(out, others.Var(m.variable(variable, variable, answer))...)
			continue
		case ok:
			out = append(out, others.Lit(answer)...)
			continue
		}
		words := in.Description
		if words == "" {
			words = p.Text
		}
		m.remarks = append(m.remarks, fmt.Sprintf("%s is asked for there (%q): set it yourself", variable, words))
		simple := in.Default != "" && !strings.ContainsAny(in.Default, "${}")
		out = append(out, others.Part{Kind: others.Variable, Text: variable, Default: in.Default, HasDefault: simple})
	}
	return out
}

// value moves a whole value that is secret, or the pieces of it that are. called is what it is called, variable what would hold it.
func (m *mover) value(t others.Text, called, variable, server string) others.Text {
	whole, plain := t.Plain()
	if parts := secret.In(whole); plain && parts != nil && parts[0] != whole {
		return m.address(t, server)
	}
	if plain && secret.Looks(called, whole) {
		return others.Var(m.variable(variable, server, whole))
	}
	if plain {
		return t
	}
	var out others.Text
	for _, p := range t {
		if p.Kind == others.Literal && secret.Looks("", p.Text) {
			p = others.Var(m.variable(variable, server, p.Text))[0]
		}
		out = append(out, p)
	}
	return out
}

// address moves the secret parts of an address.
func (m *mover) address(t others.Text, server string) others.Text {
	var out others.Text
	for _, p := range t {
		if p.Kind != others.Literal {
			out = append(out, p)
			continue
		}
		rest := p.Text
		for _, part := range secret.In(p.Text) {
			before, after, found := strings.Cut(rest, part)
			if !found {
				continue
			}
			out = append(append(out, others.Lit(before)...), others.Var(m.variable(others.VariableName(server+" key"), server, part))...)
			rest = after
		}
		out = append(out, others.Lit(rest)...)
	}
	return out
}

// header moves what opens a door, and leaves the scheme in front of it.
func (m *mover) header(t others.Text, server, header string) others.Text {
	whole, plain := t.Plain()
	if !plain {
		return m.value(t, header, others.VariableName(server+" "+header), server)
	}
	scheme, token, two := strings.Cut(whole, " ")
	variable := others.VariableName(server + " " + header)
	if strings.EqualFold(header, "Authorization") {
		variable = others.VariableName(server + " token")
	}
	if two && secret.Looks(header, token) {
		return append(others.Lit(scheme+" "), others.Var(m.variable(variable, server, token))...)
	}
	return m.value(t, header, variable, server)
}

// bearer is the variable of "Bearer ${VARIABLE}".
func bearer(t others.Text) (variable string, ok bool) {
	if len(t) != 2 || t[0].Kind != others.Literal || t[1].Kind != others.Variable || t[1].HasDefault {
		return "", false
	}
	return t[1].Text, strings.EqualFold(t[0].Text, "Bearer ")
}

// arguments moves secrets out of --token=…, --token …, NAME=… and "Name: …", and tokens wherever they stand.
func (m *mover) arguments(args []others.Text, server string) (out []string) {
	flag := "" // of which this may be the value
	for _, arg := range args {
		arg = m.filled(arg)
		variable := others.VariableName(server + " " + cmp.Or(flag, "token"))
		whole, plain := arg.Plain()
		called, value, sign := splitArgument(whole)
		switch {
		case !plain:
			arg = m.value(arg, flag, variable, server)
		case sign != "":
			variable = others.VariableName(called)
			if strings.HasPrefix(called, "-") {
				variable = others.VariableName(server + " " + called)
			}
			if sign == "=" {
				arg = append(others.Lit(called+sign), m.value(others.Lit(value), called, variable, server)...)
			} else {
				arg = append(others.Lit(called+sign), m.header(others.Lit(value), server, called)...)
			}
		case !strings.HasPrefix(whole, "-"):
			arg = m.value(arg, flag, variable, server)
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
		if ok && name != "" && !strings.ContainsAny(name, " /:@?") && (sign != ":" || secret.TellsClearly(name)) {
			return name, value, sign
		}
	}
	return "", "", ""
}

// variable finds a name for a value: the one that is wanted, unless it has another value already, here or in the environment.
func (m *mover) variable(wanted, server, value string) string {
	if name, ok := m.held[value]; ok {
		return name
	}
	own := others.VariableName(server)
	if !strings.HasPrefix(wanted, own+"_") {
		own = others.VariableName(server + " " + wanted)
	} else {
		own = wanted
	}
	name := wanted
	for n := 1; m.isTaken(name, value); n++ {
		name = own
		if n > 1 || own == wanted {
			name = fmt.Sprintf("%s_%d", own, n+1)
		}
	}
	m.moved[name], m.held[value] = value, name
	return name
}

// isTaken tells whether a variable has another value already. An empty one has none.
func (m *mover) isTaken(name, value string) bool {
	before := m.moved[name]
	if before == "" {
		before = os.Getenv(name)
	}
	return before != "" && before != value
}
