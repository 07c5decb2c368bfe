package cli_test

import (
	"encoding/json"
	"fmt"
	"io/fs"
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

var codeBlock = regexp.MustCompile("(?ms)^ *```(sh|json|jsonl|toml)\n(.*?)^ *```$")

// TestDocsExamples runs the examples of the documents with the demo model: the lines of sh blocks that start with aloud
// or "go run .", with the exit code in their comment ("# exit code 4"). JSON must have the shape of what the command
// above it prints, and TOML must be a correct configuration, or a theme if it begins with its base.
func TestDocsExamples(t *testing.T) {
	dir := t.TempDir()
	root := os.DirFS("..")
	top, _ := fs.Glob(root, "*.md") // only a bad pattern is an error
	docs, _ := fs.Glob(root, "docs/*.md")
	for _, document := range slices.Concat(top, docs) {
		text, err := fs.ReadFile(root, document)
		if err != nil {
			t.Fatal(err)
		}
		script, files := new(strings.Builder), new(strings.Builder)
		fmt.Fprintf(script, "[!unix] stop\nchmod 755 bin/npx\nenv PATH=$WORK/bin:$PATH\nenv ALOUD_PROVIDER=demo\n")
		fmt.Fprintf(files, "-- notes.txt --\nhello\n-- bin/npx --\n#!/bin/sh\nexec aloud serve clock\n")
		for i, block := range codeBlock.FindAllStringSubmatch(string(text), -1) {
			name := fmt.Sprintf("example%d.%s", i, block[1])
			switch fmt.Fprintf(script, "# %s\n", name); block[1] {
			case "sh":
				script.WriteString(shellLines(block[2]))
				continue
			case "toml":
				if strings.HasPrefix(block[2], "base = ") {
					fmt.Fprintf(files, "-- themes/%s --\n%s", name, block[2])
					block[2] = fmt.Sprintf("[ui]\ntheme = %q\n", strings.TrimSuffix(name, ".toml"))
				}
				for _, v := range regexp.MustCompile(`["{]([A-Z][A-Z_]+)["}]`).FindAllStringSubmatch(block[2], -1) {
					fmt.Fprintf(script, "env %s=value-of-it\n", v[1])
				}
				fmt.Fprintf(script, "exec aloud config check --config %s\n", name)
			default:
				fmt.Fprintf(script, "like-stdout %s\n", name)
			}
			fmt.Fprintf(files, "-- %s --\n%s", name, block[2])
		}
		file := filepath.Join(dir, strings.ReplaceAll(document, "/", "-")+".txtar")
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
