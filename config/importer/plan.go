// Package importer reads which MCP servers other programs have, and plans how they come into the configuration file.
//
// It starts no server and runs no command. The files may be hostile: their size is bounded, secrets in them become
// variables, and what is shown of them is sanitized.
package importer

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/aloudchat/aloud/config"
	"github.com/aloudchat/aloud/config/edit"
	"github.com/aloudchat/aloud/quantity"
	"github.com/aloudchat/aloud/sanitize"
	"github.com/aloudchat/aloud/secret"
)

// Plan is what is to be added to the configuration, and what there is to say about it.
type Plan struct {
	Servers []Server
	place   Place
	config  *config.Config
	held    map[string]string // the variables that secrets became, with their values
	seen    []string          // what the servers so far do
	found   []string          // a line for each file
	notes   []string          // what was left out or changed
}

// Server is one to be added.
type Server struct {
	edit.Server
	Strange   bool     // it is from a project's file, which others may have written
	variables []string // that it needs
}

// NewPlan plans to add the servers that are not configured yet. ownOnly leaves those out that somebody else may have
// written.
func NewPlan(cfg *config.Config, place Place, sources []Source, ownOnly bool) *Plan {
	p := &Plan{place: place, config: cfg, held: map[string]string{}}
	for _, s := range sources {
		p.take(s, ownOnly)
	}
	return p
}

// note adds what there is to say about a server.
func (p *Plan) note(name, format string, args ...any) {
	p.notes = append(p.notes, sanitize.Line(name+": "+fmt.Sprintf(format, args...)))
}

func (p *Plan) take(s Source, ownOnly bool) {
	file := p.place.Short(s.file)
	line := sanitize.Line(s.program.name) + ", " + file + ": "
	if s.err != nil {
		p.found = append(p.found, line+"left out")
		p.notes = append(p.notes, file+strings.TrimPrefix(sanitize.Line(s.err.Error()), fmt.Sprintf("%q", s.file)))
		return
	}
	line += quantity.Plural(len(s.servers), "server")
	var there []string
	for _, name := range slices.Sorted(maps.Keys(s.servers)) {
		if ownOnly && s.strange() {
			p.note(file, "it is of the project here, and others may have written it; to import it write: aloud mcp import %s", file)
			break
		}
		server, notes, err := p.server(s, name)
		switch {
		case err != nil:
			p.note(name, "left out, %v", err)
		case server.Name == "":
			there = append(there, sanitize.Line(name))
		default:
			p.Servers = append(p.Servers, server)
			for _, note := range notes {
				p.note(server.Name, "%s", note)
			}
		}
	}
	if there != nil {
		line += ", there already: " + strings.Join(there, ", ")
	}
	p.found = append(p.found, line)
}

// freeName is the name of a server here; "" if a server of that name is configured. One that is built in keeps its name.
func (p *Plan) freeName(wanted string) string {
	base := edit.ValidName(wanted)
	for n := 1; ; n++ {
		name := base
		if n > 1 {
			name = fmt.Sprintf("%.28s-%d", base, n)
		}
		i := slices.IndexFunc(p.config.Servers, func(s config.Server) bool { return s.Name == name })
		switch {
		case i >= 0 && (n > 1 || p.config.Servers[i].Builtin != name):
			return ""
		case i < 0 && !slices.ContainsFunc(p.Servers, func(s Server) bool { return s.Name == name }):
			return name
		}
	}
}

// server plans for one server. Its name is "" if it is there already.
func (p *Plan) server(s Source, name string) (planned Server, notes []string, err error) {
	e, other, err := parse(s.servers[name])
	if err != nil {
		return planned, nil, err
	}
	free := p.freeName(name)
	t := &taker{Plan: p, source: s, server: cmp.Or(free, edit.ValidName(name))}
	planned = Server{Server: t.take(e), Strange: s.strange()}
	does := planned.Server
	does.Name, does.Note = "", ""
	if free == "" || slices.Contains(p.seen, does.String()) {
		planned.Name = ""
	}
	p.seen = append(p.seen, does.String())
	if planned.Name == "" {
		return planned, nil, nil
	}
	if err := planned.Check(p.place.Env); err != nil {
		return planned, nil, err
	}
	planned.variables = t.variables
	if planned.Name != name {
		t.remark("it is called %q there", name)
	}
	if other != nil {
		t.remark("left out: %s", strings.Join(other[:min(len(other), 10)], ", "))
	}
	if s.project != "" || s.named {
		for _, variable := range t.variables {
			if value, _ := p.place.Env(variable); value != "" && secret.Looks(variable, value) {
				t.remark("it is given what you have in %s: look whether it should", variable)
			}
		}
	}
	return planned, t.remarks, nil
}

// taker makes an entry of one server.
type taker struct {
	*Plan
	source    Source
	server    string // its name here
	variables []string
	remarks   []string
}

func (t *taker) remark(format string, args ...any) {
	t.remarks = append(t.remarks, fmt.Sprintf(format, args...))
}

func (t *taker) take(e entry) edit.Server {
	s := edit.Server{
		Name: t.server, Note: "from " + t.source.program.name,
		Disabled: e.Disabled || e.Enabled != nil && !*e.Enabled,
		Startup:  seconds(e.Startup), Tool: seconds(e.Tool),
		EnabledTools: slices.Concat(e.EnabledTools, e.IncludeTools), DisabledTools: slices.Concat(e.DisabledTools, e.ExcludeTools),
	}
	if t.source.project != "" {
		s.Note += " in " + Place{Home: t.place.Home}.Short(t.source.project)
	}
	if address := e.URL + e.HTTPURL + e.ServerURL; address != "" {
		s.URL = t.value("", t.own("url"), address)
		isSSE := strings.EqualFold(e.Type+e.Transport, "sse") || strings.HasSuffix(address, "/sse")
		if isSSE || t.source.program.sse && e.URL != "" && e.Type == "" {
			s.Transport = "sse"
		}
		t.headers(&s, e)
	}
	if command := slices.Concat(e.Command, e.Args); len(e.Command) > 0 && command[0] != "" {
		t.command(&s, e, command)
	}
	return s
}

// seconds is a time within the bounds of the configuration.
func seconds(n float64) time.Duration {
	if n <= 0 {
		return 0
	}
	return time.Duration(min(max(n, 0.1), 3600) * float64(time.Second))
}

func (t *taker) command(s *edit.Server, e entry, command words) {
	s.Env = map[string]string{}
	for _, name := range slices.Sorted(maps.Keys(e.Env)) {
		s.Env[name] = t.value(name, name, string(e.Env[name]))
	}
	for _, name := range e.EnvVars {
		if name := string(name); edit.IsVariable(name) && !secret.NoName(name) {
			s.EnvVars = append(s.EnvVars, name)
		}
	}
	t.variables = append(t.variables, s.EnvVars...)
	s.Command = t.value("", t.server, string(command[0]))
	var args []string
	for _, arg := range command[1:] {
		args = append(args, string(arg))
	}
	for i, arg := range args {
		name, value := secret.Argument(args, i)
		s.Args = append(s.Args, arg[:len(arg)-len(value)]+t.value(name, t.own(name), value))
	}
	switch {
	case t.source.project != "" && !filepath.IsAbs(e.Cwd) && !strings.HasPrefix(e.Cwd, "$"):
		s.Cwd = filepath.Join(t.source.project, e.Cwd) // the paths of a project begin there
	default:
		s.Cwd = t.value("", t.server, e.Cwd)
	}
}

func (t *taker) headers(s *edit.Server, e entry) {
	s.Headers = map[string]string{}
	for _, headers := range []map[string]word{e.Headers, e.HTTPHeaders} {
		for _, name := range slices.Sorted(maps.Keys(headers)) {
			s.Headers[name] = t.value(name, t.own(name), string(headers[name]))
		}
	}
	for name, variable := range e.EnvHTTPHeaders {
		if edit.IsVariable(string(variable)) && !secret.NoName(string(variable)) {
			s.Headers[name] = t.use(string(variable))
		}
	}
	switch {
	case edit.IsVariable(e.BearerEnv) && !secret.NoName(e.BearerEnv):
		t.use(e.BearerEnv)
		s.BearerEnv = e.BearerEnv
	case e.BearerEnv != "":
		t.remark("its bearer_token_env_var is not the name of a variable: write one")
	}
}

// use notes a variable that the server needs.
func (t *taker) use(variable string) string {
	if !slices.Contains(t.variables, variable) {
		t.variables = append(t.variables, variable)
	}
	return "${" + variable + "}"
}

// placeholder is what is filled in where a value is used.
var placeholder = regexp.MustCompile(`\$\{([^}]*)\}|\$([A-Za-z_]\w*)`)

// defaulted is a variable as aloud writes it, too, perhaps with a default.
var defaulted = regexp.MustCompile(`^(?:env:(\w+)|([A-Z_][A-Z0-9_]*))(:-[^$]*)?$`)

// value is a text of the file as aloud writes it, with variables in the place of secrets. called is its name, and key the
// name of a variable for it.
func (t *taker) value(called, key, text string) string {
	if t.source.program.dollar && strings.Contains(text, "$(") {
		t.remark("a value is the output of a command, which is not run: write the value yourself")
	}
	text = placeholder.ReplaceAllStringFunc(text, func(found string) string {
		parts := placeholder.FindStringSubmatch(found)
		if parts[2] != "" {
			if t.source.program.dollar {
				return t.use(parts[2])
			}
			return found
		}
		inside := parts[1]
		input, isInput := strings.CutPrefix(inside, "input:")
		switch {
		case isInput:
			return t.use(t.own(input))
		case inside == "workspaceFolder" && t.source.project != "":
			return t.source.project
		case inside == "workspaceFolder":
			return "."
		case inside == "userHome":
			return t.place.Home
		}
		if variable := defaulted.FindStringSubmatch(inside); variable != nil {
			name, fallback := variable[1]+variable[2], strings.TrimPrefix(variable[3], ":-")
			switch {
			case variable[3] == "":
				return t.use(name)
			case secret.Looks(name, fallback):
				return t.hold(name, fallback)
			}
			return "${" + name + variable[3] + "}"
		}
		t.remark("what ${%s} stands for is not known here", inside)
		return "$" + found
	})
	scheme, token, two := strings.Cut(text, " ")
	if !two || !strings.EqualFold(scheme, "bearer") && !strings.EqualFold(scheme, "basic") {
		scheme, token = "", text
	} else {
		scheme += " "
	}
	if secret.IsWhole(called, token) {
		return scheme + t.hold(key, token)
	}
	return secret.Replace(text, func(part string) string { return t.hold(key+"_secret", part) })
}

// hold makes a variable for a secret. It has the name of the key, with the server's in front if that has another value.
func (t *taker) hold(key, value string) string {
	name := variableName(key)
	for n := 1; ; n++ {
		held, isHeld := t.held[name]
		set, _ := t.place.Env(name)
		if isHeld && held == value || !isHeld && (set == "" || set == value) {
			t.held[name] = value
			return t.use(name)
		}
		name = t.own(key)
		if n > 1 {
			name = fmt.Sprintf("%s_%d", name, n)
		}
	}
}

// own is the name of a variable that begins with the server's.
func (t *taker) own(key string) string {
	if name := variableName(key); strings.HasPrefix(name, variableName(t.server)+"_") {
		return name
	}
	return variableName(t.server + "_" + key)
}

var noVariable = regexp.MustCompile(`[^A-Z0-9]+`)

// variableName makes the name of a variable: "github-token" becomes GITHUB_TOKEN.
func variableName(words string) string {
	name := strings.Trim(noVariable.ReplaceAllString(strings.ToUpper(words), "_"), "_")
	if name == "" || name[0] < 'A' {
		name = "MCP_" + name
	}
	return strings.TrimRight(name[:min(len(name), 64)], "_")
}

// Show says what was found, what would be written, what was left out, and which variables to set.
func (p *Plan) Show(w io.Writer) {
	if len(p.found) == 0 {
		fmt.Fprintf(w, "No MCP servers of other programs were found. These are known: %s.\n", strings.Join(Programs(), ", "))
		fmt.Fprintln(w, "Name a file to read another one: aloud mcp import ./mcp.json")
		return
	}
	fmt.Fprintln(w, strings.Join(p.found, "\n"))
	if len(p.Servers) == 0 {
		fmt.Fprintln(w, "There is nothing to add.")
	}
	for _, strange := range []bool{false, true} {
		title := "\nTo be added to " + p.place.Short(p.config.Path) + ":\n"
		if strange {
			title = "\nOf the project in this folder, which somebody else may have written; each is asked for:\n"
		}
		for _, s := range p.Servers {
			if s.Strange == strange {
				fmt.Fprint(w, title+"\n"+sanitize.Text(s.String()))
				title = ""
			}
		}
	}
	if p.notes != nil {
		fmt.Fprintln(w, "\nLeft out or changed:\n  "+strings.Join(p.notes, "\n  "))
	}
	p.showVariables(w)
	for _, s := range p.Servers {
		if warning := p.config.Allowed(s.Name); warning != "" {
			fmt.Fprintln(w, warning)
		}
	}
}

func (p *Plan) showVariables(w io.Writer) {
	users := map[string][]string{}
	for _, s := range p.Servers {
		for _, variable := range s.variables {
			if value, _ := p.place.Env(variable); value == "" {
				users[variable] = append(users[variable], s.Name)
			}
		}
	}
	if len(users) == 0 {
		return
	}
	fmt.Fprintln(w, "\nSet these variables where you start aloud. The secrets are in the files above:")
	for _, name := range slices.Sorted(maps.Keys(users)) {
		format := "  export %s=…  # %s\n"
		if p.place.GOOS == "windows" {
			format = "  $env:%s = …  # %s\n"
		}
		fmt.Fprintf(w, format, name, strings.Join(users[name], ", "))
	}
}
