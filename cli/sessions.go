package cli

import (
	"bufio"
	"cmp"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"text/tabwriter"

	"github.com/charmbracelet/x/term"
	"github.com/spf13/cobra"

	"github.com/aloudchat/aloud/config"
	"github.com/aloudchat/aloud/internal/sanitize"
	"github.com/aloudchat/aloud/session"
	"github.com/aloudchat/aloud/ui"
)

func sessionsCommand() *cobra.Command {
	all := &cobra.Command{Use: "sessions COMMAND", Short: "Manage saved conversations"}
	type runner func(cmd *cobra.Command, store *session.Store, args []string) error
	add := func(cmd *cobra.Command, run runner) *cobra.Command {
		cmd.RunE = func(cmd *cobra.Command, args []string) error {
			store, err := openSessions()
			if err != nil {
				return err
			}
			return failure(run(cmd, store, args))
		}
		all.AddCommand(cmd)
		return cmd
	}

	var output, format string
	list := &cobra.Command{Use: "list", Aliases: []string{"ls"}, Short: "List conversations", Args: argCount(0, 0)}
	outputFlag(add(list, func(cmd *cobra.Command, s *session.Store, _ []string) error {
		return listSessions(cmd, s, output)
	}), &output)

	show := &cobra.Command{Use: "show [ID]", Short: "Show a conversation, by default the last one", Args: argCount(0, 1)}
	add(show, func(cmd *cobra.Command, s *session.Store, args []string) error {
		if out, ok := cmd.OutOrStdout().(*stdout); ok && term.IsTerminal(out.Fd()) {
			_, conv, turns, err := s.Read(first(args))
			if err != nil {
				return err
			}
			return ui.Print(out.File, conv, turns)
		}
		return s.Export(cmd.OutOrStdout(), first(args), session.Markdown)
	})

	export := &cobra.Command{Use: "export [ID]", Short: "Print a conversation as Markdown or JSON", Args: argCount(0, 1)}
	add(export, func(cmd *cobra.Command, s *session.Store, args []string) error {
		if err := oneOf("format", format, string(session.Markdown), string(session.JSON)); err != nil {
			return err
		}
		return s.Export(cmd.OutOrStdout(), first(args), session.Format(format))
	}).Flags().StringVar(&format, "format", string(session.Markdown), "`FORMAT` of the export: markdown or json")

	trace := &cobra.Command{Use: "trace [ID]", Short: "Print the times of a conversation as OpenTelemetry JSON",
		Long: "Print the turns, requests and tool calls of a conversation as OpenTelemetry JSON (OTLP), for a viewer of\n" +
			"traces. It has names and numbers only, no messages, arguments or results.", Args: argCount(0, 1)}
	add(trace, func(cmd *cobra.Command, s *session.Store, args []string) error {
		return s.Trace(cmd.OutOrStdout(), first(args))
	})

	rename := &cobra.Command{Use: "rename ID NAME", Short: "Give a conversation a name", Args: argCount(2, math.MaxInt)}
	add(rename, func(_ *cobra.Command, s *session.Store, args []string) error {
		return s.Rename(args[0], strings.Join(args[1:], " "))
	})

	var found string
	search := &cobra.Command{Use: "search WORDS", Short: "Find conversations with a message that has all words",
		Args: argCount(1, math.MaxInt)}
	outputFlag(add(search, func(cmd *cobra.Command, s *session.Store, args []string) error {
		infos, err := s.Search(cmd.Context(), strings.Join(args, " "))
		if err == nil && len(infos) == 0 {
			return fmt.Errorf("no conversation has %q", strings.Join(args, " "))
		}
		return cmp.Or(printSessions(cmd, infos, found), err)
	}), &found)

	rm := &cobra.Command{Use: "rm ID...", Short: "Remove conversations", Args: argCount(1, math.MaxInt)}
	add(rm, func(_ *cobra.Command, s *session.Store, args []string) error {
		for _, id := range args {
			if err := s.Remove(id); err != nil {
				return err
			}
		}
		return nil
	})
	return all
}

// openSessions opens the folder of saved conversations.
func openSessions() (*session.Store, error) {
	state, err := config.StateDir(os.LookupEnv)
	if err != nil {
		return nil, usage(err.Error(), "")
	}
	return session.Open(filepath.Join(state, sessionsFolder)), nil
}

func listSessions(cmd *cobra.Command, store *session.Store, output string) error {
	infos, err := store.List()
	if printed := printSessions(cmd, infos, output); printed != nil {
		return printed
	}
	if len(infos) == 0 && err == nil && output != "json" {
		fmt.Fprintln(cmd.ErrOrStderr(), "No saved conversations")
	}
	return err
}

// printSessions prints a line for each session, with the excerpt of a search below it.
func printSessions(cmd *cobra.Command, infos []session.Info, output string) error {
	if output == "json" {
		return printJSON(cmd, append([]session.Info{}, infos...))
	}
	out := bufio.NewWriter(cmd.OutOrStdout()) // a tabwriter writes every cell
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	for _, i := range infos {
		changed := i.Changed.Local().Format("2006-01-02 15:04")
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\n", sanitize.Line(i.ID), changed, sanitize.Line(i.Model), sanitize.Line(i.Title))
		if i.Excerpt != "" {
			fmt.Fprintf(w, "  %s\n", i.Excerpt)
		}
	}
	w.Flush()
	return out.Flush()
}

func first(args []string) string {
	if len(args) == 0 {
		return ""
	}
	return args[0]
}
