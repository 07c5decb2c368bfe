package cli

import (
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"github.com/aloudchat/aloud/config"
	"github.com/aloudchat/aloud/mcpclient/builtin"
)

// serving has the flags of serve.
type serving struct {
	builtin.Options
	http     string // the address; "" means standard input and output
	tokenEnv string // the variable with the token
}

func serveCommand() *cobra.Command {
	var s serving
	cmd := &cobra.Command{
		Use:       "serve files|fetch|clock",
		Short:     "Serve a built-in MCP server on standard input and output, or over HTTP",
		ValidArgs: builtin.Names(),
		Args:      words(1, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := oneOf("built-in server", args[0], builtin.Names()...); err != nil {
				return err
			}
			return s.run(cmd, args[0])
		},
	}
	cmd.Flags().StringVar(&s.Dir, "dir", ".", "the folder that files serves")
	cmd.Flags().BoolVar(&s.Write, "write", false, "let files write")
	cmd.Flags().BoolVar(&s.AllowPrivate, "allow-private", false, "let fetch reach private and loopback addresses")
	cmd.Flags().StringVar(&s.http, "http", "", "serve over HTTP on this address, such as 127.0.0.1:8080")
	cmd.Flags().StringVar(&s.tokenEnv, "token-env", "", "with --http: the environment variable with the token that clients must send")
	return cmd
}

func (s serving) run(cmd *cobra.Command, name string) error {
	token := ""
	switch {
	case s.tokenEnv != "" && s.http == "":
		return usage("--token-env is for --http", "add --http 127.0.0.1:8080")
	case s.tokenEnv != "":
		if token = os.Getenv(s.tokenEnv); token == "" {
			return usage(fmt.Sprintf("the environment variable %q is empty or not set", s.tokenEnv), "put the token into it")
		}
	}
	path, _ := config.Path(os.LookupEnv)
	s.Own = ownFiles(path)
	server, err := builtin.New(name, s.Options)
	if err != nil {
		return failure(err)
	}
	defer server.Close()
	if s.http == "" {
		return builtin.Serve(cmd.Context(), server.MCPServer, cmd.InOrStdin(), cmd.OutOrStdout())
	}
	listener, err := builtin.ListenHTTP(cmd.Context(), s.http, token)
	if err != nil {
		return usage(err.Error(), "see: aloud serve --help")
	}
	fmt.Fprintf(cmd.ErrOrStderr(), "Serving %s at http://%s%s\n", name, listener.Addr(), builtin.HTTPPath)
	return builtin.ServeHTTP(cmd.Context(), server.MCPServer, listener, token)
}
