package main

import (
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

// documents returns the text of all Markdown files, by path.
func documents(t *testing.T) map[string]string {
	t.Helper()
	texts := map[string]string{}
	top, _ := filepath.Glob("*.md") // only a bad pattern is an error
	docs, _ := filepath.Glob("docs/*.md")
	for _, file := range slices.Concat(top, docs) {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		texts[file] = string(text)
	}
	return texts
}

var (
	mdLink    = regexp.MustCompile(`\]\(([^)\s#]*)(?:#([^)\s]+))?\)`)
	mdHeading = regexp.MustCompile("(?m)^#+ (.*)$")
	notAnchor = regexp.MustCompile("[^a-z0-9 _-]")
)

// TestDocsLinks checks that links between documents lead to existing files and headings.
func TestDocsLinks(t *testing.T) {
	texts := documents(t)
	for file, text := range texts {
		for _, link := range mdLink.FindAllStringSubmatch(text, -1) {
			target, anchor := filepath.Join(filepath.Dir(file), link[1]), link[2]
			if link[1] == "" {
				target = file
			}
			if strings.Contains(link[1], "://") {
				continue
			}
			if _, err := os.Stat(target); err != nil {
				t.Errorf("%s: broken link: %v", file, err)
			} else if anchor != "" && !slices.Contains(anchors(texts[target]), anchor) {
				t.Errorf("%s: %s has no heading #%s", file, target, anchor)
			}
		}
	}
}

// anchors returns the names by which GitHub links to the headings of a document.
func anchors(text string) (all []string) {
	for _, heading := range mdHeading.FindAllStringSubmatch(text, -1) {
		all = append(all, strings.ReplaceAll(notAnchor.ReplaceAllString(strings.ToLower(heading[1]), ""), " ", "-"))
	}
	return all
}

// TestWhereThingsAre checks that the Go files named in the documents exist, and declare what the documents claim:
// "`judge` in `provider/loop/loop.go`", or "| `provider/loop/loop.go` | `judge` |" in a table.
func TestWhereThingsAre(t *testing.T) {
	for document, text := range documents(t) {
		for _, found := range regexp.MustCompile("`([a-z0-9_/*]+\\.go)`").FindAllStringSubmatch(text, -1) {
			if files, err := filepath.Glob(found[1]); err != nil || len(files) == 0 {
				t.Errorf("%s names %s, which does not exist", document, found[1])
			}
		}
		for _, row := range regexp.MustCompile("`([\\w/]+\\.go)` \\| `(\\w+)`").FindAllStringSubmatch(text, -1) {
			declares(t, document, row[1], row[2])
		}
		for _, words := range regexp.MustCompile("`(\\w+)`\\s+in\\s+`([\\w/]+\\.go)`").FindAllStringSubmatch(text, -1) {
			declares(t, document, words[2], words[1])
		}
	}
}

// TestDocsPackages checks that docs/architecture.md has every package, and each below those it may import.
func TestDocsPackages(t *testing.T) {
	text := documents(t)[filepath.Join("docs", "architecture.md")]
	_, table, _ := strings.Cut(text, "## Packages")
	for name, imports := range mayImport {
		if name == "." || strings.HasPrefix(name, "e2e") || strings.HasPrefix(name, "scripts/") {
			continue
		}
		row := strings.Index(table, "`"+name+"`")
		if row < 0 {
			t.Errorf("the table of packages does not have %s", name)
		}
		for _, imported := range imports {
			if row < strings.Index(table, "`"+imported+"`") {
				t.Errorf("the table of packages has %s above %s, which it may import", name, imported)
			}
		}
	}
}

// declares checks that a file has a function, method or type of that name.
func declares(t *testing.T, document, file, name string) {
	t.Helper()
	code, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
	if err != nil {
		t.Error(err)
		return
	}
	found := false
	for _, d := range code.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			found = found || d.Name.Name == name
		case *ast.GenDecl:
			for _, spec := range d.Specs {
				spec, isType := spec.(*ast.TypeSpec)
				found = found || isType && spec.Name.Name == name
			}
		}
	}
	if !found {
		t.Errorf("%s says that %q is in %s, which does not declare it", document, name, file)
	}
}

var codeBlock = regexp.MustCompile("(?ms)^ *```(sh|json|jsonl|toml)\n(.*?)^ *```$")

// TestDocsExamples runs the examples of the documents with the demo model: the lines of sh blocks that start with aloud
// or "go run .", with the exit code in their comment ("# exit code 4"). JSON must have the shape of what the command
// above it prints, and TOML must be a correct configuration.
func TestDocsExamples(t *testing.T) {
	dir := t.TempDir()
	for document, text := range documents(t) {
		script, files := new(strings.Builder), new(strings.Builder)
		fmt.Fprintf(script, "[!unix] stop\nchmod 755 bin/npx\nenv PATH=$WORK/bin:$PATH\nenv ALOUD_PROVIDER=demo\n")
		fmt.Fprintf(files, "-- notes.txt --\nhello\n-- bin/npx --\n#!/bin/sh\nexec aloud serve clock\n")
		for i, block := range codeBlock.FindAllStringSubmatch(text, -1) {
			name := fmt.Sprintf("example%d.%s", i, block[1])
			switch fmt.Fprintf(script, "# %s\n", name); block[1] {
			case "sh":
				script.WriteString(shellLines(block[2]))
				continue
			case "toml":
				for _, v := range regexp.MustCompile(`["{]([A-Z][A-Z_]+)["}]`).FindAllStringSubmatch(block[2], -1) {
					fmt.Fprintf(script, "env %s=value-of-it\n", v[1])
				}
				fmt.Fprintf(script, "exec aloud config check --config %s\n", name)
			default:
				fmt.Fprintf(script, "like-stdout %s\n", name)
			}
			fmt.Fprintf(files, "-- %s --\n%s", name, block[2])
		}
		file := filepath.Join(dir, strings.ReplaceAll(document, string(filepath.Separator), "-")+".txtar")
		if err := os.WriteFile(file, []byte(script.String()+files.String()), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	params := scripts(dir)
	params.Cmds["like-stdout"] = likeStdout
	testscript.Run(t, params)
}

// shellLines makes a script of the commands that start aloud.
func shellLines(block string) string {
	var script strings.Builder
	for line := range strings.Lines(block) {
		line = strings.TrimSpace(line)
		if rest, ok := strings.CutPrefix(line, "go run ."); ok {
			line = "aloud" + rest
		}
		if !strings.HasPrefix(line+" ", "aloud ") {
			continue
		}
		_, code, _ := strings.Cut(line, "# exit code ")
		if code == "" {
			code = "0"
		}
		fmt.Fprintf(&script, "exec-code %s sh -c '%s'\n", code, strings.ReplaceAll(line, "'", "''"))
	}
	return script.String()
}

// likeStdout checks that each JSON value in a file has the shape of the one that the last command printed: like-stdout
// FILE
func likeStdout(ts *testscript.TestScript, _ bool, args []string) {
	printed := shapes(ts, ts.ReadFile("stdout"))
	for _, s := range shapes(ts, ts.ReadFile(args[0])) {
		if !slices.Contains(printed, s) {
			ts.Fatalf("the example has the shape\n%s\nbut these are printed:\n%s", s, strings.Join(printed, "\n"))
		}
	}
}

func shapes(ts *testscript.TestScript, text string) (all []string) {
	for d := json.NewDecoder(strings.NewReader(text)); d.More(); {
		var v any
		ts.Check(d.Decode(&v))
		all = append(all, shape(v))
	}
	return all
}

// shape writes the keys of a JSON value with the types of their values.
func shape(v any) string {
	var parts []string
	switch v := v.(type) {
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(v)) {
			s := shape(v[key])
			if key == "type" || key == "phase" {
				s = strconv.Quote(fmt.Sprint(v[key]))
			}
			parts = append(parts, key+": "+s)
		}
		return "{" + strings.Join(parts, ", ") + "}"
	case []any:
		for _, element := range v {
			parts = append(parts, shape(element))
		}
		slices.Sort(parts)
		return "[" + strings.Join(slices.Compact(parts), ", ") + "]"
	}
	return fmt.Sprintf("%T", v)
}
