package config

import (
	"reflect"
	"strconv"

	"github.com/aloudchat/aloud/internal/theme"
)

// Lookup returns the value of an environment variable, like os.LookupEnv.
type Lookup = func(name string) (value string, isSet bool)

// LoadOptions are the sources of Load.
type LoadOptions struct {
	Path  string // from --config, "" for ALOUD_CONFIG or the default
	Env   Lookup
	Flags map[string]string // given on the command line, by name; others than ours are ignored

	// Bind returns the keys of all actions, with changes instead of the default ones. It calls wrong for each mistake,
	// with the index of the key, or -1 for the name of the action. With nil, changes are not checked.
	Bind func(changes map[string][]string, wrong func(action string, key int, text string)) map[string][]string
}

// Load reads the file, environment and flags. A file named by Path or ALOUD_CONFIG must exist. The error joins
// values of type *Error, one per line.
func Load(o LoadOptions) (*Config, error) {
	path, text, err := find(o.Path, o.Env)
	if err != nil {
		return nil, err
	}
	return load(path, text, o)
}

// Check returns the error that Load would return for a file at path with this text.
func Check(path string, text []byte, env Lookup) error {
	_, err := load(path, text, LoadOptions{Env: env})
	return err
}

func load(path string, text []byte, o LoadOptions) (*Config, error) {
	env, flags := o.Env, o.Flags
	file, err := parse(path, text)
	if err != nil {
		return nil, err
	}
	r := &reader{env: env, config: defaults(), doc: file}
	c := r.config
	c.Path = path
	r.providerNames = builtinProviders()
	top := &table{reader: r, values: file.values}
	named := top.named("providers")
	r.providerNames = append(r.providerNames, named...)
	r.themeNames = append([]string{theme.Auto}, themeNames(path)...)
	top.fill(c)
	c.FileModel = c.Model
	if o.Bind != nil {
		c.Keys = o.Bind(c.Keys, func(action string, key int, text string) {
			r.mistake([]string{"keys", action, strconv.Itoa(key)}, "%s", text)
		})
	}
	providers := top.providers(named)
	if flags["no-tools"] != "true" {
		c.Servers = top.servers()
	}
	r.override("env", func(name string) (string, bool) {
		value, _ := env(name)
		return value, value != ""
	})
	if flags["yes"] == "true" {
		c.Approval.Mode, c.origins["approval.mode"] = "all", "flag --yes"
	}
	r.override("flag", func(name string) (string, bool) {
		value, given := flags[name]
		return value, given
	})
	if flags["demo"] == "true" {
		if flags["provider"] != "" && c.Provider != TypeDemo {
			r.mistakes = append(r.mistakes, &Error{Text: "--demo and --provider cannot be used together"})
		}
		c.Provider, c.origins["provider"] = TypeDemo, "flag --demo"
	}
	r.choose(providers)
	if c.UI.Theme != theme.Auto {
		c.Theme = r.theme(c.UI.Theme)
	}
	if err := join(r.mistakes); err != nil {
		return nil, err
	}
	return c, nil
}

// override sets the fields with a tag ("env" or "flag") from the environment or the flags.
func (r *reader) override(tag string, lookup Lookup) {
	sign := ""
	r.doc = &document{source: "environment", names: map[string]string{}}
	if tag == "flag" {
		sign, r.doc.source = "--", "flag"
	}
	for _, f := range (&table{reader: r}).leaves(r.config) {
		t, name := f.table, f.Tag.Get(tag)
		text, ok := lookup(name)
		if name == "" || !ok {
			continue
		}
		r.doc.names[dotted(t.at(f.key))] = sign + name
		if number, err := strconv.ParseInt(text, 10, 64); err == nil && f.Type.Kind() == reflect.Int {
			t.set(f.field, number)
		} else {
			t.set(f.field, text)
		}
	}
}

// leaf is a field that is not a table.
type leaf struct {
	*table
	field
}

// leaves returns the leaves of a struct and its nested structs.
func (t *table) leaves(from any) (all []leaf) {
	for f := range fields(from) {
		if f.Type.Kind() == reflect.Struct {
			all = append(all, t.inner(f.key, nil).leaves(f.value.Addr().Interface())...)
		} else {
			all = append(all, leaf{t, f})
		}
	}
	return all
}
