package config

import (
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"
)

const (
	docsPage = "../docs/configuration.md"
	docsMark = "<!-- Generated from here on: go test ./config -run TestDocs -update -->\n"
)

// TestDocsConfiguration checks that docs/configuration.md has every key, with its type, its default and its comment
// from template.toml, and that the README has the default limits. -update writes docs/configuration.md.
func TestDocsConfiguration(t *testing.T) {
	page, err := os.ReadFile(docsPage)
	if err != nil {
		t.Fatal(err)
	}
	readme, err := os.ReadFile("../README.md")
	if err != nil {
		t.Fatal(err)
	}
	written, _, found := strings.Cut(string(page), docsMark)
	if !found {
		t.Fatalf("%s has lost this line: %s", docsPage, docsMark)
	}
	var b strings.Builder
	b.WriteString(written + docsMark)
	c, server := defaults(), NewServer("")
	server.ToolTimeout = c.Limits.ToolTime
	comments := templateComments()
	for _, table := range []struct {
		name, about, in string
		from            any
	}{
		{"Top of the file", "", "", c},
		{"[limits]", "When a turn stops.", "limits", &c.Limits},
		{"[status]", "The live line, and other ways to show the state of a turn.", "status", &c.Status},
		{"[approval]", "Which tool calls run without asking.", "approval", &c.Approval},
		{"[ui]", "The screen.", "ui", &c.UI},
		{"[providers.NAME]", "Where models run.", "providers", &Provider{Type: TypeOpenAI}},
		{"[mcp_servers.NAME]", "An MCP server.", "mcp_servers", &server},
		{"oauth in [mcp_servers.NAME]", "How to log in, for servers that accept registered clients only. " +
			"`oauth = false` turns logins off.", "mcp_servers.oauth", &server.OAuth},
	} {
		fmt.Fprintf(&b, "\n## %s\n\n", table.name)
		if table.about != "" {
			b.WriteString(table.about + "\n\n")
		}
		b.WriteString("| key | type | default | meaning |\n|---|---|---|---|\n")
		for f := range fields(table.from) {
			if f.documented() == "" {
				continue
			}
			value := "none"
			if text := f.text(f.value.Interface()); !isEmpty(text) && text != "0" {
				value = "`" + text + "`"
			}
			row := "| `limits." + f.key + "` | " + value + " |"
			if table.in == "limits" && !strings.Contains(string(readme), row) {
				t.Errorf("README.md has no row that starts with %s", row)
			}
			comment := comments[table.in+" "+f.key]
			if comment == "" {
				t.Errorf("template.toml does not explain %q of %s", f.key, table.name)
			}
			fmt.Fprintf(&b, "| `%s` | %s | %s | %s%s |\n", f.key, f.documented(), value, comment, f.where())
		}
	}
	if flag.Lookup("update").Value.String() == "true" {
		if err := os.WriteFile(docsPage, []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	} else if b.String() != string(page) {
		t.Errorf("%s is out of date; run: go test ./config -run TestDocs -update", docsPage)
	}
}

// documented returns the type of the field as text, or "" for a field with its own table.
func (f field) documented() string {
	word, _, _ := strings.Cut(f.Tag.Get("or"), "=")
	switch f.value.Interface().(type) {
	case string:
		if of := strings.Fields(f.Tag.Get("of")); 0 < len(of) && len(of) < 5 {
			return "`\"" + strings.Join(of, "\"`, `\"") + "\"`"
		}
		return "string"
	case bool:
		return "`true`, `false`"
	case int:
		if word != "" {
			return fmt.Sprintf("number, `%q`", word)
		}
		return "number"
	case time.Duration:
		return "duration"
	case []string:
		return "list of strings"
	case map[string]string:
		return "table of strings"
	}
	return ""
}

// where returns the servers that may have the key, and the flag and variable that override it.
func (f field) where() string {
	var b strings.Builder
	var all []string
	for kind := range strings.FieldsSeq(f.Tag.Get("for")) {
		all = append(all, strings.NewReplacer(`"`, "`").Replace(kinds[kind]))
	}
	if all != nil {
		fmt.Fprintf(&b, " For %s.", strings.Join(all, " and "))
	}
	all = nil
	for tag, prefix := range map[string]string{"flag": "--", "env": ""} {
		if name := f.Tag.Get(tag); name != "" {
			all = append(all, "`"+prefix+name+"`")
		}
	}
	slices.Sort(all)
	if all != nil {
		fmt.Fprintf(&b, " Overridden by %s.", strings.Join(all, ", "))
	}
	return b.String()
}

// templateComments returns the first comment above each key of the template, by table and key.
func templateComments() map[string]string {
	comments := map[string]string{}
	table, comment := "", ""
	for line := range strings.Lines(Template) {
		text, isComment := strings.CutPrefix(strings.TrimSpace(line), "#")
		key, _, isKey := strings.Cut(text, " = ")
		switch header := strings.Trim(text, "[]"); {
		case strings.HasPrefix(text, "[") && strings.HasSuffix(text, "]"):
			parts := strings.Split(header, ".")
			if len(parts) > 1 { // without the name
				parts = append(parts[:1], parts[2:]...)
			}
			table, comment = strings.Join(parts, "."), ""
		case isComment && strings.HasPrefix(text, " "):
			comment += text
		case isComment && isKey:
			if at := table + " " + key; comments[at] == "" {
				comments[at] = strings.ReplaceAll(strings.TrimSpace(comment), "|", "\\|")
			}
			comment = ""
		default:
			comment = ""
		}
	}
	return comments
}
