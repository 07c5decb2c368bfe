package config

import (
	"slices"
	"strconv"
	"time"
)

// LoadOptions says where to look.
type LoadOptions struct {
	Path  string                      // from --config; "": ALOUD_CONFIG, else the default place
	Env   func(string) (string, bool) // os.LookupEnv
	Flags Flags
}

// Flags are the options of the command line that override the file. A nil pointer was not given.
type Flags struct {
	Model, Provider, System, Think *string
	Host                           *string // of the server in use, whatever its type
	MaxIterations                  *string // a whole number or "auto"
	MaxErrors                      *int
	MaxTime                        *time.Duration
	Demo                           bool // the demo model
	Yes                            bool // approval mode "all"; what the file denies stays denied
	NoTools                        bool // no servers at all
}

// Load reads the file, if there is one, and puts environment and flags over it. A file that was asked for by name must exist.
// The error joins up to ten *Error, one sentence a line.
func Load(o LoadOptions) (*Config, error) {
	l := &loader{env: o.Env, config: defaults()}
	file, err := l.open(o.Path)
	if err != nil {
		return nil, err
	}
	return loadDocument(file, l.config.Path, o.Env, o.Flags)
}

// Check reports the mistakes in the text of a file at path, as Load would.
func Check(path string, text []byte, env func(string) (string, bool)) error {
	file, err := parse(path, text)
	if err == nil {
		_, err = loadDocument(file, path, env, Flags{})
	}
	return err
}

// loadDocument is Load with a file that is parsed already.
func loadDocument(file *document, path string, env func(string) (string, bool), flags Flags) (*Config, error) {
	l := &loader{env: env, config: defaults()}
	l.config.Path = path
	l.names = providerNames(file)
	l.read(file)
	providers := l.providers()
	l.config.Servers = l.servers()
	l.unknown()
	l.read(environment(env))
	l.read(commandLine(flags))
	l.choose(providers, flags.Host)
	if flags.Demo && flags.Provider != nil && *flags.Provider != TypeDemo {
		l.mistakes = append(l.mistakes, &Error{Key: "--provider", Text: "--demo and --provider name two providers; leave one of them out"})
	}
	if len(l.mistakes) > 0 {
		return nil, join(l.mistakes)
	}
	if flags.NoTools {
		l.config.Servers = nil
		l.config.settings = slices.DeleteFunc(l.config.settings, func(s setting) bool { return s.path[0] == "mcp_servers" })
	}
	return l.config, nil
}

// loader collects the configuration and its mistakes from one document after the other.
type loader struct {
	env      func(string) (string, bool)
	config   *Config
	doc      *document
	tables   []*table // of doc
	top      *table   // of doc, without a header
	names    []string // that "provider" may be
	mistakes []*Error
}

func (l *loader) mistake(path []string, format string, args ...any) {
	l.mistakes = append(l.mistakes, l.doc.mistake(path, format, args...))
}

// read takes over what a document sets.
func (l *loader) read(doc *document) {
	c := l.config
	l.doc, l.tables = doc, nil

	top := l.table()
	l.top = top
	top.text("model", &c.Model)
	top.address("host", hostURL, &c.Host)
	top.choice("provider", &c.Provider, l.names...)
	top.text("system", &c.System)
	top.prompt("system_prompt", &c.NoPrompt)
	top.choice("think", &c.Think, "auto", "on", "off")
	top.wholeOrAuto("context", &c.Context, contextSpan, 0)

	limits := l.table("limits")
	limits.wholeOrAuto("iterations", &c.Limits.Iterations, span[int]{1, 1000}, AutoIterations)
	limits.whole("consecutive_errors", &c.Limits.ConsecutiveErrors, span[int]{1, 100})
	limits.duration("total_time", &c.Limits.TotalTime, span[time.Duration]{time.Second, 24 * time.Hour})
	limits.duration("tool_time", &c.Limits.ToolTime, span[time.Duration]{100 * time.Millisecond, 24 * time.Hour})
	limits.duration("silence", &c.Limits.Silence, span[time.Duration]{5 * time.Second, time.Hour})
	limits.wholeOrNone("thinking_tokens", &c.Limits.ThinkingTokens, span[int]{256, 1_000_000})

	status := l.table("status")
	status.choice("style", &c.Status.Style, "sentence", "name")
	status.text("model", &c.Status.Model)
	status.choice("motion", &c.Status.Motion, "full", "reduced", "none")
	status.truth("title", &c.Status.Title)
	status.truth("taskbar", &c.Status.Taskbar)
	status.truth("notify", &c.Status.Notify)

	approval := l.table("approval")
	approval.choice("mode", &c.Approval.Mode, "auto", "ask", "all")
	approval.globs("allow", &c.Approval.Allow)
	approval.globs("deny", &c.Approval.Deny)
}

// contextSpan is what a context may have, in tokens.
var contextSpan = span[int]{512, 16 << 20}

// prompt reads whether aloud's own system prompt is sent.
func (t *table) prompt(key string, none *bool) {
	word := map[bool]string{false: "default", true: "none"}[*none]
	t.choice(key, &word, "default", "none")
	*none = word == "none"
}

// environment is the document of the variables that override the file.
func environment(env func(string) (string, bool)) *document {
	d := &document{source: "environment", values: map[string]any{}, names: map[string]string{}}
	for key, name := range map[string]string{"model": "ALOUD_MODEL", "host": "OLLAMA_HOST", "provider": "ALOUD_PROVIDER"} {
		if v, _ := env(name); v != "" {
			d.values[key], d.names[key] = v, name
		}
	}
	return d
}

// commandLine is the document of the flags.
func commandLine(f Flags) *document {
	limits, approval := map[string]any{}, map[string]any{}
	d := &document{source: "flag", values: map[string]any{"limits": limits, "approval": approval}}
	d.names = map[string]string{
		"model": "--model", "provider": "--provider", "system": "--system", "think": "--think", "approval.mode": "--yes",
		"limits.iterations": "--max-iterations", "limits.consecutive_errors": "--max-errors", "limits.total_time": "--max-time",
	}
	for key, v := range map[string]*string{"model": f.Model, "provider": f.Provider, "system": f.System, "think": f.Think} {
		if v != nil {
			d.values[key] = *v
		}
	}
	if f.MaxIterations != nil {
		limits["iterations"] = number(*f.MaxIterations)
	}
	if f.MaxErrors != nil {
		limits["consecutive_errors"] = int64(*f.MaxErrors)
	}
	if f.MaxTime != nil {
		limits["total_time"] = f.MaxTime.String()
	}
	if f.Demo {
		d.values["provider"], d.names["provider"] = "demo", "--demo"
	}
	if f.Yes {
		approval["mode"] = "all"
	}
	return d
}

// number is a word of the command line as it would stand in a file: without quotes when it is a number.
func number(word string) any {
	if n, err := strconv.ParseInt(word, 10, 64); err == nil {
		return n
	}
	return word
}
