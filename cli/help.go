package cli

import (
	"bufio"
	"cmp"
	"fmt"
	"os"
	"runtime/debug"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

const (
	nameColumn = 26  // cells for the name of a command or flag
	widestHelp = 100 // cells
)

// indented indents all lines that are not empty.
var indented = strings.NewReplacer("\n\n", "\n\n  ", "\n", "\n  ")

// help prints the help of a command, wrapped to the width of the terminal.
func help(cmd *cobra.Command, _ []string) {
	out, width := bufio.NewWriter(cmd.OutOrStdout()), min(widthOf(os.Stdout), widestHelp)
	defer out.Flush()
	fmt.Fprintf(out, "%s\n\nUsage:\n  %s\n", wrap(cmp.Or(cmd.Long, cmd.Short), 0, width), cmd.UseLine())
	if cmd.Example != "" {
		fmt.Fprintf(out, "\nExamples:\n  %s\n", indented.Replace(cmd.Example))
	}
	table := func(title string, entries []entry) {
		if len(entries) > 0 {
			fmt.Fprintf(out, "\n%s:\n", title)
		}
		for _, e := range entries {
			name := "  " + e.name
			if len(name)+2 > nameColumn {
				fmt.Fprintln(out, name)
				name = ""
			}
			fmt.Fprintf(out, "%-*s%s\n", nameColumn, name, wrap(e.text, nameColumn, width))
		}
	}
	var commands []entry
	for _, c := range cmd.Commands() {
		if c.IsAvailableCommand() {
			commands = append(commands, entry{c.Use, c.Short})
		}
	}
	table("Commands", commands)
	table("Flags", flagsOf(cmd.LocalFlags()))
	table("Global flags", flagsOf(cmd.InheritedFlags()))
}

// entry is a command or a flag.
type entry struct{ name, text string }

func flagsOf(flags *pflag.FlagSet) (list []entry) {
	flags.VisitAll(func(f *pflag.Flag) {
		value, text := pflag.UnquoteUsage(f) // the value is the quoted word of the text
		name := strings.TrimSpace("--" + f.Name + " " + value)
		if f.Shorthand != "" {
			name = "-" + f.Shorthand + ", " + name
		}
		if f.DefValue != "" && f.DefValue != "false" && f.DefValue != "[]" {
			text += " (default " + f.DefValue + ")"
		}
		list = append(list, entry{name, text})
	})
	return list
}

// wrap breaks a text between words into lines of at most width cells. All lines but the first are indented.
func wrap(text string, indent, width int) string {
	var b strings.Builder
	column := indent
	for i, word := range strings.Fields(text) {
		switch {
		case i == 0:
		case column+1+len(word) > width:
			fmt.Fprintf(&b, "\n%*s", indent, "")
			column = indent
		default:
			b.WriteByte(' ')
			column++
		}
		b.WriteString(word)
		column += len(word)
	}
	return b.String()
}

// builtVersion returns the version of a program that the release build did not set one for.
func builtVersion() string {
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Sum != "" {
		return info.Main.Version
	}
	return "unknown (built from source)"
}
