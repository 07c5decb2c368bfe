package cli

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/aloudchat/aloud/config"
	"github.com/aloudchat/aloud/mcpclient"
	"github.com/aloudchat/aloud/mcpclient/builtin"
	"github.com/aloudchat/aloud/secret"
)

// addFlags are the flags of aloud mcp add.
type addFlags struct {
	server       config.Server
	env, headers []string
	noCheck      bool
}

func mcpAddCommand(f *flags) *cobra.Command {
	own := addFlags{server: config.NewServer("")}
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
	cmd.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		return usage(secret.Mask(err.Error()), writeAdd)
	})
	set, s := cmd.Flags(), &own.server
	set.StringArrayVar(&own.env, "env", nil, "a variable for the command, NAME=VALUE")
	set.StringArrayVar(&s.EnvVars, "env-var", nil, "the name of a variable to pass on")
	set.StringArrayVar(&own.headers, "header", nil, "sent to the address, \"Name: value\"")
	set.StringVar(&s.BearerEnv, "bearer-token-env-var", "", "the name of the variable with the token")
	set.StringVar(&s.Transport, "transport", "", "http, or sse for old servers")
	set.StringVar(&s.Cwd, "cwd", "", "the folder to start the command in")
	set.BoolVar(&s.Trusted, "trusted", false, "run its tools without asking when they say that they only read")
	set.BoolVar(&own.noCheck, "no-check", false, "do not start it")
	return cmd
}

const writeAdd = "write: aloud mcp add name https://example.com/mcp, or: aloud mcp add name -- command"

// read makes a server of a command line. dash is the number of words before --, or -1 without a --.
func (own addFlags) read(words []string, dash int) (s config.Server, err error) {
	s = own.server
	switch {
	case dash == 1 && len(words) > 1:
		s.Name, s.Command, s.Args = words[0], fromHere(words[1]), words[2:]
	case dash < 0 && len(words) == 2 && strings.Contains(words[1], "://"):
		s.Name, s.URL = words[0], words[1]
	default:
		return s, usage("a server needs a name, and an address or a command", writeAdd)
	}
	if s.Cwd != "" {
		s.Cwd = strings.TrimSuffix(fromHere(s.Cwd+"/"), "/")
	}
	if s.Env, err = pairs(own.env, "=", "--env", "--env 'NAME=value', or to pass on a variable: --env-var NAME"); err != nil {
		return s, err
	}
	if s.Headers, err = pairs(own.headers, ":", "--header", "--header 'Name: value'"); err != nil {
		return s, err
	}
	if key := s.Secret(); key != "" {
		return s, usage(
			fmt.Sprintf("%q has what looks like a secret, which must not be in the file", key),
			"put it into a variable, and write: --env-var NAME, --bearer-token-env-var NAME, or '${NAME}' in its place",
		)
	}
	if err := s.Check(os.LookupEnv); err != nil {
		return s, usage(err.Error(), "see aloud mcp add --help")
	}
	return s, nil
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
func pairs(written []string, sign, flag, hint string) (map[string]string, error) {
	all := map[string]string{}
	for _, pair := range written {
		name, value, ok := strings.Cut(pair, sign)
		if !ok || name == "" || strings.ContainsAny(name, " \t\n") {
			return nil, usage(flag+" has no name and value", "write it like: "+hint)
		}
		all[name] = strings.TrimPrefix(value, " ")
	}
	return all, nil
}

func addServer(cmd *cobra.Command, f flags, own addFlags, args []string) error {
	entry, err := own.read(args, cmd.ArgsLenAtDash())
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
	fmt.Fprint(cmd.OutOrStdout(), cfg.Allowed(entry.Name))
	if own.noCheck {
		return nil
	}
	return tryServer(cmd, f, entry.Name)
}

// tryServer starts one server, says how it went, and ends it.
func tryServer(cmd *cobra.Command, f flags, name string) error {
	return withServers(cmd, f, name, func(_ context.Context, r running) error {
		servers := r.board.Servers()
		if err := listServers(cmd, servers, "text"); err != nil {
			return err
		}
		if slices.ContainsFunc(servers, func(s mcpclient.ServerStatus) bool { return s.State == mcpclient.ServerFailed }) {
			return failure(fmt.Errorf("%s did not start, and stays in the file; take it out with: aloud mcp remove %s", name, name))
		}
		return nil
	})
}

func mcpRemoveCommand(f *flags) *cobra.Command {
	return &cobra.Command{
		Use: "remove name", Aliases: []string{"rm"}, Short: "Take an MCP server out of the configuration file", Args: words(1, 1),
		Long: "Take what the configuration file says of a server out of it. Everything else in the file stays as it is.",
		RunE: func(cmd *cobra.Command, args []string) error { return removeServer(cmd, *f, args[0]) },
	}
}

func removeServer(cmd *cobra.Command, f flags, name string) error {
	cfg, err := loadConfig(cmd, f)
	if err != nil {
		return err
	}
	i := slices.IndexFunc(cfg.Servers, func(s config.Server) bool { return s.Name == name })
	isBuiltin := i >= 0 && cfg.Servers[i].Builtin == name
	err = config.RemoveServer(cfg.Path, os.LookupEnv, name)
	switch {
	case err != nil && isBuiltin:
		return usage(fmt.Sprintf("the server %q is built in", name), fmt.Sprintf("switch it off in the file: enabled = false in [mcp_servers.%s]", name))
	case err != nil:
		return err
	}
	fmt.Fprintf(cmd.OutOrStdout(), "Removed %s from %s.\n", name, shortPath(cfg.Path))
	if isBuiltin {
		fmt.Fprintln(cmd.OutOrStdout(), "It is built in, and now as it was before.")
	}
	fmt.Fprint(cmd.OutOrStdout(), cfg.Allowed(name))
	return nil
}
