package cli

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/aloudchat/aloud/config"
	"github.com/aloudchat/aloud/config/edit"
	"github.com/aloudchat/aloud/mcpclient"
	"github.com/aloudchat/aloud/mcpclient/builtin"
	"github.com/aloudchat/aloud/sanitize"
	"github.com/aloudchat/aloud/secret"
)

// addFlags are the flags of aloud mcp add.
type addFlags struct {
	server       edit.Server
	env, headers []string
	startup      time.Duration
	noCheck      bool
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
		Args: cobra.ArbitraryArgs, // read says what is missing
		RunE: func(cmd *cobra.Command, args []string) error { return addServer(cmd, *f, own, args) },
	}
	cmd.SetFlagErrorFunc(addFlagError)
	set := cmd.Flags()
	set.StringArrayVar(&own.env, "env", nil, "a variable for the command, NAME=VALUE")
	set.StringArrayVar(&own.server.EnvVars, "env-var", nil, "the name of a variable to pass on")
	set.StringArrayVar(&own.headers, "header", nil, "sent to the address, \"Name: value\"")
	set.StringVar(&own.server.BearerEnv, "bearer-token-env-var", "", "the name of the variable with the token")
	set.StringVar(&own.server.Transport, "transport", "", "http, or sse for old servers")
	set.StringVar(&own.server.Cwd, "cwd", "", "the folder to start the command in")
	set.BoolVar(&own.server.Disabled, "disabled", false, "add it switched off")
	set.BoolVar(&own.server.Trusted, "trusted", false, "run its tools without asking when they say that they only read")
	set.DurationVar(&own.startup, "startup-timeout", 20*time.Second, "how long its start may take")
	set.BoolVar(&own.noCheck, "no-check", false, "do not start it")
	return cmd
}

// addFlagError suggests -- for the flags of a command that were taken for those of aloud.
func addFlagError(cmd *cobra.Command, err error) error {
	args := cmd.Flags().Args()
	if len(args) < 2 || strings.Contains(args[1], "://") {
		return flagError(cmd, err)
	}
	write := "aloud mcp add " + args[0] + " -- " + strings.Join(args[1:], " ") + " …"
	return usage(secret.Mask(err.Error()), secret.Mask("a command comes after --, write: "+write))
}

// read makes a server of a command line. dash is the number of words before --, or -1 without a --.
func (own addFlags) read(words []string, dash int) (s edit.Server, err error) {
	s = own.server
	const write = "write: aloud mcp add name https://example.com/mcp, or: aloud mcp add name -- command"
	switch {
	case dash == 1 && len(words) > 1:
		s.Name, s.Command, s.Args = words[0], fromHere(words[1]), words[2:]
	case dash >= 0 || len(words) < 2:
		return s, usage("a server needs a name, and an address or a command", write)
	case !strings.Contains(words[1], "://"):
		hint := "write: aloud mcp add " + words[0] + " -- " + strings.Join(words[1:], " ")
		return s, usage(secret.Mask(fmt.Sprintf("%q is no address, and a command comes after --", words[1])), secret.Mask(hint))
	case len(words) > 2:
		return s, usage("a server has one address", write)
	default:
		s.Name, s.URL = words[0], words[1]
	}
	if s.Cwd != "" {
		s.Cwd = strings.TrimSuffix(fromHere(s.Cwd+"/"), "/")
	}
	if s.Env, err = pairs("env", "=", own.env); err != nil {
		return s, err
	}
	if s.Headers, err = pairs("header", ":", own.headers); err != nil {
		return s, err
	}
	return s, checkSecrets(s)
}

// fromHere makes a path absolute, since aloud may be started anywhere later. A word without a separator is a program.
func fromHere(path string) string {
	if !strings.ContainsAny(path, `/\`) || strings.HasPrefix(path, "~") || strings.HasPrefix(path, "$") {
		return path
	}
	if full, err := filepath.Abs(path); err == nil {
		return full
	}
	return path
}

// pairs reads NAME=VALUE and "Name: value".
func pairs(flag, sign string, written []string) (map[string]string, error) {
	all := map[string]string{}
	for _, pair := range written {
		name, value, ok := strings.Cut(pair, sign)
		if !ok || name == "" || strings.ContainsAny(name, " \t\n") {
			hint := map[string]string{"env": "--env 'NAME=value', or to pass on a variable: --env-var NAME", "header": "--header 'Name: value'"}
			return nil, usage("--"+flag+" has no name and value", "write it like: "+hint[flag])
		}
		all[name] = strings.TrimPrefix(value, " ")
	}
	return all, nil
}

// checkSecrets refuses a server that would put a secret into the file, without repeating it.
func checkSecrets(s edit.Server) error {
	type value struct{ what, name, text string }
	values := []value{{"the name", "", s.Name}, {"a part of the address", "", s.URL}, {"the folder", "", s.Cwd}, {"a variable's name", "", s.BearerEnv}}
	for _, variable := range slices.Concat(s.EnvVars, slices.Sorted(maps.Keys(s.Env))) {
		values = append(values, value{"a variable's name", "", variable})
	}
	for _, pairs := range []map[string]string{s.Env, s.Headers} {
		for _, name := range slices.Sorted(maps.Keys(pairs)) {
			values = append(values, value{"the value of " + name, name, pairs[name]})
		}
	}
	args := append([]string{s.Command}, s.Args...)
	for i := range args {
		name, text := secret.Argument(args, i)
		values = append(values, value{"a word of the command", name, text})
	}
	for _, v := range values {
		if secret.Looks(v.name, v.text) {
			return usage(
				v.what+" looks like a secret, which must not be in the file",
				"put it into a variable, and write: --env-var NAME, --bearer-token-env-var NAME, or '${NAME}' in its place",
			)
		}
	}
	return nil
}

func addServer(cmd *cobra.Command, f flags, own addFlags, args []string) error {
	entry, err := own.read(args, cmd.ArgsLenAtDash())
	if err != nil {
		return err
	}
	if cmd.Flags().Changed("startup-timeout") {
		if entry.Startup = own.startup; own.startup <= 0 {
			return usage(fmt.Sprintf("--startup-timeout is %q", own.startup), "it must be 100ms to 1h")
		}
	}
	if err := entry.Check(os.LookupEnv); err != nil {
		return usage(err.Error(), "see aloud mcp add --help")
	}
	path, err := configPath(f)
	if err != nil {
		return err
	}
	if err := edit.Add(path, os.LookupEnv, entry); err != nil {
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
	board := new(mcpclient.Board)
	set, closeTools := startTools(cmd.Context(), cfg, mcpclient.Options{Board: board})
	defer closeTools()
	fmt.Fprintf(cmd.ErrOrStderr(), "Starting %s…\n", name)
	_ = set.Ready(cmd.Context()) // what is wrong is on the board
	if cmd.Context().Err() != nil {
		return exit(130)
	}
	return tellStart(cmd, board.Servers(), set)
}

// tellStart says what became of the only server.
func tellStart(cmd *cobra.Command, servers []mcpclient.ServerStatus, set *mcpclient.Set) error {
	out := cmd.OutOrStdout()
	for _, s := range servers {
		name := sanitize.Line(s.Name)
		switch s.State {
		case mcpclient.ServerReady:
			fmt.Fprintf(out, "%s is ready: %s\n", name, serverWords(s))
			tellTools(cmd, set)
		case mcpclient.ServerNeedsLogin:
			fmt.Fprintf(out, "%s wants a login: aloud mcp login %s\n", name, name)
		default:
			for _, line := range s.Stderr {
				fmt.Fprintf(out, "  %s: %s\n", name, sanitize.Line(line))
			}
			hint := "it stays in the file; try again with: aloud mcp list, or take it out with: aloud mcp remove " + name
			return failure(fmt.Errorf("%s did not start: %s; %s", name, sanitize.Line(s.Detail), hint))
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
