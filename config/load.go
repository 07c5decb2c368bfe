package config

import "time"

// LoadOptions says where to look.
type LoadOptions struct {
	Path  string                      // from --config; "": ALOUD_CONFIG, else the default place
	Env   func(string) (string, bool) // os.LookupEnv
	Flags Flags
}

// Flags are the options of the command line that override the file. A nil pointer was not given.
type Flags struct {
	Model, Host, System, Think *string
	MaxIterations, MaxErrors   *int
	MaxTime                    *time.Duration
	Demo                       bool // the demo model
	Yes                        bool // approval mode "all"; what the file denies stays denied
	NoTools                    bool // no servers at all
}

// Load reads the file, if there is one, and puts environment and flags over it. A file that was asked for by name must exist.
// The error joins up to ten *Error, one sentence a line.
func Load(o LoadOptions) (*Config, error) {
	l := &loader{env: o.Env, config: defaults()}
	file, err := l.open(o.Path)
	if err != nil {
		return nil, err
	}
	l.read(file)
	l.config.Servers = l.servers()
	l.unknown()
	l.read(environment(o.Env))
	l.read(commandLine(o.Flags))
	if len(l.mistakes) > 0 {
		return nil, join(l.mistakes)
	}
	if o.Flags.NoTools {
		l.config.Servers = nil
	}
	return l.config, nil
}

// loader collects the configuration, and the mistakes found on the way, from one document after the other.
type loader struct {
	env      func(string) (string, bool)
	config   *Config
	doc      *document
	tables   []*table // of doc
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
	top.text("model", &c.Model)
	top.host("host", &c.Host)
	top.provider("provider", &c.Provider)
	top.text("system", &c.System)
	top.choice("think", &c.Think, "auto", "on", "off")
	top.context("context", &c.Context)

	limits := l.table("limits")
	limits.whole("iterations", &c.Limits.Iterations, span[int]{1, 1000})
	limits.whole("consecutive_errors", &c.Limits.ConsecutiveErrors, span[int]{1, 100})
	limits.duration("total_time", &c.Limits.TotalTime, span[time.Duration]{time.Second, 24 * time.Hour})
	limits.duration("tool_time", &c.Limits.ToolTime, span[time.Duration]{100 * time.Millisecond, 24 * time.Hour})

	status := l.table("status")
	status.choice("style", &c.Status.Style, "sentence", "name")
	status.text("model", &c.Status.Model)

	approval := l.table("approval")
	approval.choice("mode", &c.Approval.Mode, "auto", "ask", "all")
	approval.globs("allow", &c.Approval.Allow)
	approval.globs("deny", &c.Approval.Deny)
}

// provider reads where models live, and refuses the keys of a provider that is planned.
func (t *table) provider(key string, into *string) {
	const later = "is for OpenAI-compatible servers, which this version does not have yet"
	if word, ok := t.values[key].(string); ok && word == "openai" {
		t.asked = append(t.asked, key)
		t.mistake(key, `is "openai"; this version does not have OpenAI-compatible servers yet, use "ollama" or "demo"`)
	} else {
		t.choice(key, into, "ollama", "demo")
	}
	t.refuse(later, "base_url", "api_key_env")
}

// context reads num_ctx: a number of tokens, or "auto".
func (t *table) context(key string, into *int) {
	if word, ok := t.values[key].(string); ok {
		t.choice(key, &word, "auto")
		*into = 0
		return
	}
	t.whole(key, into, span[int]{512, 16 << 20})
}

// environment is the document of the variables that override the file.
func environment(env func(string) (string, bool)) *document {
	d := &document{source: "environment", values: map[string]any{}, names: map[string]string{}}
	for key, name := range map[string]string{"model": "ALOUD_MODEL", "host": "OLLAMA_HOST"} {
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
		"model": "--model", "host": "--host", "system": "--system", "think": "--think", "provider": "--demo", "approval.mode": "--yes",
		"limits.iterations": "--max-iterations", "limits.consecutive_errors": "--max-errors", "limits.total_time": "--max-time",
	}
	for key, v := range map[string]*string{"model": f.Model, "host": f.Host, "system": f.System, "think": f.Think} {
		if v != nil {
			d.values[key] = *v
		}
	}
	for key, v := range map[string]*int{"iterations": f.MaxIterations, "consecutive_errors": f.MaxErrors} {
		if v != nil {
			limits[key] = int64(*v)
		}
	}
	if f.MaxTime != nil {
		limits["total_time"] = f.MaxTime.String()
	}
	if f.Demo {
		d.values["provider"] = "demo"
	}
	if f.Yes {
		approval["mode"] = "all"
	}
	return d
}
