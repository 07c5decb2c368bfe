package cli

import (
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"github.com/aloudchat/aloud/config"
	"github.com/aloudchat/aloud/mcpclient/builtin"
)

// serving has the flags of aloud serve.
type serving struct {
	builtin.Options
	http string // "" means standard input and output
}

func serveCommand() *cobra.Command {
	var s serving
	cmd := &cobra.Command{
		Use:       "serve files|fetch|clock",
		Short:     "Serve a built-in MCP server on standard input and output, or over HTTP",
		ValidArgs: builtin.Names(),
		Args:      argCount(1, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := oneOf("built-in server", args[0], builtin.Names()...); err != nil {
				return err
			}
			return s.run(cmd, args[0])
		},
	}
	cmd.Flags().StringVar(&s.Dir, "dir", ".", "let files serve `DIR`")
	cmd.Flags().BoolVar(&s.Write, "write", false, "let files change files")
	cmd.Flags().BoolVar(&s.AllowPrivate, "allow-private", false, "let fetch reach private and loopback addresses")
	cmd.Flags().StringVar(&s.http, "http", "", "serve over HTTP on the local `ADDRESS`, such as 127.0.0.1:8080")
	return cmd
}

func (s serving) run(cmd *cobra.Command, name string) error {
	path, _ := config.Path("", os.LookupEnv)
	s.Own = ownFiles(path)
	server, err := builtin.New(name, s.Options)
	if err != nil {
		return failure(err)
	}
	defer server.Close()
	if s.http == "" {
		err := server.Serve(cmd.Context(), cmd.InOrStdin(), cmd.OutOrStdout())
		if isClosedPipe(err) { // the client has left
			return nil
		}
		return failure(err)
	}
	listener, err := builtin.ListenHTTP(cmd.Context(), s.http)
	if err != nil {
		return usage(err.Error(), "see: aloud serve --help")
	}
	fmt.Fprintf(cmd.ErrOrStderr(), "Serving %s at http://%s%s\n", name, listener.Addr(), builtin.HTTPPath)
	return failure(server.ServeHTTP(cmd.Context(), listener))
}
