package cli

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"

	"github.com/charmbracelet/x/term"
	"github.com/spf13/cobra"

	"github.com/aloudchat/aloud/config"
	"github.com/aloudchat/aloud/config/importing"
	"github.com/aloudchat/aloud/mcpclient/others"
	"github.com/aloudchat/aloud/spelling"
)

// importFlags are those of aloud mcp import.
type importFlags struct{ yes, dryRun, showSecrets bool }

func mcpImportCommand(f *flags) *cobra.Command {
	var own importFlags
	cmd := &cobra.Command{
		Use:   "import [programs or files]",
		Short: "Take over MCP servers from other programs",
		Long: "Look for the MCP servers of Claude Desktop, Claude Code, VS Code, Cursor, Gemini CLI, Codex, Crush, Kit and LM Studio, in their own " +
			"files and in those of the project in the current folder, show what would be written into the configuration file, and write it after " +
			"a yes. Those of the project, which others may have written, are asked for one by one, and --yes takes them over only from files that " +
			"you name. No server is started, no command in those files is run, and secrets become variables. The servers taken over are not trusted.",
		Example: `# everything that is found
aloud mcp import

# one program, one file
aloud mcp import claude-desktop
aloud mcp import ./mcp.json`,
		Args: words(0, manyWords),
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return importing.Programs(), cobra.ShellCompDirectiveDefault
		},
		RunE: func(cmd *cobra.Command, args []string) error { return importServers(cmd, *f, own, args) },
	}
	cmd.Flags().BoolVar(&own.yes, "yes", false, "write without asking")
	cmd.Flags().BoolVar(&own.dryRun, "dry-run", false, "only show what would be written")
	cmd.Flags().BoolVar(&own.showSecrets, "show-secrets", false, "print the values of variables, too")
	return cmd
}

func importServers(cmd *cobra.Command, f flags, own importFlags, args []string) error {
	cfg, err := loadConfig(cmd, f)
	if err != nil {
		return err
	}
	sources, err := findSources(args)
	if err != nil {
		return err
	}
	person, end := newImporter(cmd, own)
	defer end()
	plan := importing.Make(sources, person.options(cmd.Context(), cfg, own))
	if person.stopped(cmd.Context()) {
		return exitError(130)
	}
	plan.Show(cmd.OutOrStdout())
	switch {
	case plan.Own()+len(plan.Strange()) == 0:
		return nil
	case own.dryRun:
		fmt.Fprintln(cmd.OutOrStdout(), "\nNothing is written: this was a dry run.")
		return nil
	}
	if !own.yes && !person.agrees(cmd.Context(), plan, shortPath(cfg.Path)) {
		if person.stopped(cmd.Context()) {
			return exitError(130)
		}
		return nil
	}
	n, err := plan.Write()
	if err != nil {
		return err
	}
	fmt.Fprintf(cmd.OutOrStdout(), "\nAdded %s to %s. See how they start with: aloud mcp list\n", spelling.Plural(n, "server"), shortPath(cfg.Path))
	return nil
}

// here is where files of other programs are looked for.
func here() others.Place {
	place := others.Place{GOOS: runtime.GOOS, Env: os.LookupEnv}
	place.Home, _ = os.UserHomeDir()
	place.Dir, _ = os.Getwd()
	return place
}

// shortPath is a path for people.
func shortPath(path string) string { return here().Short(path) }

// findSources reads what the words name: programs, files, and everything when there are none.
func findSources(args []string) ([]others.Source, error) {
	if len(args) == 0 {
		return others.Find(here()), nil
	}
	var sources []others.Source
	for _, arg := range args {
		if slices.Contains(importing.Programs(), arg) {
			sources = append(sources, others.Find(here(), arg)...)
			continue
		}
		if !strings.ContainsAny(arg, `./\`) {
			return nil, usageError{fmt.Sprintf("there is no program %q", arg), "it is one of " + strings.Join(importing.Programs(), ", ") + ", or a file like ./mcp.json"}
		}
		source := others.Read(here(), arg)
		if source.Err != nil {
			return nil, usageError{source.Err.Error(), "name a file with MCP servers"}
		}
		if len(source.Servers)+len(source.Left) == 0 {
			return nil, usageError{fmt.Sprintf("%q has no MCP servers", arg), `name a file where they stand in "mcpServers", or in "servers" as in VS Code`}
		}
		sources = append(sources, source)
	}
	return sources, nil
}

// importer is the person whose servers are taken over, if there is one to ask.
type importer struct {
	cmd       *cobra.Command
	questions *questions // nil: nobody can be asked
}

func newImporter(cmd *cobra.Command, own importFlags) (i importer, end func()) {
	i.cmd, end = cmd, func() {}
	if !own.yes && !own.dryRun && term.IsTerminal(os.Stdin.Fd()) && term.IsTerminal(os.Stdout.Fd()) { // with the plan before their eyes
		i.questions, end = newQuestions(cmd.ErrOrStderr())
	}
	return i, end
}

func (i importer) options(ctx context.Context, cfg *config.Config, own importFlags) importing.Options {
	o := importing.Options{Config: cfg, Place: here(), ShowSecrets: own.showSecrets, OwnOnly: i.questions == nil && (own.yes || !own.dryRun)}
	if width, _, err := term.GetSize(os.Stdout.Fd()); err == nil {
		o.Width = width
	}
	if i.questions != nil {
		o.Ask = func(file string, in others.Input) (string, bool) {
			i.questions.about(file)
			return i.questions.input(ctx, in)
		}
	}
	return o
}

// stopped tells whether somebody wants to leave.
func (i importer) stopped(ctx context.Context) bool {
	return ctx.Err() != nil || i.questions != nil && i.questions.stopped
}

// agrees asks whether to write, or says how to where nobody can be asked. What others may have written is asked for one by one.
func (i importer) agrees(ctx context.Context, plan *importing.Plan, file string) bool {
	out := i.cmd.OutOrStdout()
	if i.questions == nil {
		fmt.Fprintln(out, "\nNothing is written yet. To write it: the same command with --yes")
		return false
	}
	fmt.Fprintln(i.cmd.ErrOrStderr())
	if n := plan.Own(); n > 0 && !i.questions.yes(ctx, fmt.Sprintf("Add %s to %s? [y]es or [n]o: ", spelling.Plural(n, "server"), file)) {
		plan.DropOwn()
	}
	for _, name := range plan.Strange() {
		if !i.questions.yes(ctx, fmt.Sprintf("Add %s, of the project in this folder, to %s? [y]es or [n]o: ", name, file)) {
			plan.Drop(name)
		}
	}
	if i.stopped(ctx) || plan.Own()+len(plan.Strange()) == 0 {
		fmt.Fprintln(out, "Nothing is written.")
		return false
	}
	return true
}
