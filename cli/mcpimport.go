package cli

import (
	"fmt"
	"os"
	"runtime"

	"github.com/charmbracelet/x/term"
	"github.com/spf13/cobra"

	"github.com/aloudchat/aloud/config"
	"github.com/aloudchat/aloud/config/importer"
	"github.com/aloudchat/aloud/internal/quantity"
)

func mcpImportCommand(f *flags) *cobra.Command {
	var yes, dryRun bool
	cmd := &cobra.Command{
		Use:   "import [PROGRAM|FILE]...",
		Short: "Import MCP servers from other programs",
		Long: "Find the MCP servers of Claude Desktop, Claude Code, VS Code, Cursor, Gemini CLI, LM Studio, Codex and " +
			"Crush, show what would be added to the configuration file, and add it if you agree. Files in a project are only " +
			"imported if you name them, because others may have written them. Nothing in the files is run, secrets become " +
			"environment variables, and imported servers are not trusted.",
		Example: `# everything found
aloud mcp import

# one program, one file
aloud mcp import claude-desktop
aloud mcp import ./mcp.json`,
		Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error { return importServers(cmd, *f, yes, dryRun, args) },
	}
	cmd.Flags().BoolVar(&yes, "yes", false, "add the servers without asking")
	cmd.Flags().BoolVar(&dryRun, "dry-run", false, "only show what would be added")
	return cmd
}

func importServers(cmd *cobra.Command, f flags, yes, dryRun bool, args []string) error {
	cfg, err := loadConfig(cmd, f)
	if err != nil {
		return err
	}
	sources, err := here().Sources(args...)
	if err != nil {
		return usage(err.Error(), "")
	}
	plan := importer.NewPlan(cfg, here(), sources)
	out, file, number := cmd.OutOrStdout(), shortPath(cfg.Path), quantity.Plural(len(plan.Servers), "server")
	plan.Show(out)
	switch {
	case len(plan.Servers) == 0:
		return nil
	case dryRun:
		fmt.Fprintln(out, "\nNothing changed: this was a dry run.")
		return nil
	case yes:
	case !term.IsTerminal(os.Stdin.Fd()) || !term.IsTerminal(os.Stdout.Fd()):
		fmt.Fprintln(out, "\nNothing changed yet. To add them, repeat the command with --yes.")
		return nil
	default:
		if !newPrompter(cmd.ErrOrStderr()).yes(cmd.Context(), fmt.Sprintf("\nAdd %s to %s? ", number, file)) {
			if cmd.Context().Err() != nil {
				return exit(130)
			}
			fmt.Fprintln(out, "Nothing changed.")
			return nil
		}
	}
	if err := config.AddServers(cfg.Path, os.LookupEnv, plan.Servers...); err != nil {
		return err
	}
	fmt.Fprintf(out, "\nAdded %s to %s. To test them: aloud mcp list\n", number, file)
	return nil
}

// here returns where to look for the files of other programs.
func here() importer.Environment {
	place := importer.Environment{GOOS: runtime.GOOS, Env: os.LookupEnv}
	place.Home, _ = os.UserHomeDir()
	place.Dir, _ = os.Getwd()
	return place
}

// shortPath shortens a path for display.
func shortPath(path string) string { return here().Short(path) }
