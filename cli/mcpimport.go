package cli

import (
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"

	"github.com/charmbracelet/x/term"
	"github.com/spf13/cobra"

	"github.com/aloudchat/aloud/config/edit"
	"github.com/aloudchat/aloud/config/importer"
	"github.com/aloudchat/aloud/quantity"
)

func mcpImportCommand(f *flags) *cobra.Command {
	var yes, dryRun bool
	cmd := &cobra.Command{
		Use:   "import [programs or files]",
		Short: "Import MCP servers from other programs",
		Long: "Look for the MCP servers of Claude Desktop, Claude Code, VS Code, Cursor, Gemini CLI, LM Studio, Codex and Crush, in their own " +
			"files and in those of the project in the current folder, show what would be written into the configuration file, and write it after " +
			"a yes. aloud asks for each server of the project, whose files somebody else may have written, and --yes imports those only from " +
			"files that you name. No server is started, no command in those files is run, and secrets become variables. Imported servers are " +
			"not trusted.",
		Example: `# everything that is found
aloud mcp import

# one program, one file
aloud mcp import claude-desktop
aloud mcp import ./mcp.json`,
		Args: words(0, manyWords),
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return importer.Programs(), cobra.ShellCompDirectiveDefault
		},
		RunE: func(cmd *cobra.Command, args []string) error { return importServers(cmd, *f, yes, dryRun, args) },
	}
	cmd.Flags().BoolVar(&yes, "yes", false, "write without asking")
	cmd.Flags().BoolVar(&dryRun, "dry-run", false, "only show what would be written")
	return cmd
}

func importServers(cmd *cobra.Command, f flags, yes, dryRun bool, args []string) error {
	cfg, err := loadConfig(cmd, f)
	if err != nil {
		return err
	}
	sources, err := findSources(args)
	if err != nil {
		return err
	}
	ask := !yes && !dryRun && term.IsTerminal(os.Stdin.Fd()) && term.IsTerminal(os.Stdout.Fd())
	plan := importer.NewPlan(cfg, here(), sources, !ask && !(dryRun && !yes))
	out := cmd.OutOrStdout()
	plan.Show(out)
	switch {
	case len(plan.Servers) == 0:
		return nil
	case dryRun:
		fmt.Fprintln(out, "\nNothing is written: this was a dry run.")
		return nil
	case !yes && !ask:
		fmt.Fprintln(out, "\nNothing is written yet. To write it: the same command with --yes")
		return nil
	case ask:
		if err := agree(cmd, plan, shortPath(cfg.Path)); err != nil {
			return err
		}
		if len(plan.Servers) == 0 {
			fmt.Fprintln(out, "Nothing is written.")
			return nil
		}
	}
	var servers []edit.Server
	for _, s := range plan.Servers {
		servers = append(servers, s.Server)
	}
	if err := edit.Add(cfg.Path, os.LookupEnv, servers...); err != nil {
		return err
	}
	fmt.Fprintf(out, "\nAdded %s to %s. See how they start with: aloud mcp list\n", quantity.Plural(len(servers), "server"), shortPath(cfg.Path))
	return nil
}

// agree asks which servers of a plan to add, and drops the others: one question for the user's own, and one for each
// that others may have written.
func agree(cmd *cobra.Command, plan *importer.Plan, file string) error {
	q, end := newQuestions(cmd.ErrOrStderr())
	defer end()
	fmt.Fprintln(cmd.ErrOrStderr())
	own := 0
	for _, s := range plan.Servers {
		if !s.Strange {
			own++
		}
	}
	addOwn := own > 0 && q.yes(cmd.Context(), fmt.Sprintf("Add %s to %s? [y]es or [n]o: ", quantity.Plural(own, "server"), file))
	plan.Servers = slices.DeleteFunc(plan.Servers, func(s importer.Server) bool {
		if !s.Strange {
			return !addOwn
		}
		return !q.yes(cmd.Context(), fmt.Sprintf("Add %s, of the project in this folder, to %s? [y]es or [n]o: ", s.Name, file))
	})
	if cmd.Context().Err() != nil || q.stopped {
		return exit(130)
	}
	return nil
}

// here is where files of other programs are looked for.
func here() importer.Place {
	place := importer.Place{GOOS: runtime.GOOS, Env: os.LookupEnv}
	place.Home, _ = os.UserHomeDir()
	place.Dir, _ = os.Getwd()
	return place
}

// shortPath is a path as people write it.
func shortPath(path string) string { return here().Short(path) }

// findSources reads the programs and files with these names, or all that are known if no name is given.
func findSources(args []string) ([]importer.Source, error) {
	if len(args) == 0 {
		return here().Find(), nil
	}
	var sources []importer.Source
	for _, arg := range args {
		if slices.Contains(importer.Programs(), arg) {
			sources = append(sources, here().Find(arg)...)
			continue
		}
		if !strings.ContainsAny(arg, `./\`) {
			return nil, usage(fmt.Sprintf("there is no program %q", arg), "it is one of "+strings.Join(importer.Programs(), ", ")+", or a file like ./mcp.json")
		}
		source, err := here().Read(arg)
		if err != nil {
			return nil, usage(err.Error(), "")
		}
		sources = append(sources, source)
	}
	return sources, nil
}
