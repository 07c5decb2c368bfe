package config

import (
	"errors"
	"fmt"
	"iter"
	"maps"
	"net/url"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/aloudchat/aloud/internal/netaddr"
	"github.com/aloudchat/aloud/internal/secret"
	"github.com/aloudchat/aloud/internal/suggest"
	"github.com/aloudchat/aloud/internal/theme"
)

// reader reads documents into a Config and collects the mistakes in them.
type reader struct {
	env      Lookup
	config   *Config
	doc      *document
	mistakes []*Error

	providerNames []string // allowed values of "provider"
	themeNames    []string
}

func (r *reader) mistake(path []string, format string, args ...any) {
	r.mistakes = append(r.mistakes, r.doc.mistake(path, format, args...))
}

// table is a table of the document.
type table struct {
	*reader
	path    []string
	values  map[string]any
	expands bool     // replace ${NAME} in all its strings
	secrets []string // values to mask
	unset   []*Error // variables that are not set, a mistake only if the table is in use
}

// field is a struct field with a key.
type field struct {
	reflect.StructField
	key   string
	value reflect.Value
}

// fields iterates over the fields with a key of the struct that into points to.
func fields(into any) iter.Seq[field] {
	return func(yield func(field) bool) {
		for f, v := range reflect.ValueOf(into).Elem().Fields() {
			if key := f.Tag.Get("key"); key != "" && !yield(field{f, key, v}) {
				return
			}
		}
	}
}

func (t *table) at(more ...string) []string { return append(t.path[:len(t.path):len(t.path)], more...) }

func (t *table) has(key string) bool {
	_, ok := t.values[key]
	return ok
}

// wrong notes a mistake in the value of a key. The message begins with the key.
func (t *table) wrong(key, format string, args ...any) {
	t.mistake(t.at(key), "%s "+format, append([]any{t.doc.name(t.at(key))}, args...)...)
}

// fill reads the table into the struct that into points to. A missing key does not change its field.
func (t *table) fill(into any) {
	var known []string
	for f := range fields(into) {
		known = append(known, f.key)
		if raw, ok := t.values[f.key]; ok {
			t.set(f, raw)
		}
	}
	for _, key := range slices.Sorted(maps.Keys(t.values)) {
		if !slices.Contains(known, key) {
			t.unknown(key, known)
		}
	}
}

// unknown notes an unknown key and suggests another one. The most common mistake is a key below the wrong header.
func (t *table) unknown(key string, known []string) {
	where, meant := "at the top level", ""
	if len(t.path) > 0 {
		where = "in [" + dotted(t.path) + "]"
	}
	near := suggest.Nearest(key, known)
	if slices.Contains(known, elsewhere[key]) {
		near = elsewhere[key]
	}
	if near != "" {
		meant = fmt.Sprintf("; did you mean %q?", near)
	}
	for _, f := range (&table{}).leaves(t.config) {
		if t.doc.file != t.config.Path { // a theme has none of these keys
			break
		} else if f.key == key && f.path == nil {
			meant = "; it belongs at the top, above the first [table]"
			break
		} else if f.key == key {
			meant = "; it belongs in [" + dotted(f.path) + "]"
		}
	}
	t.mistake(t.at(key), "unknown key %q %s%s", key, where, meant)
}

// set reads a value into a field.
func (t *table) set(f field, raw any) {
	t.config.origins[dotted(t.at(f.key))] = t.doc.origin(t.at(f.key))
	switch into := f.value.Addr().Interface().(type) {
	case *string:
		if text, ok := is[string](t, f, raw, "a string"); ok {
			t.setText(f, text, into)
		}
	case *bool:
		if truth, ok := is[bool](t, f, raw, "true or false"); ok {
			*into = truth
		}
	case *int:
		t.setNumber(f, raw, into)
	case *time.Duration:
		d, err := asDuration(raw)
		if err == nil {
			err = within(f, d)
		}
		if err != nil {
			t.wrong(f.key, "%v", err)
			return
		}
		*into = d
	case *[]string:
		*into = nil
		list, _ := is[[]any](t, f, raw, "an array of strings")
		for i, element := range list {
			at := []string{f.key, strconv.Itoa(i)}
			text, ok := element.(string)
			switch {
			case !ok:
				t.mistake(t.at(at...), "%q must hold strings, not %s", f.key, kind(element))
			case f.Tag.Get("is") == "globs" && badGlob(text) != nil:
				t.mistake(t.at(at...), "%q %v", f.key, badGlob(text))
			}
			*into = append(*into, t.expanded(f, text, at...))
		}
	case *map[string]string:
		pairs, ok := is[map[string]any](t, f, raw, "a table of strings")
		if ok {
			*into = map[string]string{}
		}
		for _, name := range slices.Sorted(maps.Keys(pairs)) {
			text, ok := pairs[name].(string)
			if !ok {
				t.mistake(t.at(f.key, name), "%q in %q must be a string, not %s", name, f.key, kind(pairs[name]))
			}
			(*into)[name] = t.expanded(f, text, f.key, name)
		}
	case *map[string][]string:
		lists, ok := is[map[string]any](t, f, raw, "a table")
		if ok {
			*into = map[string][]string{}
		}
		for _, name := range slices.Sorted(maps.Keys(lists)) {
			list, isList := lists[name].([]any)
			if !isList {
				list = []any{lists[name]}
			}
			var texts []string
			before := len(t.mistakes)
			t.inner(f.key, lists).set(field{key: name, value: reflect.ValueOf(&texts).Elem()}, list)
			if len(t.mistakes) == before {
				(*into)[name] = texts
			}
		}
	case *theme.Color:
		if text, ok := is[string](t, f, raw, "a string"); ok {
			if *into = theme.Color(text); into.Check() != nil {
				t.wrong(f.key, "%v", into.Check())
			}
		}
	case *OAuth:
		t.oauth(f, raw, into)
	case *[]Provider, *[]Server: // read later, they depend on other keys
		is[map[string]any](t, f, raw, "a table")
	default:
		if values, ok := is[map[string]any](t, f, raw, "a table"); ok {
			t.inner(f.key, values).fill(into)
		}
	}
}

// inner returns a table within the table.
func (t *table) inner(key string, values map[string]any) *table {
	return &table{reader: t.reader, path: t.at(key), values: values, expands: t.expands}
}

// is converts raw to a type, or notes a mistake.
func is[T any](t *table, f field, raw any, want string) (v T, ok bool) {
	if v, ok = raw.(T); !ok {
		t.wrong(f.key, "must be %s, not %s", want, kind(raw))
	}
	return v, ok
}

func (t *table) setText(f field, text string, into *string) {
	unset, of := len(t.unset), f.Tag.Get("of")
	text = t.expanded(f, text, f.key)
	var err error
	switch f.Tag.Get("is") {
	case "host", "base":
		if len(t.unset) > unset {
			return
		}
		if text, err = address(text, f.Tag.Get("is")); err == nil {
			t.hide(secret.Of("", text))
		}
	case "web":
		u, invalid := url.Parse(text)
		if len(t.unset) == unset && (invalid != nil || !netaddr.IsWeb(u)) {
			err = errors.New(`is not an address. Use one like "https://example.com"`)
		}
	case "theme":
		err = oneOf(text, t.themeNames)
	case "protocol":
		if _, dated := time.Parse(time.DateOnly, text); dated != nil && text != "auto" {
			err = fmt.Errorf(`is %q; it must be "auto" or an MCP revision like "2025-11-25"`, text)
		}
	}
	if of != "" {
		err = oneOf(text, strings.Fields(of))
	}
	if f.key == "provider" {
		err = oneOf(text, t.providerNames)
	}
	if err != nil {
		t.wrong(f.key, "%v", err)
		return
	}
	*into = text
}

// setNumber reads a whole number, or a word that stands for one.
func (t *table) setNumber(f field, raw any, into *int) {
	word, means, _ := strings.Cut(f.Tag.Get("or"), "=")
	number, isNumber := raw.(int64)
	text, isText := raw.(string)
	var err error
	switch {
	case isText && word != "" && text == word:
		*into, _ = strconv.Atoi(means)
		return
	case isText && word != "":
		err = fmt.Errorf("is %q; it must be a whole number or %q", text, word)
	case !isNumber:
		err = fmt.Errorf("must be a whole number, not %s", kind(raw))
	default:
		*into = int(number)
		err = within(f, number)
	}
	if err != nil {
		t.wrong(f.key, "%v", err)
	}
}

// within checks the bounds of a number or duration.
func within[T int64 | time.Duration](f field, v T) error {
	least, most, _ := strings.Cut(f.Tag.Get("span"), " ")
	low, high := bound[T](least), bound[T](most)
	if v < low || v > high {
		return fmt.Errorf("is %v; it must be %v to %v", short(v), short(low), short(high))
	}
	return nil
}

// bound parses a number or duration from a tag.
func bound[T int64 | time.Duration](text string) T {
	if d, err := time.ParseDuration(text); err == nil {
		return T(d)
	}
	n, _ := strconv.ParseInt(text, 10, 64)
	return T(n)
}

// asDuration reads "90s" or "2m", or a number of seconds.
func asDuration(raw any) (time.Duration, error) {
	switch v := raw.(type) {
	case string:
		d, err := time.ParseDuration(v)
		if err != nil {
			return 0, fmt.Errorf(`is %q; it must be a duration like "90s" or "2m", or a number of seconds`, v)
		}
		return d, nil
	case int64:
		return asDuration(float64(v))
	case float64:
		return time.Duration(v * float64(time.Second)), nil // an overflow is out of all bounds
	}
	return 0, fmt.Errorf(`must be a duration like "90s" or "2m", or a number of seconds, not %s`, kind(raw))
}

// badGlob returns an error about a pattern that cannot match a tool. In a pattern, * and ? match characters, \
// escapes the next one, and "(host)" at the end limits it to a host.
func badGlob(pattern string) error {
	if name, _, _ := strings.Cut(pattern, "("); !strings.ContainsAny(name, ".*") {
		return fmt.Errorf(`has the pattern %q without a tool. Use one like "files.read_*"`, pattern)
	}
	return nil
}

// kinds describes the kinds of servers and providers in errors.
var kinds = map[string]string{
	"command":  "servers with a command",
	"url":      "servers with a url",
	"builtin":  "built-in servers",
	"files":    `the built-in server "files"`,
	"fetch":    `the built-in server "fetch"`,
	TypeOpenAI: `a provider of type "openai"`,
	TypeOllama: `a provider of type "ollama"`,
}

// isFor reports whether a server or provider of these kinds may have the field.
func (f field) isFor(these []string) bool {
	want := strings.Fields(f.Tag.Get("for"))
	return len(want) == 0 || slices.ContainsFunc(want, func(kind string) bool { return slices.Contains(these, kind) })
}

// refuse notes the keys that a server or provider of these kinds must not have.
func (t *table) refuse(into any, these ...string) {
	for f := range fields(into) {
		if !t.has(f.key) || f.isFor(these) {
			continue
		}
		var all []string
		for kind := range strings.FieldsSeq(f.Tag.Get("for")) {
			all = append(all, kinds[kind])
		}
		t.wrong(f.key, "is only for %s", strings.Join(all, " or "))
	}
}
