package main

import (
	"github.com/spf13/cobra"

	"github.com/aloudchat/aloud/mcpclient/builtin"
)

func serveCommand() *cobra.Command {
	var write, private bool
	var dir string
	cmd := &cobra.Command{
		Use:       "serve files|fetch|clock",
		Short:     "Serve a built-in MCP server on standard input and output",
		ValidArgs: builtin.Names(),
		Args:      words(1, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := oneOf("built-in server", args[0], builtin.Names()...); err != nil {
				return err
			}
			server, err := builtin.New(args[0], builtin.Options{Dir: dir, Write: write, AllowPrivate: private})
			if err != nil {
				return failure{err}
			}
			defer server.Close()
			return builtin.Serve(cmd.Context(), server.MCPServer, cmd.InOrStdin(), cmd.OutOrStdout())
		},
	}
	cmd.Flags().StringVar(&dir, "dir", ".", "the folder that files serves")
	cmd.Flags().BoolVar(&write, "write", false, "let files write")
	cmd.Flags().BoolVar(&private, "allow-private", false, "let fetch reach private and loopback addresses")
	return cmd
}
