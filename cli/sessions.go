package cli

import (
	"bufio"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/aloudchat/aloud/config"
	"github.com/aloudchat/aloud/internal/sanitize"
	"github.com/aloudchat/aloud/session"
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
	if output == "json" {
		if printed := printJSON(cmd, append([]session.Info{}, infos...)); printed != nil {
			return printed
		}
		return err
	}
	out := bufio.NewWriter(cmd.OutOrStdout()) // a tabwriter writes every cell
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	for _, i := range infos {
		changed := i.Changed.Local().Format("2006-01-02 15:04")
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\n", sanitize.Line(i.ID), changed, sanitize.Line(i.Model), sanitize.Line(i.Title))
	}
	w.Flush()
	out.Flush()
	if len(infos) == 0 && err == nil {
		fmt.Fprintln(cmd.ErrOrStderr(), "No saved conversations")
	}
	return err
}

func first(args []string) string {
	if len(args) == 0 {
		return ""
	}
	return args[0]
}
