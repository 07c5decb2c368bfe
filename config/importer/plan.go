// Package importer reads which MCP servers other programs have, and plans how they come into the configuration file.
//
// It starts no server and runs no command. The files may be hostile: their size is bounded, secrets in them become
// variables, and what is shown of them is sanitized.
package importer

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"maps"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/aloudchat/aloud/config"
	"github.com/aloudchat/aloud/quantity"
	"github.com/aloudchat/aloud/sanitize"
	"github.com/aloudchat/aloud/secret"
)

// Plan is what is to be added to the configuration, and what there is to say about it.
type Plan struct {
	Servers []config.Server
	place   Place
	config  *config.Config
	held    map[string]string   // the variables that secrets became, with their values
	users   map[string][]string // the variables that servers need, with their names
	found   []string            // a line for each file
	notes   []string            // what was left out or changed
}

// NewPlan plans to add the servers that are not configured yet. Of two with the same name it takes the first.
func NewPlan(cfg *config.Config, place Place, sources []Source) *Plan {
	p := &Plan{place: place, config: cfg, held: map[string]string{}, users: map[string][]string{}}
	for _, s := range sources {
		p.take(s)
	}
	return p
}

// note adds what there is to say about a server.
func (p *Plan) note(name, format string, args ...any) {
	p.notes = append(p.notes, sanitize.Line(name+": "+fmt.Sprintf(format, args...)))
}

func (p *Plan) take(s Source) {
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
		added, err := p.add(s, name)
		switch {
		case err != nil:
			p.note(name, "left out, %v", err)
		case !added:
			there = append(there, sanitize.Line(name))
		}
	}
	if there != nil {
		line += ", there already: " + strings.Join(there, ", ")
	}
	p.found = append(p.found, line)
}

// has reports whether a server of that name is configured or planned.
func (p *Plan) has(name string) bool {
	return slices.ContainsFunc(slices.Concat(p.config.Servers, p.Servers), func(s config.Server) bool { return s.Name == name })
}

// add plans for one server. It returns false if that is there already.
func (p *Plan) add(s Source, name string) (bool, error) {
	written, isTable := s.servers[name].(map[string]any)
	if !isTable {
		return false, errors.New("it is no table")
	}
	t := &taker{Plan: p, source: s, server: validName(name)}
	if p.has(t.server) {
		return false, nil
	}
	e := entry(maps.Clone(written))
	server := t.take(e)
	if err := server.Check(p.place.Env); err != nil {
		return false, err
	}
	if rest := e.rest(); rest != nil {
		t.remark("left out: %s", strings.Join(rest[:min(len(rest), 10)], ", "))
	}
	for _, variable := range t.variables {
		value, _ := p.place.Env(variable)
		if value == "" {
			p.users[variable] = append(p.users[variable], t.server)
		} else if s.named && secret.Looks(variable, value) {
			t.remark("it is given what you have in %s: look whether it should", variable)
		}
	}
	p.Servers = append(p.Servers, server)
	return true, nil
}

// taker makes a server of an entry.
type taker struct {
	*Plan
	source    Source
	server    string // its name here
	variables []string
}

func (t *taker) remark(format string, args ...any) { t.note(t.server, format, args...) }

func (t *taker) take(e entry) config.Server {
	s := config.NewServer(t.server)
	s.Note = "from " + t.source.program.name
	if t.source.project != "" {
		s.Note += " in " + t.place.Short(t.source.project)
	}
	s.Enabled = e.take("disabled") != true && e.take("enabled") != false
	s.EnabledTools = e.texts("enabled_tools", "includeTools")
	s.DisabledTools = e.texts("disabled_tools", "excludeTools")
	t.command(&s, e)
	t.address(&s, e)
	return s
}

func (t *taker) command(s *config.Server, e entry) {
	env, cwd, envVars := e.pairs("env"), e.text("cwd"), e.texts("env_vars")
	command := slices.Concat(e.texts("command"), e.texts("args"))
	if len(command) == 0 || command[0] == "" {
		return
	}
	for _, name := range slices.Sorted(maps.Keys(env)) {
		env[name] = t.value(name, name, env[name])
	}
	s.Env = env
	for _, name := range envVars {
		if isVariable(name) {
			s.EnvVars = append(s.EnvVars, name)
			t.use(name)
		}
	}
	s.Command = t.value("", t.server, command[0])
	for i, arg := range command[1:] {
		name, value := secret.Argument(command[1:], i)
		s.Args = append(s.Args, arg[:len(arg)-len(value)]+t.value(name, t.own(name), value))
	}
	s.Cwd = t.value("", t.server, cwd)
	if t.source.project != "" && !filepath.IsAbs(s.Cwd) && !strings.HasPrefix(s.Cwd, "$") {
		s.Cwd = filepath.Join(t.source.project, s.Cwd) // the paths of a project begin there
	}
}

func (t *taker) address(s *config.Server, e entry) {
	kind, hasURL := e.text("type", "transport"), e["url"] != nil
	address, headers := e.text("url", "httpUrl", "serverUrl"), e.pairs("headers")
	maps.Copy(headers, e.pairs("http_headers"))
	variables, bearer := e.pairs("env_http_headers"), e.text("bearer_token_env_var")
	if address == "" {
		return
	}
	s.URL = t.value("", t.own("url"), address)
	if strings.EqualFold(kind, "sse") || strings.HasSuffix(address, "/sse") || t.source.program.sse && hasURL && kind == "" {
		s.Transport = "sse"
	}
	for _, name := range slices.Sorted(maps.Keys(headers)) {
		headers[name] = t.value(name, t.own(name), headers[name])
	}
	for name, variable := range variables {
		if isVariable(variable) {
			headers[name] = t.use(variable)
		}
	}
	s.Headers = headers
	if isVariable(bearer) {
		t.use(bearer)
		s.BearerEnv = bearer
	} else if bearer != "" {
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

var (
	// placeholder is what is filled in where a value is used.
	placeholder = regexp.MustCompile(`\$\{([^}]*)\}|\$([A-Za-z_]\w*)`)
	// defaulted is a variable as aloud writes it, too, perhaps with a default.
	defaulted = regexp.MustCompile(`^(?:env:(\w+)|([A-Z_][A-Z0-9_]*))(:-[^$]*)?$`)
)

// value is a text of the file as aloud writes it, with variables in the place of secrets. called is its name, and key
// the name of a variable for it.
func (t *taker) value(called, key, text string) string {
	if t.source.program.dollar && strings.Contains(text, "$(") {
		t.remark("a value is the output of a command, which is not run: write the value yourself")
	}
	text = placeholder.ReplaceAllStringFunc(text, t.placeholder)
	scheme, token, _ := strings.Cut(text, " ")
	if strings.EqualFold(scheme, "bearer") || strings.EqualFold(scheme, "basic") {
		scheme += " "
	} else {
		scheme, token = "", text
	}
	if secret.IsWhole(called, token) {
		return scheme + t.hold(key, token)
	}
	return secret.Replace(text, func(part string) string { return t.hold(key+"_secret", part) })
}

// placeholder returns what stands for a placeholder in aloud's configuration.
func (t *taker) placeholder(found string) string {
	parts := placeholder.FindStringSubmatch(found)
	inside, bare := parts[1], parts[2]
	input, isInput := strings.CutPrefix(inside, "input:")
	switch {
	case bare != "" && t.source.program.dollar:
		return t.use(bare)
	case bare != "":
		return found
	case isInput:
		return t.use(t.own(input))
	case inside == "workspaceFolder":
		return cmp.Or(t.source.project, ".")
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
		if name = t.own(key); n > 1 {
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

var (
	noVariable = regexp.MustCompile(`[^A-Z0-9]+`)
	noName     = regexp.MustCompile(`[^A-Za-z0-9_]+`)
	variable   = regexp.MustCompile(`^[A-Za-z_]\w*$`)
)

// variableName makes the name of a variable: "github-token" becomes GITHUB_TOKEN.
func variableName(words string) string {
	name := strings.Trim(noVariable.ReplaceAllString(strings.ToUpper(words), "_"), "_")
	if name == "" || name[0] < 'A' {
		name = "MCP_" + name
	}
	return strings.TrimRight(name[:min(len(name), 64)], "_")
}

// isVariable reports whether s can be the name of a variable, and is not a secret in its place.
func isVariable(s string) bool { return variable.MatchString(s) && !secret.NoName(s) }

// validName makes a name for a server of what another program calls it. Of a name in a catalogue,
// io.github.someone/server, the last part is enough.
func validName(name string) string {
	name = strings.Trim(noName.ReplaceAllString(path.Base(name), "-"), "-")
	return cmp.Or(strings.TrimRight(name[:min(len(name), config.LongestName)], "-"), "server")
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
	} else {
		fmt.Fprintf(w, "\nTo be added to %s:\n", p.place.Short(p.config.Path))
	}
	for _, s := range p.Servers {
		fmt.Fprint(w, "\n"+sanitize.Text(s.Table()))
	}
	if p.notes != nil {
		fmt.Fprintln(w, "\nLeft out or changed:\n  "+strings.Join(p.notes, "\n  "))
	}
	if len(p.users) > 0 {
		fmt.Fprintln(w, "\nSet these variables where you start aloud. The secrets are in the files above:")
	}
	for _, name := range slices.Sorted(maps.Keys(p.users)) {
		fmt.Fprintf(w, "  %s  # %s\n", name, strings.Join(p.users[name], ", "))
	}
	for _, s := range p.Servers {
		fmt.Fprint(w, p.config.Allowed(s.Name))
	}
}
