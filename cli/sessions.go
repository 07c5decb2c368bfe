package cli

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
	cmd := &cobra.Command{Use: "sessions", Short: "List, show, export or remove conversations"}
	with := func(do func(*session.Store) error) error {
		store, err := openSessions()
		if err != nil {
			return err
		}
		return do(store)
	}

	var output string
	list := &cobra.Command{
		Use: "list", Aliases: []string{"ls"}, Short: "List conversations, the newest first", Args: words(0, 0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := listOutput(output); err != nil {
				return err
			}
			return with(func(s *session.Store) error { return listSessions(cmd, s, output) })
		},
	}
	list.Flags().StringVar(&output, "output", "text", "text or json")

	show := &cobra.Command{
		Use: "show [id]", Short: "Show a conversation (default: the last)", Args: words(0, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return with(func(s *session.Store) error {
				return failure(s.Export(cmd.OutOrStdout(), first(args), session.Markdown))
			})
		},
	}

	var format string
	export := &cobra.Command{
		Use: "export [id]", Short: "Write a conversation to standard output", Args: words(0, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := oneOf("format", format, string(session.Markdown), string(session.JSON), string(session.JSONL)); err != nil {
				return err
			}
			return with(func(s *session.Store) error {
				return failure(s.Export(cmd.OutOrStdout(), first(args), session.Format(format)))
			})
		},
	}
	export.Flags().StringVar(&format, "format", string(session.Markdown), "markdown, json or jsonl")

	rm := &cobra.Command{
		Use: "rm id...", Short: "Remove conversations", Args: words(1, manyWords),
		RunE: func(_ *cobra.Command, args []string) error {
			return with(func(s *session.Store) error {
				for _, id := range args {
					if err := s.Remove(id); err != nil {
						return failure(err)
					}
				}
				return nil
			})
		},
	}
	cmd.AddCommand(list, show, export, rm)
	return cmd
}

// openSessions opens the folder of conversations.
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
		return failure(err)
	}
	w := tabwriter.NewWriter(cmd.OutOrStdout(), 0, 0, 2, ' ', 0)
	for _, i := range infos {
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\n", sanitize.Line(i.ID), i.Changed.Local().Format("2006-01-02 15:04"), sanitize.Line(i.Model), sanitize.Line(i.Title))
	}
	w.Flush()
	if len(infos) == 0 && err == nil {
		fmt.Fprintln(cmd.ErrOrStderr(), "no conversations yet")
	}
	return failure(err)
}

func first(args []string) string {
	if len(args) == 0 {
		return ""
	}
	return args[0]
}
