package cli

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/aloudchat/aloud/config"
	"github.com/aloudchat/aloud/config/adding"
	"github.com/aloudchat/aloud/mcpclient"
	"github.com/aloudchat/aloud/mcpclient/builtin"
	"github.com/aloudchat/aloud/sanitize"
	"github.com/aloudchat/aloud/secret"
	"github.com/aloudchat/aloud/status"
)

// addFlags are those of aloud mcp add.
type addFlags struct {
	adding.Line
	startup time.Duration
	noCheck bool
}

func mcpAddCommand(f *flags) *cobra.Command {
	var own addFlags
	cmd := &cobra.Command{
		Use:   "add name [address] [-- command]",
		Short: "Add an MCP server to the configuration file, and start it once",
		Long: "Add a program of this machine, or a server in the network, to the configuration file. Everything else in the file stays as it is. " +
			"The server is then started once, to see how it goes; it stays in the file whatever comes of that. " +
			"--env, --env-var and --header can be given more than once. Secrets do not belong in the file: put them into environment variables.",
		Example: `# a program of this machine
aloud mcp add memory -- npx -y @modelcontextprotocol/server-memory

# with a variable of the environment passed on
aloud mcp add github --env-var GITHUB_TOKEN -- github-mcp-server stdio

# a server in the network
aloud mcp add docs https://example.com/mcp`,
		Args: cobra.ArbitraryArgs, // Line knows what is missing
		RunE: func(cmd *cobra.Command, args []string) error { return addServer(cmd, *f, own, args) },
	}
	cmd.SetFlagErrorFunc(addFlagError)
	set := cmd.Flags()
	set.StringArrayVar(&own.Env, "env", nil, "a variable for the command, NAME=VALUE")
	set.StringArrayVar(&own.EnvVars, "env-var", nil, "the name of a variable to pass on")
	set.StringArrayVar(&own.Headers, "header", nil, "sent to the address, \"Name: value\"")
	set.StringVar(&own.BearerEnv, "bearer-token-env-var", "", "the name of the variable with the token")
	set.StringVar(&own.Transport, "transport", "", "http, or sse for old servers")
	set.StringVar(&own.Cwd, "cwd", "", "the folder to start the command in")
	set.BoolVar(&own.Disabled, "disabled", false, "add it switched off")
	set.BoolVar(&own.Trusted, "trusted", false, "run its tools without asking when they say that they only read")
	set.DurationVar(&own.startup, "startup-timeout", 20*time.Second, "how long its start may take")
	set.BoolVar(&own.noCheck, "no-check", false, "do not start it")
	return cmd
}

// addFlagError knows the flags of a command that somebody wrote without -- before it.
func addFlagError(cmd *cobra.Command, err error) error {
	if hint := adding.Hint(cmd.Flags().Args()); hint != "" {
		return usageError{secret.Mask(err.Error()), hint}
	}
	usage, _ := errors.AsType[usageError](flagError(cmd, err))
	return usageError{secret.Mask(usage.text), secret.Mask(usage.hint)}
}

func addServer(cmd *cobra.Command, f flags, own addFlags, args []string) error {
	own.Words, own.Dash = args, cmd.ArgsLenAtDash()
	if cmd.Flags().Changed("startup-timeout") {
		own.Startup = &own.startup
	}
	entry, err := own.Entry()
	if err != nil {
		return err
	}
	path, err := configPath(f)
	if err != nil {
		return err
	}
	if err := config.AddServers(path, os.LookupEnv, entry); err != nil {
		return err
	}
	fmt.Fprintf(cmd.OutOrStdout(), "Added %s to %s.\n", entry.Name, shortPath(path))
	if slices.Contains(builtin.Names(), entry.Name) {
		fmt.Fprintf(cmd.OutOrStdout(), "It takes the place of the server %q that is built in.\n", entry.Name)
	}
	cfg, err := loadConfig(cmd, f)
	if err != nil {
		return err
	}
	tellAllowed(cmd, cfg, entry.Name)
	if own.noCheck || entry.Disabled {
		return nil
	}
	closeLog, err := openLog(f.log)
	if err != nil {
		return err
	}
	defer closeLog()
	return tryServer(cmd, cfg, entry.Name)
}

// tryServer starts one server, says how it went, and ends it.
func tryServer(cmd *cobra.Command, cfg *config.Config, name string) error {
	keepServer(cfg, name)
	board := new(status.Board)
	set, closeTools := startTools(cmd.Context(), cfg, mcpclient.Options{Board: board})
	defer closeTools()
	fmt.Fprintf(cmd.ErrOrStderr(), "Starting %s…\n", name)
	_ = set.Ready(cmd.Context()) // what is wrong is on the board
	if cmd.Context().Err() != nil {
		return exitError(130)
	}
	return tellStart(cmd, board.Servers(), set)
}

// tellStart says what became of the only server.
func tellStart(cmd *cobra.Command, servers []status.Server, set *mcpclient.Set) error {
	out := cmd.OutOrStdout()
	for _, s := range servers {
		name := sanitize.Line(s.Name)
		switch s.State {
		case status.ServerReady:
			fmt.Fprintf(out, "%s is ready: %s\n", name, serverWords(s))
			tellTools(cmd, set)
		case status.ServerNeedsLogin:
			fmt.Fprintf(out, "%s wants a login: aloud mcp login %s\n", name, name)
		default:
			for _, line := range s.Stderr {
				fmt.Fprintf(out, "  %s: %s\n", name, sanitize.Line(line))
			}
			hint := "it stays in the file; try again with: aloud mcp list, or take it out with: aloud mcp remove " + name
			return failure{fmt.Errorf("%s did not start: %s; %s", name, sanitize.Line(s.Detail), hint)}
		}
	}
	return nil
}

// tellTools names the tools of a server, as many as fit on a few lines.
func tellTools(cmd *cobra.Command, set *mcpclient.Set) {
	const most = 12
	tools := set.Tools()
	for _, t := range tools[:min(len(tools), most)] {
		fmt.Fprintf(cmd.OutOrStdout(), "  %s\n", sanitize.Line(t.ServerTool))
	}
	if len(tools) > most {
		fmt.Fprintf(cmd.OutOrStdout(), "  and %d more: aloud mcp tools %s\n", len(tools)-most, sanitize.Line(tools[0].Server))
	}
}
