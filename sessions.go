package main

import (
	"fmt"
	"os"
	"path/filepath"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/aloudchat/aloud/config"
	"github.com/aloudchat/aloud/sanitize"
	"github.com/aloudchat/aloud/session"
)

func sessionsCommand() *cobra.Command {
	cmd := &cobra.Command{Use: "sessions", Short: "List, show, export or remove conversations", Args: cobra.NoArgs}
	store := func() *session.Store {
		state, _ := config.StateDir(os.LookupEnv) // without a home the folder is empty, and so is the list
		return session.Open(filepath.Join(state, sessionsFolder))
	}

	var output string
	list := &cobra.Command{
		Use: "list", Aliases: []string{"ls"}, Short: "List conversations, the newest first", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return listSessions(cmd, store(), output) },
	}
	list.Flags().StringVar(&output, "output", "text", "text or json")

	show := &cobra.Command{
		Use: "show [id]", Short: "Show a conversation (default: the last)", Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return asFailure(store().Export(cmd.OutOrStdout(), first(args), session.Markdown))
		},
	}

	var format string
	export := &cobra.Command{
		Use: "export [id]", Short: "Write a conversation to standard output", Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return asFailure(store().Export(cmd.OutOrStdout(), first(args), session.Format(format)))
		},
	}
	export.Flags().StringVar(&format, "format", string(session.Markdown), "markdown, json or jsonl")

	rm := &cobra.Command{
		Use: "rm id...", Short: "Remove conversations", Args: cobra.MinimumNArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			for _, id := range args {
				if err := store().Remove(id); err != nil {
					return failure{err}
				}
			}
			return nil
		},
	}
	cmd.AddCommand(list, show, export, rm)
	return cmd
}

func listSessions(cmd *cobra.Command, store *session.Store, output string) error {
	infos, err := store.List()
	if output == "json" {
		if printed := printJSON(cmd, append([]session.Info{}, infos...)); printed != nil {
			return printed
		}
		return asFailure(err)
	}
	w := tabwriter.NewWriter(cmd.OutOrStdout(), 0, 0, 2, ' ', 0)
	for _, i := range infos {
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\n", i.ID, i.Changed.Local().Format("2006-01-02 15:04"), sanitize.Line(i.Model), sanitize.Line(i.Title))
	}
	w.Flush()
	if len(infos) == 0 && err == nil {
		fmt.Fprintln(cmd.ErrOrStderr(), "no conversations yet")
	}
	return asFailure(err)
}

func first(args []string) string {
	if len(args) == 0 {
		return ""
	}
	return args[0]
}

// asFailure keeps nil nil.
func asFailure(err error) error {
	if err == nil {
		return nil
	}
	return failure{err}
}
