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
	strange bool     // others may have written the file
	server  string   // at hand, as it is called here
	remarks []string // of it
}

// hold finds a variable for a value. Files that others may have written do not choose its whole name, nor does their server's: what somebody sets
// later under a name that many programs know must not go there.
func (m *mover) hold(wanted, server, value string) string {
	if m.strange {
		wanted = others.VariableName("mcp " + ofServer(wanted, server))
	}
	return m.variables.hold(wanted, server, value)
}

// entry makes what is written of a server.
func (m *mover) entry(s others.Server, name, whence string) config.Entry {
	m.server, m.remarks, m.opened = name, slices.Clone(s.Remarks), map[string]string{}
	e := config.Entry{
		Name: name, Note: "from " + whence, Disabled: s.Disabled,
		Startup: s.StartupTimeout, Tool: s.ToolTimeout, EnabledTools: s.EnabledTools, DisabledTools: s.DisabledTools,
	}
	if s.URL != nil {
		e.URL, e.Transport = m.write(m.value(m.filled(s.URL), "", "key")), s.Transport
		m.headers(&e, s)
		e.Login = m.login(s)
		return e
	}
	e.EnvVars = m.names(s.EnvVars)
	e.Env = map[string]string{}
	own := map[string]others.Text{}
	for _, variable := range m.names(slices.Sorted(maps.Keys(s.Env))) {
		own[variable] = m.value(m.filled(s.Env[variable]), variable, variable)
		e.Env[variable] = m.write(own[variable])
	}
	key := others.VariableName(name + " key") // after the variables, whose names are the better ones
	e.Command, e.Cwd = m.write(m.value(m.filled(s.Command), "", key)), m.write(m.value(m.filled(s.Cwd), "", key))
	e.Args = m.arguments(withOwn(s.Args, own))
	return e
}

// names leaves those out that are secret themselves: somebody wrote the value where the name belongs.
func (m *mover) names(written []string) (names []string) {
	for _, name := range written {
		if secret.NoName(name) {
			m.remarks = append(m.remarks, "a variable is left out whose name looks like a secret: set it under its own name")
			continue
		}
		names = append(names, name)
	}
	return names
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

// header moves what opens a door, and leaves the scheme in front of it.
func (m *mover) header(t others.Text, header string) others.Text {
	variable := others.VariableName(m.server + " " + header)
	whole, plain := t.Plain()
	scheme, token, two := strings.Cut(whole, " ")
	if strings.EqualFold(header, "Authorization") {
		variable = others.VariableName(m.server + " token")
	}
	if plain && two && isScheme(scheme+" ") && secret.Looks(header, token) {
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
		arg = joined(m.filled(arg))
		variable := others.VariableName(m.server + " " + cmp.Or(flag, "token"))
		begins := beginning(arg)
		called, value, sign := secret.Argument(begins)
		isFlag := strings.HasPrefix(begins, "-")
		switch {
		case !isFlag && isValue(flag, sign, viewOf(arg).text):
			arg = m.value(arg, flag, variable)
		case sign == "=":
			variable = others.VariableName(called)
			if isFlag {
				variable = others.VariableName(m.server + " " + called)
			}
			arg = append(others.Lit(called+sign), m.value(append(others.Lit(value), arg[1:]...), called, variable)...)
		case sign != "":
			arg = append(others.Lit(called+sign), m.header(append(others.Lit(value), arg[1:]...), called)...)
		case len(arg) > 1 || !isFlag:
			arg = m.value(arg, flag, variable)
		}
		flag = ""
		if sign == "" && isFlag {
			flag = begins
		}
		out = append(out, m.write(arg))
	}
	return out
}

// isValue tells whether a word with a sign in it is all of it the value of the flag before: that of a secret, or a command with a variable in front,
// as shells run it. A flag of which only some values are secret may be followed by a header, too.
func isValue(flag, sign, word string) bool {
	isCommand := flag != "-e" && flag != "--env" && strings.Contains(word, " ")
	return secret.TellsClearly(flag) || sign == "=" && (secret.Tells(flag) || isCommand)
}

// beginning is what a text begins with before any variable.
func beginning(t others.Text) string {
	if len(t) == 0 || t[0].Kind != others.Literal {
		return ""
	}
	return t[0].Text
}
