// Package importer reads the MCP servers of other programs and plans how to add them to the configuration file.
//
// It starts no server and runs no command. The files may be hostile: it limits their size, replaces secrets with
// variables and sanitizes what it shows.
package importer

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"maps"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/aloudchat/aloud/config"
	"github.com/aloudchat/aloud/internal/quantity"
	"github.com/aloudchat/aloud/internal/sanitize"
	"github.com/aloudchat/aloud/internal/secret"
)

// Plan lists the servers to add and notes about them.
type Plan struct {
	Servers     []config.Server
	environment Environment
	config      *config.Config
	names       map[string]string   // name of a server → the name that it had
	secrets     map[string]string   // variable → secret that it replaces
	users       map[string][]string // variable that is not set → servers that need it
	found       []string            // a line per file
	notes       []string            // servers and keys that were skipped or changed
}

// NewPlan returns a plan to add the servers that are not configured yet. Of two with the same name in different files
// it takes the first.
func NewPlan(cfg *config.Config, place Environment, sources []Source) *Plan {
	p := &Plan{environment: place, config: cfg, names: map[string]string{}, secrets: map[string]string{},
		users: map[string][]string{}}
	for _, s := range sources {
		p.take(s)
	}
	return p
}

func (p *Plan) note(name, format string, args ...any) {
	p.notes = append(p.notes, sanitize.Line(name+": "+fmt.Sprintf(format, args...)))
}

func (p *Plan) take(s Source) {
	file := p.environment.Short(s.file)
	line := sanitize.Line(s.program.name) + ", " + file + ": "
	if s.err != nil {
		p.found = append(p.found, line+"left out")
		p.note(file, "%v", s.err)
		return
	}
	line += quantity.Plural(len(s.servers), "server")
	skipped := map[string][]string{}
	for _, name := range slices.Sorted(maps.Keys(s.servers)) {
		reason, err := p.add(s, name)
		switch {
		case err != nil:
			p.note(name, "left out: %v", err)
		case reason != "":
			skipped[reason] = append(skipped[reason], sanitize.Line(name))
		}
	}
	for _, reason := range slices.Sorted(maps.Keys(skipped)) {
		line += ", " + reason + ": " + strings.Join(skipped[reason], ", ")
	}
	p.found = append(p.found, line)
}

// add adds a server to the plan, under another name if its own is taken. It returns why it skipped the server, or "".
func (p *Plan) add(s Source, name string) (reason string, err error) {
	written, isTable := s.servers[name].(map[string]any)
	if !isTable {
		return "", errors.New("not a table")
	}
	first := validName(name, 1)
	for n := 1; ; n++ {
		called := validName(name, n)
		if planned, taken := p.names[called]; taken && planned == name {
			return "also in a file above", nil
		} else if taken {
			continue
		}
		i := slices.IndexFunc(p.config.Servers, func(s config.Server) bool { return s.Name == called })
		isTaken := i >= 0
		if isTaken && p.config.Servers[i].Builtin != "" {
			continue
		}
		trial := *p // it may turn out to be another server than the one with the name
		trial.secrets, trial.users = maps.Clone(p.secrets), maps.Clone(p.users)
		server, err := trial.convert(s, entry(maps.Clone(written)), called)
		switch {
		case isTaken && (called == name || err == nil && isSame(server, p.config.Servers[i])):
			return "already configured", nil
		case isTaken:
			continue
		case err != nil:
			return "", err
		}
		*p = trial
		p.names[called] = name
		if n > 1 {
			p.note(name, "added as %q, because %q is taken", called, first)
		} else if called != name {
			p.note(name, "added as %q", called)
		}
		return "", nil
	}
}

// isSame reports whether two loaded servers run or reach the same.
func isSame(a, b config.Server) bool {
	return a.Command == b.Command && slices.Equal(a.Args, b.Args) && a.URL == b.URL
}

// convert adds an entry to the plan as a server with this name. It returns the server as it loads, or what is wrong
// with it.
func (p *Plan) convert(s Source, e entry, called string) (config.Server, error) {
	t := &converter{Plan: p, source: s, server: called}
	server := t.take(e)
	loaded, err := server.Loaded(p.environment.Env)
	if err != nil {
		return loaded, err
	}
	if rest := e.rest(); rest != nil {
		t.remark("ignored %s", strings.Join(rest[:min(len(rest), 10)], ", "))
	}
	for _, variable := range t.variables {
		value, _ := p.environment.Env(variable)
		if value == "" {
			p.users[variable] = append(slices.Clip(p.users[variable]), t.server)
		} else if s.named && secret.Looks(variable, value) {
			t.remark("it gets the value of your %s. Check that you want this", variable)
		}
	}
	p.Servers = append(p.Servers, server)
	return loaded, nil
}

// converter turns an entry into a server.
type converter struct {
	*Plan
	source    Source
	server    string // its name in the plan
	variables []string
}

func (t *converter) remark(format string, args ...any) { t.note(t.server, format, args...) }

func (t *converter) take(e entry) config.Server {
	s := config.NewServer(t.server)
	s.Note = "from " + t.source.program.name
	if t.source.project != "" {
		s.Note += " in " + t.environment.Short(t.source.project)
	}
	s.Enabled = e.take("disabled") != true && e.take("enabled") != false
	s.EnabledTools = e.texts("enabled_tools", "includeTools")
	s.DisabledTools = e.texts("disabled_tools", "excludeTools")
	t.command(&s, e)
	t.address(&s, e)
	return s
}

func (t *converter) command(s *config.Server, e entry) {
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
		if config.IsVariable(name) {
			s.EnvVars = append(s.EnvVars, name)
			t.use(name)
		}
	}
	s.Command = t.value("", t.server, command[0])
	for i, arg := range command[1:] {
		name, value := secret.Argument(command[1:], i)
		s.Args = append(s.Args, arg[:len(arg)-len(value)]+t.value(name, t.ownVariable(name), value))
	}
	s.Cwd = t.value("", t.server, cwd)
	if t.source.project != "" && !filepath.IsAbs(s.Cwd) && !strings.HasPrefix(s.Cwd, "$") {
		s.Cwd = filepath.Join(t.source.project, s.Cwd) // paths of a project are relative to it
	}
}

func (t *converter) address(s *config.Server, e entry) {
	kind, hasURL := e.text("type", "transport"), e["url"] != nil
	address, headers := e.text("url", "httpUrl", "serverUrl"), e.pairs("headers")
	maps.Copy(headers, e.pairs("http_headers"))
	variables, bearer := e.pairs("env_http_headers"), e.text("bearer_token_env_var")
	if address == "" {
		return
	}
	s.URL = t.value("", t.ownVariable("url"), address)
	isSSE := t.source.program.sse && hasURL && kind == ""
	if isSSE || strings.EqualFold(kind, "sse") || strings.HasSuffix(address, "/sse") {
		s.Transport = "sse"
	}
	for _, name := range slices.Sorted(maps.Keys(headers)) {
		headers[name] = t.value(name, t.ownVariable(name), headers[name])
	}
	for name, variable := range variables {
		if config.IsVariable(variable) {
			headers[name] = t.use(variable)
		}
	}
	s.Headers = headers
	if config.IsVariable(bearer) {
		t.use(bearer)
		s.BearerEnv = bearer
	} else if bearer != "" {
		t.remark("bearer_token_env_var is not the name of a variable. Set it by hand")
	}
}

// use notes a variable that the server needs and returns a reference to it.
func (t *converter) use(variable string) string {
	if !slices.Contains(t.variables, variable) {
		t.variables = append(t.variables, variable)
	}
	return "${" + variable + "}"
}

var (
	// placeholder matches references to variables and inputs.
	placeholder = sanitize.Pattern(`\$\{([^}]*)\}|\$([A-Za-z_]\w*)`)
	// defaulted matches the name of a variable, with an optional default.
	defaulted = sanitize.Pattern(`^(?:env:(\w+)|([A-Z_][A-Z0-9_]*))(:-[^$]*)?$`)
)

// value converts a value to the syntax of aloud, with variables instead of secrets. called is the name of the value,
// and key is used to name a variable for it.
func (t *converter) value(called, key, text string) string {
	if t.source.program.dollar && strings.Contains(text, "$(") {
		t.remark("a value is a command, which was not run. Set the value by hand")
	}
	text = placeholder().ReplaceAllStringFunc(text, t.placeholder)
	scheme, token, _ := strings.Cut(text, " ")
	if strings.EqualFold(scheme, "bearer") || strings.EqualFold(scheme, "basic") {
		scheme += " "
	} else {
		scheme, token = "", text
	}
	if secret.IsWhole(called, token) {
		return scheme + t.variableFor(key, token)
	}
	return secret.Replace(text, func(part string) string { return t.variableFor(key+"_secret", part) })
}

// placeholder converts a placeholder to the syntax of aloud.
func (t *converter) placeholder(found string) string {
	parts := placeholder().FindStringSubmatch(found)
	inside, bare := parts[1], parts[2]
	input, isInput := strings.CutPrefix(inside, "input:")
	switch {
	case bare != "" && t.source.program.dollar:
		return t.use(bare)
	case bare != "":
		return found
	case isInput:
		return t.use(t.ownVariable(input))
	case inside == "workspaceFolder":
		return cmp.Or(t.source.project, ".")
	case inside == "userHome":
		return t.environment.Home
	}
	if variable := defaulted().FindStringSubmatch(inside); variable != nil {
		name, fallback := variable[1]+variable[2], strings.TrimPrefix(variable[3], ":-")
		switch {
		case variable[3] == "":
			return t.use(name)
		case secret.Looks(name, fallback):
			return t.variableFor(name, fallback)
		}
		return "${" + name + variable[3] + "}"
	}
	t.remark("unknown placeholder ${%s}", inside)
	return "$" + found
}

// variableFor returns a reference to a variable for a secret. If the variable named by key has another value, the
// name of the server is added to it.
func (t *converter) variableFor(key, value string) string {
	name := variableName(key)
	for n := 1; ; n++ {
		held, isHeld := t.secrets[name]
		set, _ := t.environment.Env(name)
		if isHeld && held == value || !isHeld && (set == "" || set == value) {
			t.secrets[name] = value
			return t.use(name)
		}
		if name = t.ownVariable(key); n > 1 {
			name = fmt.Sprintf("%s_%d", name, n)
		}
	}
}

// ownVariable returns the name of a variable that starts with the name of the server.
func (t *converter) ownVariable(key string) string {
	if name := variableName(key); strings.HasPrefix(name, variableName(t.server)+"_") {
		return name
	}
	return variableName(t.server + "_" + key)
}

var (
	noVariable = sanitize.Pattern(`[^A-Z0-9]+`)
	noName     = sanitize.Pattern(`[^\p{L}\p{M}\p{Nd}_]+`)
)

// variableName returns the name of a variable for words: GITHUB_TOKEN for "github-token".
func variableName(words string) string {
	name := strings.Trim(noVariable().ReplaceAllString(strings.ToUpper(words), "_"), "_")
	if name == "" || name[0] < 'A' {
		name = "MCP_" + name
	}
	return strings.TrimRight(name[:min(len(name), 64)], "_")
}

// validName returns the nth valid name for a server. Of a registry name like io.github.someone/server, it keeps the
// last part.
func validName(name string, n int) string {
	name = strings.Trim(noName().ReplaceAllString(path.Base(sanitize.Line(name)), "-"), "-")
	suffix := ""
	if n > 1 {
		suffix = fmt.Sprintf("-%d", n)
	}
	letters := []rune(cmp.Or(name, "server"))
	return strings.TrimRight(string(letters[:min(len(letters), config.LongestName-len(suffix))]), "-") + suffix
}

// Show prints the files found, the tables to add, the notes and the variables to set.
func (p *Plan) Show(w io.Writer) {
	if len(p.found) == 0 {
		fmt.Fprintf(w, "No MCP servers found. aloud reads the files of %s.\n", strings.Join(Programs(), ", "))
		fmt.Fprintln(w, "To import another file, name it: aloud mcp import ./mcp.json")
		return
	}
	fmt.Fprintln(w, strings.Join(p.found, "\n"))
	if len(p.Servers) == 0 {
		fmt.Fprintln(w, "Nothing to add")
	} else {
		fmt.Fprintf(w, "\nTo add to %s:\n", p.environment.Short(p.config.Path))
	}
	for _, s := range p.Servers {
		fmt.Fprint(w, "\n"+sanitize.Text(s.Table()))
	}
	if p.notes != nil {
		fmt.Fprintln(w, "\nLeft out or changed:\n  "+strings.Join(p.notes, "\n  "))
	}
	if len(p.users) > 0 {
		fmt.Fprintln(w, "\nSet these environment variables. Their values are in the files above:")
	}
	for _, name := range slices.Sorted(maps.Keys(p.users)) {
		fmt.Fprintf(w, "  %s  # %s\n", name, strings.Join(p.users[name], ", "))
	}
	for _, s := range p.Servers {
		fmt.Fprint(w, p.config.Allowed(s.Name))
	}
}
