package config

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/aloudchat/aloud/secret"
)

// Show writes the configuration in force as TOML, each value with a comment that says where it comes from. Empty values
// are left out. Secrets, and every value of env and of headers, are masked.
func Show(c *Config) string {
	var b strings.Builder
	secrets := secret.Hide(c.Secrets(), nil)
	slices.SortStableFunc(c.settings, func(a, b setting) int { return min(len(a.path), 2) - min(len(b.path), 2) })
	shown := map[string]bool{}
	table := ""
	for _, s := range c.settings {
		text, key, last := TOML(masked(s.value(), secrets)), dotted(s.path), len(s.path)-1
		if text == `""` || text == "[]" || text == "{}" || shown[key] {
			continue
		}
		shown[key] = true
		if name := dotted(s.path[:last]); name != table {
			table = name
			fmt.Fprintf(&b, "\n[%s]\n", table)
		}
		fmt.Fprintf(&b, "%-40s # %s\n", s.path[last]+" = "+text, c.Origin(key))
	}
	return b.String()
}

// masked is a value without its secrets. Values of tables, which are environments and headers, are never shown.
func masked(v any, secrets secret.Hider) any {
	switch v := v.(type) {
	case string:
		return secrets.Text(v)
	case []string:
		return secrets.Texts(v)
	case map[string]string:
		masked := map[string]string{}
		for name := range v {
			masked[name] = secret.Mark
		}
		return masked
	}
	return v
}

// TOML is how a value is written in the file.
func TOML(v any) string {
	switch v := v.(type) {
	case string:
		return tomlString(v)
	case time.Duration:
		return strconv.Quote(short(v))
	case []string:
		var items []string
		for _, s := range v {
			items = append(items, tomlString(s))
		}
		return "[" + strings.Join(items, ", ") + "]"
	case map[string]string:
		var items []string
		for _, k := range slices.Sorted(maps.Keys(v)) {
			items = append(items, Key(k)+" = "+tomlString(v[k]))
		}
		if len(items) == 0 {
			return "{}"
		}
		return "{ " + strings.Join(items, ", ") + " }"
	default:
		return fmt.Sprint(v)
	}
}

const letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"

// Key is how a key is written in the file, in quotes only where TOML needs them.
func Key(key string) string {
	if key != "" && strings.Trim(key, letters+"0123456789-_") == "" {
		return key
	}
	return tomlString(key)
}

// tomlString quotes s for a file. What could change how a terminal shows it is escaped too.
func tomlString(s string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case strconv.IsPrint(r):
			b.WriteRune(r)
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\t':
			b.WriteString(`\t`)
		default:
			fmt.Fprintf(&b, `\U%08X`, r)
		}
	}
	b.WriteByte('"')
	return b.String()
}
