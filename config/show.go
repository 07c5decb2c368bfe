package config

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/aloudchat/aloud/internal/secret"
)

// Show returns the configuration in use as TOML, with a comment on each value that says where it comes from. It
// leaves out empty values, and masks secrets and all values of env and headers.
func Show(c *Config) string {
	s := shown{config: c, secrets: secret.Hide(c.Secrets(), nil)}
	s.table(c, nil, nil)
	return s.String()
}

type shown struct {
	strings.Builder
	config  *Config
	secrets secret.Hider
	header  string // the last header written
}

// table shows the struct that from points to as the table at path, with the keys of these kinds.
func (s *shown) table(from any, path, kinds []string) {
	for f := range fields(from) {
		at := append(slices.Clone(path), f.key)
		_, isSet := s.config.origins[dotted(at)]
		switch v := f.value.Addr().Interface().(type) {
		case *[]Provider:
			for i := range *v {
				s.table(&(*v)[i], append(at, (*v)[i].Name), []string{(*v)[i].Type})
			}
		case *[]Server:
			for i := range *v {
				s.table(&(*v)[i], append(at, (*v)[i].Name), (*v)[i].kinds)
			}
		case *map[string][]string:
			for _, name := range slices.Sorted(maps.Keys(*v)) {
				s.line(append(at, quotedKey(name)), f.text((*v)[name]))
			}
		case *Limits, *Status, *Approval, *UI:
			s.table(v, at, nil)
		case *OAuth:
			if v.Off {
				s.line(at, "false")
			} else if isSet {
				s.table(v, at, nil)
			}
		default:
			_, isTruth := reflect.TypeAssert[bool](f.value)
			text := f.text(s.masked(f.value.Interface()))
			if f.isFor(kinds) && !isEmpty(text) && (isSet || len(path) < 2 || isTruth || !f.value.IsZero()) {
				s.line(at, text)
			}
		}
	}
}

func (s *shown) line(path []string, text string) {
	last := len(path) - 1
	if header := dotted(path[:last]); header != s.header {
		s.header = header
		fmt.Fprintf(s, "\n[%s]\n", header)
	}
	fmt.Fprintf(s, "%-40s # %s\n", path[last]+" = "+text, s.config.Origin(dotted(path)))
}

// masked returns a value without secrets, and without all values of tables, which are environments and headers.
func (s *shown) masked(v any) any {
	switch v := v.(type) {
	case string:
		return s.secrets.Text(v)
	case []string:
		return s.secrets.Texts(v)
	case map[string]string:
		masked := map[string]string{}
		for name := range v {
			masked[name] = secret.Mark
		}
		return masked
	}
	return v
}

// text returns a value of the field as TOML.
func (f field) text(v any) string {
	word, means, _ := strings.Cut(f.Tag.Get("or"), "=")
	switch v := v.(type) {
	case string:
		return quoted(v)
	case int:
		if word != "" && strconv.Itoa(v) == means {
			return quoted(word)
		}
	case time.Duration:
		if strings.HasSuffix(f.key, "_sec") {
			return fmt.Sprint(v.Seconds())
		}
		return strconv.Quote(short(v))
	case []string:
		var items []string
		for _, s := range v {
			items = append(items, quoted(s))
		}
		return "[" + strings.Join(items, ", ") + "]"
	case map[string]string:
		var items []string
		for _, k := range slices.Sorted(maps.Keys(v)) {
			items = append(items, quotedKey(k)+" = "+quoted(v[k]))
		}
		if len(items) == 0 {
			return "{}"
		}
		return "{ " + strings.Join(items, ", ") + " }"
	}
	return fmt.Sprint(v)
}

// isEmpty reports whether TOML text is an empty value.
func isEmpty(text string) bool { return text == `""` || text == "[]" || text == "{}" }

const letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"

// quotedKey returns a key as TOML, in quotes only if necessary.
func quotedKey(key string) string {
	if key != "" && strings.Trim(key, letters+"0123456789-_") == "" {
		return key
	}
	return quoted(key)
}

// escapes has the escapes of Go that TOML does not have.
var escapes = strings.NewReplacer(`\\`, `\\`, `\x`, `\u00`, `\a`, `\u0007`, `\v`, `\u000b`)

// quoted returns a TOML string, with escapes for all characters that could affect a terminal.
func quoted(s string) string { return escapes.Replace(strconv.Quote(strings.ToValidUTF8(s, "\ufffd"))) }
