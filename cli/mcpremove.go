package cli

import (
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"github.com/aloudchat/aloud/config"
	"github.com/aloudchat/aloud/config/edit"
)

func mcpRemoveCommand(f *flags) *cobra.Command {
	return &cobra.Command{
		Use: "remove name", Aliases: []string{"rm"}, Short: "Take an MCP server out of the configuration file", Args: words(1, 1),
		Long:              "Take what the configuration file says of a server out of it. Everything else in the file stays as it is.",
		ValidArgsFunction: completeServers(f),
		RunE:              func(cmd *cobra.Command, args []string) error { return removeServer(cmd, *f, args[0]) },
	}
}

func removeServer(cmd *cobra.Command, f flags, name string) error {
	cfg, err := loadConfig(cmd, f)
	if err != nil {
		return err
	}
	err = edit.Remove(cfg.Path, os.LookupEnv, name)
	builtin := isBuiltin(cfg, name)
	switch {
	case err != nil && builtin:
		return usage(fmt.Sprintf("the server %q is built in", name), fmt.Sprintf("switch it off in the file: enabled = false in [mcp_servers.%s]", name))
	case err != nil:
		return err
	}
	fmt.Fprintf(cmd.OutOrStdout(), "Removed %s from %s.\n", name, shortPath(cfg.Path))
	if builtin {
		fmt.Fprintf(cmd.OutOrStdout(), "It is built in, and now as it was before.\n")
	}
	tellAllowed(cmd, cfg, name)
	return nil
}

func isBuiltin(cfg *config.Config, name string) bool {
	for _, s := range cfg.Servers {
		if s.Name == name {
			return s.Builtin == name
		}
	}
	return false
}
