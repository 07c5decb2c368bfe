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
	"github.com/aloudchat/aloud/internal/secret"
	"github.com/aloudchat/aloud/mcpclient"
	"github.com/aloudchat/aloud/mcpclient/builtin"
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
		Use:   "add NAME [URL] [-- COMMAND]",
		Short: "Add an MCP server to the configuration file and test it",
		Long: "Add a local program or a remote server to the configuration file, and start it once to test it. It stays in " +
			"the file if that fails. The rest of the file does not change. Keep secrets in environment variables, not in " +
			"the file.",
		Example: `# a local program
aloud mcp add memory -- npx -y @modelcontextprotocol/server-memory

# a local program that reads an environment variable
aloud mcp add github --env-var GITHUB_TOKEN -- github-mcp-server stdio

# a remote server
aloud mcp add docs https://example.com/mcp`,
		Args: cobra.ArbitraryArgs, // read reports missing arguments
		RunE: func(cmd *cobra.Command, args []string) error { return addServer(cmd, *f, own, args) },
	}
	cmd.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		return usage(secret.Mask(err.Error()), writeAdd)
	})
	set, s := cmd.Flags(), &own.server
	set.StringArrayVar(&own.env, "env", nil, "set an environment variable, as `NAME=VALUE`; may be repeated")
	set.StringArrayVar(&s.EnvVars, "env-var", nil, "pass on the environment variable `NAME`; may be repeated")
	set.StringArrayVar(&own.headers, "header", nil, "send an HTTP header, as `'NAME: VALUE'`; may be repeated")
	set.StringVar(&s.BearerEnv, "bearer-token-env-var", "", "send the token in the environment variable `NAME`")
	set.StringVar(&s.Transport, "transport", "", "`NAME` of the transport: http, or sse for old servers")
	set.StringVar(&s.Cwd, "cwd", "", "start the command in `DIR`")
	set.BoolVar(&s.Trusted, "trusted", false, "do not ask before running tools that it declares read-only")
	set.BoolVar(&own.noCheck, "no-check", false, "do not start the server")
	return cmd
}

const writeAdd = "write: aloud mcp add NAME URL, or: aloud mcp add NAME -- COMMAND"

// read makes a server from the arguments. dash is the number of arguments before --, or -1 without it.
func (own addFlags) read(words []string, dash int) (s config.Server, err error) {
	s = own.server
	switch {
	case dash == 1 && len(words) > 1:
		s.Name, s.Command, s.Args = words[0], fromHere(words[1]), words[2:]
	case dash < 0 && len(words) == 2 && strings.Contains(words[1], "://"):
		s.Name, s.URL = words[0], words[1]
	default:
		return s, usage("a server needs a name and either a URL or a command", writeAdd)
	}
	if s.Cwd != "" {
		s.Cwd = strings.TrimSuffix(fromHere(s.Cwd+"/"), "/")
	}
	if s.Env, err = pairs(own.env, "=", "a variable", "--env 'NAME=VALUE', or --env-var NAME"); err != nil {
		return s, err
	}
	if s.Headers, err = pairs(own.headers, ":", "a header", "--header 'NAME: VALUE'"); err != nil {
		return s, err
	}
	if key := s.Secret(); key != "" {
		return s, usage(
			fmt.Sprintf("%q seems to contain a secret, which does not belong in the file", key),
			"put it in a variable, and write: --env-var NAME, --bearer-token-env-var NAME, or '${NAME}' in its place",
		)
	}
	if _, err := s.Loaded(os.LookupEnv); err != nil {
		return s, usage(err.Error(), "see: aloud mcp add --help")
	}
	return s, nil
}

// fromHere makes a path absolute, because aloud may be started elsewhere later. A word without a separator stays.
func fromHere(path string) string {
	if !strings.ContainsAny(path, `/\`) || strings.HasPrefix(path, "~") || strings.HasPrefix(path, "$") {
		return path
	}
	if full, err := filepath.Abs(path); err == nil {
		return full
	}
	return path
}

// pairs parses NAME=VALUE and "NAME: VALUE".
func pairs(written []string, sign, kind, hint string) (map[string]string, error) {
	all := map[string]string{}
	for _, pair := range written {
		name, value, ok := strings.Cut(pair, sign)
		if !ok || name == "" || strings.ContainsAny(name, " \t\n") {
			return nil, usage(kind+" needs a name and a value", "write: "+hint)
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
	path, err := config.Path(f.config, os.LookupEnv)
	if err != nil {
		return err
	}
	if err := config.AddServers(path, os.LookupEnv, entry); err != nil {
		return err
	}
	fmt.Fprintf(cmd.OutOrStdout(), "Added %s to %s.\n", entry.Name, shortPath(path))
	if slices.Contains(builtin.Names(), entry.Name) {
		fmt.Fprintf(cmd.OutOrStdout(), "It replaces the built-in server %q.\n", entry.Name)
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

// tryServer starts one server, prints its state, and ends it.
func tryServer(cmd *cobra.Command, f flags, name string) error {
	return withServers(cmd, f, name, true, func(_ context.Context, r running) error {
		servers := r.board.Servers()
		if err := listServers(cmd, servers, "text"); err != nil {
			return err
		}
		if slices.ContainsFunc(servers, func(s mcpclient.ServerStatus) bool { return s.State == mcpclient.ServerFailed }) {
			return failure(fmt.Errorf("%s did not start. To remove it from the file: aloud mcp remove %s", name, name))
		}
		return nil
	})
}

func mcpRemoveCommand(f *flags) *cobra.Command {
	return &cobra.Command{
		Use: "remove NAME", Aliases: []string{"rm"}, Args: argCount(1, 1),
		Short: "Remove an MCP server from the configuration file",
		RunE:  func(cmd *cobra.Command, args []string) error { return removeServer(cmd, *f, args[0]) },
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
		return usage(fmt.Sprintf("the server %q is built in", name),
			fmt.Sprintf("to turn it off, set enabled = false in [mcp_servers.%s]", name))
	case err != nil:
		return err
	}
	fmt.Fprintf(cmd.OutOrStdout(), "Removed %s from %s.\n", name, shortPath(cfg.Path))
	fmt.Fprint(cmd.OutOrStdout(), cfg.Allowed(name))
	return nil
}
