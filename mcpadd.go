package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/aloudchat/aloud/config"
	"github.com/aloudchat/aloud/config/importing"
	"github.com/aloudchat/aloud/mcpclient"
	"github.com/aloudchat/aloud/sanitize"
	"github.com/aloudchat/aloud/secret"
	"github.com/aloudchat/aloud/status"
)

// addFlags are those of aloud mcp add.
type addFlags struct {
	env, envVars, headers []string
	bearer, transport     string
	cwd                   string
	disabled, trusted     bool
	startup               time.Duration
	noCheck               bool
}

func mcpAddCommand(f *flags) *cobra.Command {
	var own addFlags
	cmd := &cobra.Command{
		Use:   "add name [address] [-- command]",
		Short: "Add an MCP server to the configuration file, and start it once",
		Long: "Add a program of this machine, or a server in the network, to the configuration file. Everything else in the file stays as it is. " +
			"The server is then started once, to see how it goes; it stays in the file whatever comes of that. " +
			"--env, --env-var and --header can be given more than once. Secrets do not belong into the file: their place is in variables.",
		Example: `# a program of this machine
aloud mcp add memory -- npx -y @modelcontextprotocol/server-memory

# with a variable of the environment passed on
aloud mcp add github --env-var GITHUB_TOKEN -- github-mcp-server stdio

# a server in the network
aloud mcp add docs https://example.com/mcp`,
		Args: words(2, manyWords),
		RunE: func(cmd *cobra.Command, args []string) error { return addServer(cmd, *f, own, args) },
	}
	set := cmd.Flags()
	set.StringArrayVar(&own.env, "env", nil, "a variable for the command, NAME=VALUE")
	set.StringArrayVar(&own.envVars, "env-var", nil, "the name of a variable to pass on")
	set.StringArrayVar(&own.headers, "header", nil, "sent to the address, \"Name: value\"")
	set.StringVar(&own.bearer, "bearer-token-env-var", "", "the name of the variable with the token")
	set.StringVar(&own.transport, "transport", "", "http, or sse for old servers")
	set.StringVar(&own.cwd, "cwd", "", "the folder to start the command in")
	set.BoolVar(&own.disabled, "disabled", false, "add it switched off")
	set.BoolVar(&own.trusted, "trusted", false, "what says it only reads runs without asking")
	set.DurationVar(&own.startup, "startup-timeout", 20*time.Second, "how long its start may take")
	set.BoolVar(&own.noCheck, "no-check", false, "do not start it")
	return cmd
}

func addServer(cmd *cobra.Command, f flags, own addFlags, args []string) error {
	entry, err := own.entry(cmd, args)
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
	cfg, err := loadConfig(cmd, f)
	if err != nil {
		return err
	}
	tellAllowed(cmd, cfg, entry.Name)
	if own.noCheck || own.disabled {
		return nil
	}
	closeLog, err := openLog(f.log)
	if err != nil {
		return err
	}
	defer closeLog()
	return tryServer(cmd, cfg, entry.Name)
}

// entry is what the command line says.
func (own addFlags) entry(cmd *cobra.Command, args []string) (config.Entry, error) {
	e := config.Entry{
		Name: args[0], EnvVars: own.envVars, Cwd: own.cwd, Transport: own.transport, BearerEnv: own.bearer,
		Disabled: own.disabled, Trusted: own.trusted,
	}
	if cmd.Flags().Changed("startup-timeout") {
		e.Startup = own.startup
	}
	if importing.ValidName(e.Name) != e.Name || len(e.Name) > importing.LongestName {
		return e, usageError{fmt.Sprintf("the server's name %q must be letters, digits, - and _, at most %d", e.Name, importing.LongestName), "take for example: " + importing.ValidName(e.Name)}
	}
	rest := args[1:]
	switch address := strings.HasPrefix(rest[0], "http://") || strings.HasPrefix(rest[0], "https://"); {
	case cmd.ArgsLenAtDash() == 1:
		e.Command, e.Args = fromHere(rest[0]), rest[1:]
	case address && len(rest) == 1:
		e.URL = rest[0]
	case address:
		return e, usageError{fmt.Sprintf("%q is more than an address", strings.Join(rest, " ")), "write: aloud mcp add " + e.Name + " " + rest[0]}
	default:
		return e, usageError{
			fmt.Sprintf("%q is no address, and a command comes after --", rest[0]),
			"write: aloud mcp add " + e.Name + " -- " + strings.Join(rest, " "),
		}
	}
	if e.Cwd != "" {
		e.Cwd = strings.TrimSuffix(fromHere(e.Cwd+"/"), "/")
	}
	if err := own.fits(e); err != nil {
		return e, err
	}
	var err error
	if e.Env, err = named("env", "=", own.env); err != nil {
		return e, err
	}
	if e.Headers, err = named("header", ":", own.headers); err != nil {
		return e, err
	}
	return e, inTheOpen(e)
}

// fromHere is a path that means the same wherever aloud is started. A word without a separator is no path, but the name of a program.
func fromHere(path string) string {
	if !strings.ContainsAny(path, `/\`) || strings.HasPrefix(path, "~") || strings.HasPrefix(path, "$") {
		return path
	}
	if full, err := filepath.Abs(path); err == nil {
		return full
	}
	return path
}

// fits refuses flags that have no meaning for the kind of server.
func (own addFlags) fits(e config.Entry) error {
	network := own.bearer != "" || own.headers != nil
	local := own.env != nil || own.envVars != nil || own.cwd != ""
	switch {
	case e.Command != "" && network:
		return usageError{"--header and --bearer-token-env-var are for servers with an address; this one has a command", "write --env-var NAME to pass a variable on"}
	case e.URL != "" && local:
		return usageError{"--env, --env-var and --cwd are for servers with a command; this one has an address", "write --header or --bearer-token-env-var NAME"}
	case e.Command != "" && own.transport != "":
		return oneOf("transport for a command", own.transport, "stdio")
	case e.URL != "" && own.transport != "":
		return oneOf("transport for an address", own.transport, "http", "sse")
	}
	return nil
}

// named reads NAME=VALUE and "Name: value".
func named(flag, sign string, pairs []string) (map[string]string, error) {
	all := map[string]string{}
	for _, pair := range pairs {
		name, value, ok := strings.Cut(pair, sign)
		if name = strings.TrimSpace(name); !ok || name == "" {
			return nil, usageError{fmt.Sprintf("--%s has no name and value", flag), "write it like: --" + flag + " 'NAME" + sign + "value'"}
		}
		if flag == "header" {
			value = strings.TrimSpace(value)
		}
		all[name] = value
	}
	return all, nil
}

// inTheOpen refuses what would put a secret into the file, without repeating it.
func inTheOpen(e config.Entry) error {
	const inFile = " looks like a secret, which must not stand in the file"
	for name, value := range e.Env {
		if secret.Looks(name, value) {
			return usageError{"the value of " + name + inFile, "set the variable " + name + " where you start aloud, and write: --env-var " + name}
		}
	}
	for name, value := range e.Headers {
		_, token, _ := strings.Cut(value, " ")
		switch variable := "${" + strings.ToUpper(e.Name) + "_TOKEN}"; {
		case !secret.Looks(name, value) && !secret.Looks(name, token):
		case strings.EqualFold(name, "Authorization"):
			return usageError{"the value of " + name + inFile, "put it into a variable, and write: --bearer-token-env-var NAME"}
		default:
			return usageError{"the value of " + name + inFile, "put it into a variable, and write: --header '" + name + ": " + variable + "'"}
		}
	}
	if secret.In(e.URL) != nil {
		return usageError{"a part of the address" + inFile, "put it into a variable, and write ${NAME} in its place, in single quotes"}
	}
	if importing.SecretArguments(e.Args) {
		return usageError{"an argument" + inFile, "put it into a variable, and write '${NAME}' in its place, in single quotes"}
	}
	return nil
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
