package cli

import (
	"cmp"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"
)

func manCommand() *cobra.Command {
	return &cobra.Command{
		Use: "man", Short: "Print the manual pages", Args: argCount(0, 0),
		Long:    "Print the manual pages of all commands, one after the other, for a program that shows them.",
		Example: "aloud man | man -l -\naloud man | mandoc -a",
		Run:     func(cmd *cobra.Command, _ []string) { manual(cmd.OutOrStdout(), cmd.Root()) },
	}
}

// roff makes a text mean itself in a manual page.
var roff = strings.NewReplacer(`\`, `\e`, "-", `\-`, "\n.", "\n\\&.", "\n'", "\n\\&'").Replace

// manual writes the pages of a command and of those below it. A line ".TH NAME" begins each.
func manual(out io.Writer, cmd *cobra.Command) {
	cmd.InitDefaultHelpFlag()
	cmd.InitDefaultVersionFlag()
	name := pageOf(cmd)
	fmt.Fprintf(out, ".TH %s 1 \"\" %q\n", strings.ToUpper(name), "aloud "+cmd.Root().Version)
	fmt.Fprintf(out, ".SH NAME\n%s \\- %s\n", roff(name), roff(cmd.Short))
	fmt.Fprintf(out, ".SH SYNOPSIS\n\\fB%s\\fR\n", roff(cmd.UseLine()))
	fmt.Fprintf(out, ".SH DESCRIPTION\n%s\n", roff(cmp.Or(cmd.Long, cmd.Short+".")))
	var commands []entry
	related := []string{"aloud\\-config(5)"}
	if cmd.HasParent() {
		related = append(related, roff(pageOf(cmd.Parent()))+"(1)")
	}
	for _, c := range cmd.Commands() {
		if c.IsAvailableCommand() {
			commands = append(commands, entry{pageOf(c) + "(1)", c.Short})
		}
	}
	manualList(out, "COMMANDS", commands)
	manualList(out, "OPTIONS", flagsOf(cmd.LocalFlags()))
	manualList(out, "GLOBAL OPTIONS", flagsOf(cmd.InheritedFlags()))
	if cmd.Example != "" {
		fmt.Fprintf(out, ".SH EXAMPLES\n.nf\n%s\n.fi\n", roff(cmd.Example))
	}
	fmt.Fprintf(out, ".SH SEE ALSO\n%s\n", strings.Join(related, ", "))
	for _, c := range cmd.Commands() {
		if c.IsAvailableCommand() {
			manual(out, c)
		}
	}
}

func manualList(out io.Writer, title string, entries []entry) {
	if len(entries) > 0 {
		fmt.Fprintf(out, ".SH %s\n", title)
	}
	for _, e := range entries {
		fmt.Fprintf(out, ".TP\n\\fB%s\\fR\n%s\n", roff(e.name), roff(e.text))
	}
}

// pageOf returns the name of the manual page of a command, such as aloud-mcp-add.
func pageOf(cmd *cobra.Command) string { return strings.ReplaceAll(cmd.CommandPath(), " ", "-") }
