package config

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"
)

// table reads one table of the file key by key, each into its field. A missing key leaves the field as it is, a wrong one
// is noted as a mistake, and a key that was never read is unknown.
type table struct {
	loader *loader
	path   []string
	values map[string]any
	asked  []string
}

// table opens the table at a path. A missing one is empty.
func (l *loader) table(path ...string) *table {
	t := &table{loader: l, path: path, values: l.doc.values}
	for i, part := range path {
		value, found := t.values[part]
		inner, ok := value.(map[string]any)
		if found && !ok {
			l.mistake(path[:i+1], "%q must be a table, not %s", part, kind(value))
		}
		t.values = inner
	}
	l.tables = append(l.tables, t)
	return t
}

func (t *table) key(key string) []string { return append(t.path[:len(t.path):len(t.path)], key) }

// mistake notes what is wrong with a key; the sentence begins with the key itself.
func (t *table) mistake(key, format string, args ...any) {
	t.loader.mistake(t.key(key), "%s "+format, append([]any{t.loader.doc.name(t.key(key))}, args...)...)
}

// has reports whether the file sets the key.
func (t *table) has(key string) bool {
	_, ok := t.values[key]
	return ok
}

// inOrder lists the keys of the table as they stand in the file.
func (t *table) inOrder() []string {
	keys := slices.Sorted(maps.Keys(t.values))
	offset := func(key string) int { return t.loader.doc.offset(t.key(key)) }
	slices.SortStableFunc(keys, func(a, b string) int { return offset(a) - offset(b) })
	return keys
}

// value takes a key of the file if it is there and of type T.
func value[T any](t *table, key, want string) (v T, ok bool) {
	t.asked = append(t.asked, key)
	raw, found := t.values[key]
	if !found {
		return v, false
	}
	if v, ok = raw.(T); !ok {
		t.mistake(key, "must be %s, not %s", want, kind(raw))
		return v, false
	}
	t.took(key)
	return v, true
}

func (t *table) took(key string) {
	t.loader.config.origins[dotted(t.key(key))] = t.loader.doc.origin(t.key(key))
}

// shows notes what Show writes of a key of the file.
func (t *table) shows(key string, value func() any) {
	if t.loader.doc.source == "" {
		t.loader.config.settings = append(t.loader.config.settings, setting{t.key(key), value})
	}
}

// read takes a key of the file into a field if it is there and of the field's type.
func read[T any](t *table, key, want string, into *T) bool {
	t.shows(key, func() any { return *into })
	v, ok := value[T](t, key, want)
	if ok {
		*into = v
	}
	return ok
}

func (t *table) text(key string, into *string) bool { return read(t, key, "a string", into) }

func (t *table) truth(key string, into *bool) { read(t, key, "true or false", into) }

func (t *table) whole(key string, into *int, in span[int]) {
	t.shows(key, func() any { return *into })
	v, ok := value[int64](t, key, "a whole number")
	switch {
	case !ok:
	case v < int64(in.least) || v > int64(in.most):
		t.mistake(key, "is %d; it must be %s", v, in)
	default:
		*into = int(v)
	}
}

// wholeOrNone reads a whole number of which 0 means no limit.
func (t *table) wholeOrNone(key string, into *int, in span[int]) {
	if t.values[key] == int64(0) {
		in.least = 0
	}
	t.whole(key, into, in)
}

// wholeOrAuto reads a whole number, or the word "auto" for what auto stands for.
func (t *table) wholeOrAuto(key string, into *int, in span[int], auto int) {
	t.shows(key, func() any {
		if *into == auto {
			return "auto"
		}
		return *into
	})
	word, ok := t.values[key].(string)
	if !ok {
		t.whole(key, into, in)
		return
	}
	switch t.asked = append(t.asked, key); {
	case word == "auto":
		t.took(key)
		*into = auto
	case nearest(word, []string{"auto"}) != "":
		t.mistake(key, `is %q; did you mean "auto"?`, word)
	default:
		t.mistake(key, `is %q; it must be a whole number or "auto"`, word)
	}
}

// duration reads "90s" or "2m", or a number of seconds.
func (t *table) duration(key string, into *time.Duration, in span[time.Duration]) {
	t.shows(key, func() any {
		if strings.HasSuffix(key, "_sec") {
			return into.Seconds()
		}
		return *into
	})
	raw, ok := value[any](t, key, "")
	if !ok {
		return
	}
	d, err := asDuration(raw)
	switch {
	case err != nil:
		t.mistake(key, "%v", err)
	case d < in.least || d > in.most:
		t.mistake(key, "is %v; it must be %s", short(d), in)
	default:
		*into = d
	}
}

func asDuration(raw any) (time.Duration, error) {
	const year = 365 * 24 * 60 * 60
	var seconds float64
	switch v := raw.(type) {
	case string:
		d, err := time.ParseDuration(v)
		if err != nil {
			return 0, fmt.Errorf(`is %q; write a duration like "90s" or "2m", or a number of seconds`, v)
		}
		return d, nil
	case int64:
		seconds = float64(v)
	case float64:
		seconds = v
	default:
		return 0, fmt.Errorf(`must be a duration like "90s" or "2m", or a number of seconds, not %s`, kind(raw))
	}
	if !(seconds >= -year && seconds <= year) { // also when it is not a number
		return 0, fmt.Errorf("is %v, which is no sensible number of seconds", raw)
	}
	return time.Duration(seconds * float64(time.Second)), nil
}

// choice reads one of a few words.
func (t *table) choice(key string, into *string, words ...string) {
	t.shows(key, func() any { return *into })
	word, ok := value[string](t, key, "a string")
	if !ok {
		return
	}
	if wrong := unlike(word, words); wrong != "" {
		t.mistake(key, "is %s", wrong)
		return
	}
	*into = word
}

func (t *table) texts(key string, into *[]string) bool {
	t.shows(key, func() any { return *into })
	raw, ok := value[[]any](t, key, "an array of strings")
	if !ok {
		return false
	}
	list := make([]string, 0, len(raw))
	for i, element := range raw {
		s, ok := element.(string)
		if !ok {
			t.loader.mistake(append(t.key(key), strconv.Itoa(i)), "%q must hold strings, not %s", key, kind(element))
			return false
		}
		list = append(list, s)
	}
	*into = list
	return true
}

// globs reads patterns over "server.tool".
func (t *table) globs(key string, into *[]string) {
	if !t.texts(key, into) {
		return
	}
	for i, pattern := range *into {
		if err := badGlob(pattern); err != "" {
			t.loader.mistake(append(t.key(key), strconv.Itoa(i)), "%q has the pattern %q, %s", key, pattern, err)
		}
	}
}

// badGlob finishes the sentence that says why a pattern cannot be meant, "" when it can. In a pattern * and ? stand for characters,
// \ takes the next one literally, and "(host)" at the end narrows it to one host.
func badGlob(pattern string) string {
	name, _, _ := strings.Cut(pattern, "(")
	escaped := len(pattern) - len(strings.TrimRight(pattern, `\`))
	switch {
	case strings.TrimSpace(pattern) == "":
		return `which matches nothing; write one like "files.read_*"`
	case escaped%2 == 1:
		return `which ends in the middle of an escape; write \\ for a backslash`
	case !strings.ContainsAny(name, ".*"):
		return fmt.Sprintf("which names no tool; write %q for all tools of a server", name+".*")
	}
	return ""
}

// pairs reads a table of strings.
func (t *table) pairs(key string, into *map[string]string) {
	raw, ok := value[map[string]any](t, key, "a table of strings")
	if !ok {
		return
	}
	pairs := make(map[string]string, len(raw))
	for _, name := range slices.Sorted(maps.Keys(raw)) {
		s, ok := raw[name].(string)
		if !ok {
			t.loader.mistake(append(t.key(key), name), "%q in %q must be a string, not %s", name, key, kind(raw[name]))
			continue
		}
		pairs[name] = s
	}
	*into = pairs
}
