package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/aloudchat/aloud/config"
	"github.com/aloudchat/aloud/headless"
	"github.com/aloudchat/aloud/internal/quantity"
	"github.com/aloudchat/aloud/internal/sanitize"
	"github.com/aloudchat/aloud/mcpclient"
	"github.com/aloudchat/aloud/mcpclient/elicit"
	"github.com/aloudchat/aloud/mcpclient/servers"
)

func mcpCommand(f *flags) *cobra.Command {
	cmd := &cobra.Command{Use: "mcp COMMAND", Short: "Manage MCP servers and call their tools"}
	var output string
	list := &cobra.Command{
		Use: "list", Aliases: []string{"ls"}, Short: "Start every configured server and show its state", Args: argCount(0, 0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return withServers(cmd, *f, "", false, func(_ context.Context, r running) error {
				return listServers(cmd, r.board.Servers(), output)
			})
		},
	}
	tools := &cobra.Command{
		Use: "tools [SERVER]", Short: "List tools and their size in tokens", Args: argCount(0, 1),
		Long: "List the tools of all servers, or of one, with an estimate of the tokens that each takes in every request. " +
			"The percentage is of the configured context window, or of the 8192 tokens with which a chat starts.",
		RunE: func(cmd *cobra.Command, args []string) error {
			return withServers(cmd, *f, first(args), true, func(_ context.Context, r running) error {
				if err := usable(r.board.Servers(), args); err != nil {
					return err
				}
				for _, s := range r.board.Servers() {
					if words := headless.Missing(s); words != "" {
						fmt.Fprintln(cmd.ErrOrStderr(), sanitize.Line(words))
					}
				}
				return listTools(cmd, toolsOf(r.set, first(args)), r.cfg.Context, output)
			})
		},
	}
	for _, c := range []*cobra.Command{list, tools} {
		outputFlag(c, &output)
	}
	cmd.AddCommand(list, tools, mcpCallCommand(f))
	cmd.AddCommand(mcpAddCommand(f), mcpRemoveCommand(f), mcpImportCommand(f), mcpLoginCommand(f), mcpLogoutCommand(f))
	return cmd
}

// running has the configured servers, each of which is ready, has failed or is late.
type running struct {
	cfg   *config.Config
	set   *servers.Set
	board *servers.Board
	inbox *elicit.Inbox // declines requests of the servers
}

// withServers starts the configured servers, or only the one named only, waits until each is ready or has failed, calls
// do and ends the servers. Only with patient it waits for servers that are being installed.
func withServers(
	cmd *cobra.Command, f flags, only string, patient bool, do func(context.Context, running) error,
) error {
	return withConfig(cmd, f, func(cfg *config.Config) error {
		if only != "" {
			cfg.Servers = slices.DeleteFunc(cfg.Servers, func(s config.Server) bool { return s.Name != only })
		}
		r := running{cfg: cfg, board: new(servers.Board), inbox: elicit.NewInbox(false)}
		options := servers.Options{Board: r.board, Host: r.inbox, Patient: patient}
		set, closeTools := startTools(cmd.Context(), cfg, options)
		defer closeTools()
		r.set = set
		_ = headless.Connect(cmd.Context(), r.headless(cmd, f), set, set.Ready) // the board has the error
		if cmd.Context().Err() != nil {
			return exit(130)
		}
		return do(cmd.Context(), r)
	})
}

func (r running) headless(cmd *cobra.Command, f flags) headless.Options {
	o := headlessOptions(cmd, r.cfg, f)
	o.Chat, o.Inbox, o.Board = newChat(r.cfg, nil, r.set), r.inbox, r.board
	return o
}

func listServers(cmd *cobra.Command, servers []mcpclient.ServerStatus, output string) error {
	if output == "json" {
		type row struct {
			Name   string   `json:"name"`
			State  string   `json:"state"`
			Detail string   `json:"detail"`
			Tools  int      `json:"tools"`
			TookMS int64    `json:"took_ms"`
			Stderr []string `json:"stderr"`
		}
		rows := make([]row, 0, len(servers))
		for _, s := range servers {
			stderr := append([]string{}, s.Stderr...) // never null
			rows = append(rows, row{s.Name, string(s.State), s.Detail, s.Tools, s.Took.Milliseconds(), stderr})
		}
		return printJSON(cmd, rows)
	}
	w := tabwriter.NewWriter(cmd.OutOrStdout(), 0, 0, 2, ' ', 0)
	for _, s := range servers {
		fmt.Fprintf(w, "%s\t%s\t%s\n", sanitize.Line(s.Name), s.State, describeServer(s))
	}
	w.Flush()
	for _, s := range servers {
		for _, line := range s.Stderr {
			if s.State != mcpclient.ServerReady {
				fmt.Fprintf(cmd.OutOrStdout(), "  %s: %s\n", sanitize.Line(s.Name), sanitize.Line(line))
			}
		}
	}
	return nil
}

// usable returns an error if the server named by the first of args cannot be used.
func usable(servers []mcpclient.ServerStatus, args []string) error {
	if len(args) == 0 {
		return nil
	}
	i := slices.IndexFunc(servers, func(s mcpclient.ServerStatus) bool { return s.Name == args[0] })
	switch {
	case i < 0:
		return unknownServer(args[0])
	case servers[i].State == mcpclient.ServerFailed:
		return failure(fmt.Errorf("server %q failed: %s", args[0], servers[i].Reason()))
	case servers[i].State == mcpclient.ServerNeedsLogin:
		return failure(errors.New(servers[i].Detail))
	case servers[i].State == mcpclient.ServerOff:
		return failure(fmt.Errorf("the server %q is turned off; set enabled = true in the configuration file", args[0]))
	}
	return nil
}

func unknownServer(name string) error {
	return usage(fmt.Sprintf("no server %q configured", name), "see: aloud config show")
}

// describeServer describes a server on one line.
func describeServer(s mcpclient.ServerStatus) string {
	words := sanitize.Line(s.Detail)
	switch s.State {
	case mcpclient.ServerReady:
		if words != "" {
			words = ", " + words
		}
		return fmt.Sprintf("%s, %s%s", quantity.Plural(s.Tools, "tool"), s.Took.Round(time.Millisecond), words)
	case mcpclient.ServerNeedsLogin:
		return "log in with: aloud mcp login " + sanitize.Line(s.Name)
	}
	return words
}

func printJSON(cmd *cobra.Command, v any) error {
	text, err := sanitize.EncodeJSON(v, "  ")
	if err == nil {
		_, err = cmd.OutOrStdout().Write(text)
	}
	return failure(err)
}
