package main

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/term"

	"github.com/aloudchat/aloud/config"
	"github.com/aloudchat/aloud/sanitize"
)

// tell says what was found, what would be written, what was left out and what is to be done.
func (i *importing) tell() {
	for _, line := range i.found {
		fmt.Fprintln(i.out, line)
	}
	if len(i.found) == 0 {
		fmt.Fprintf(i.out, "No MCP servers of other programs were found. These are known: %s.\n", strings.Join(programKeys(), ", "))
		fmt.Fprintln(i.out, "Name a file to read another one: aloud mcp import ./mcp.json")
		return
	}
	if len(i.entries) == 0 {
		fmt.Fprintln(i.out, "There is nothing to add.")
	} else {
		fmt.Fprintf(i.out, "\nTo be added to %s:\n", shortPath(i.cfg.Path))
		for _, entry := range i.entries {
			fmt.Fprintf(i.out, "\n%s", sanitize.Text(entry.String()))
		}
	}
	if i.notes != nil {
		fmt.Fprintln(i.out, "\nLeft out or changed:")
		for _, note := range i.notes {
			fmt.Fprintln(i.out, indented(note, 2))
		}
	}
	i.tellVariables()
	for _, entry := range i.entries {
		tellAllowed(i.out, i.cfg, entry.Name)
	}
}

// tellVariables says which variables must be set, with their values only when that was asked for.
func (i *importing) tellVariables() {
	var unset []string
	for name, servers := range i.mover.needed {
		used := slices.ContainsFunc(i.entries, func(e config.Entry) bool { return slices.Contains(servers, e.Name) })
		if used && os.Getenv(name) == "" {
			unset = append(unset, name)
		}
	}
	if unset == nil {
		return
	}
	slices.Sort(unset)
	fmt.Fprintln(i.out, "\nSet these variables where you start aloud; secrets stay out of the file:")
	hidden := false
	for _, name := range unset {
		value, known := i.mover.moved[name]
		shown := "…"
		if i.own.showSecrets && known && sanitize.Text(value) == value && !strings.Contains(value, "\n") {
			shown = shellQuoted(value)
		}
		hidden = hidden || known && shown == "…"
		fmt.Fprintf(i.out, "  %s  # %s\n", exportLine(name, shown), strings.Join(i.mover.needed[name], ", "))
	}
	if hidden && !i.own.showSecrets {
		fmt.Fprintln(i.out, "Their values are in the files above; --show-secrets prints them.")
	}
}

func exportLine(name, value string) string {
	if runtime.GOOS == "windows" {
		return "$env:" + name + " = " + value
	}
	return "export " + name + "=" + value
}

// shellQuoted is a value that a shell takes as it is.
func shellQuoted(value string) string {
	if runtime.GOOS == "windows" {
		return "'" + strings.ReplaceAll(value, "'", "''") + "'"
	}
	return "'" + strings.ReplaceAll(value, "'", `'\''`) + "'"
}

// indented is a sentence below a headline. On a terminal it is broken between words, and goes on further in.
func indented(s string, by int) string {
	width, _, err := term.GetSize(os.Stdout.Fd())
	const narrowest = 20
	if err != nil || width < narrowest {
		return strings.Repeat(" ", by) + s
	}
	lines := strings.Split(ansi.Wrap(s, width-2*by, ""), "\n")
	return strings.Repeat(" ", by) + strings.Join(lines, "\n"+strings.Repeat(" ", 2*by))
}

func serverCount(n int) string {
	if n == 1 {
		return "1 server"
	}
	return fmt.Sprintf("%d servers", n)
}

// shortPath is a path for people: their home folder is ~, and the current one is a dot.
func shortPath(path string) string {
	here, _ := os.Getwd()
	home, _ := os.UserHomeDir()
	if rest, ok := strings.CutPrefix(path, here+string(filepath.Separator)); ok && here != "" && here != home {
		return sanitize.Line("." + string(filepath.Separator) + rest)
	}
	return homePath(path)
}

// homePath is a path for people who are in another folder next time.
func homePath(path string) string {
	home, _ := os.UserHomeDir()
	if rest, ok := strings.CutPrefix(path, home+string(filepath.Separator)); ok && home != "" {
		path = "~" + string(filepath.Separator) + rest
	}
	return sanitize.Line(path)
}
