package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"runtime"
	"slices"
	"strings"

	"github.com/charmbracelet/x/term"
	"github.com/spf13/cobra"

	"github.com/aloudchat/aloud/config"
	"github.com/aloudchat/aloud/mcpclient/others"
	"github.com/aloudchat/aloud/sanitize"
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
			"a yes. No server is started, no command in those files is run, and secrets become variables. The servers taken over are not trusted.",
		Example: `# everything that is found
aloud mcp import

# one program, one file
aloud mcp import claude-desktop
aloud mcp import ./mcp.json`,
		Args: words(0, manyWords),
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return programKeys(), cobra.ShellCompDirectiveDefault
		},
		RunE: func(cmd *cobra.Command, args []string) error { return importServers(cmd, *f, own, args) },
	}
	cmd.Flags().BoolVar(&own.yes, "yes", false, "write without asking")
	cmd.Flags().BoolVar(&own.dryRun, "dry-run", false, "only show what would be written")
	cmd.Flags().BoolVar(&own.showSecrets, "show-secrets", false, "print the values of variables, too")
	return cmd
}

func programKeys() (keys []string) {
	for _, p := range others.Programs() {
		keys = append(keys, p.Key)
	}
	return keys
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
	i := &importing{own: own, out: cmd.OutOrStdout(), cfg: cfg, mover: newMover()}
	if i.asks() {
		var end func()
		i.questions, end = newQuestions(cmd.ErrOrStderr())
		defer end()
	}
	for _, s := range sources {
		i.take(cmd.Context(), s)
	}
	if i.stopped(cmd.Context()) {
		return exitError(130)
	}
	i.tell()
	if len(i.entries) == 0 || own.dryRun {
		return nil
	}
	if !own.yes && !i.agreed(cmd.Context()) {
		if i.stopped(cmd.Context()) {
			return exitError(130)
		}
		return nil
	}
	if err := config.AddServers(cfg.Path, os.LookupEnv, i.entries...); err != nil {
		return err
	}
	fmt.Fprintf(i.out, "\nAdded %s to %s. See how they start with: aloud mcp list\n", serverCount(len(i.entries)), shortPath(cfg.Path))
	return nil
}

// findSources reads what the words name: programs, files, and everything when there are none.
func findSources(args []string) ([]others.Source, error) {
	place := others.Place{GOOS: runtime.GOOS, Env: os.LookupEnv}
	place.Home, _ = os.UserHomeDir()
	place.Dir, _ = os.Getwd()
	if len(args) == 0 {
		return others.Find(place), nil
	}
	var sources []others.Source
	for _, arg := range args {
		if slices.Contains(programKeys(), arg) {
			sources = append(sources, others.Find(place, arg)...)
			continue
		}
		if !strings.ContainsAny(arg, `./\`) {
			return nil, usageError{fmt.Sprintf("there is no program %q", arg), "it is one of " + strings.Join(programKeys(), ", ") + ", or a file like ./mcp.json"}
		}
		source := others.Read(place, arg)
		if source.Err != nil {
			return nil, usageError{source.Err.Error(), "name a file with MCP servers"}
		}
		sources = append(sources, source)
	}
	return sources, nil
}

// importing is one run of aloud mcp import.
type importing struct {
	own       importFlags
	out       io.Writer
	cfg       *config.Config
	mover     *mover
	questions *questions // nil: nobody can be asked
	entries   []config.Entry
	taken     []others.Server // what the entries were made of
	notes     []string        // what was left out or changed
	found     []string        // a line for each file
}

func newMover() *mover {
	return &mover{moved: map[string]string{}, held: map[string]string{}, needed: map[string][]string{}}
}

func (i *importing) asks() bool {
	return !i.own.yes && !i.own.dryRun && term.IsTerminal(os.Stdin.Fd())
}

// whence is where a server comes from, for the comment in the file. That it is of a project, which others may have written, stays to be seen.
func whence(s others.Source) string {
	if s.Project != "" {
		return s.Program + " in " + homePath(s.Project)
	}
	return s.Program
}

// stopped tells whether somebody wants to leave.
func (i *importing) stopped(ctx context.Context) bool {
	return ctx.Err() != nil || i.questions != nil && i.questions.stopped
}

// take makes entries of the servers of a file that are not there yet.
func (i *importing) take(ctx context.Context, s others.Source) {
	line := sanitize.Line(s.Program) + ", " + shortPath(s.File) + ": "
	if s.Err != nil {
		i.found = append(i.found, line+"left out")
		i.notes = append(i.notes, shortPath(s.File)+strings.TrimPrefix(sanitize.Line(s.Err.Error()), fmt.Sprintf("%q", s.File)))
		return
	}
	var there []string
	i.answers(ctx, sanitize.Line(s.Program)+", "+shortPath(s.File), s.Inputs)
	for _, server := range s.Servers {
		if i.isThere(server) {
			there = append(there, sanitize.Line(server.Name))
			continue
		}
		name := i.freeName(server.Name)
		entry := i.mover.entry(server, name, whence(s))
		if err := entry.Check(os.LookupEnv); err != nil {
			i.notes = append(i.notes, fmt.Sprintf("%s is left out: %s", sanitize.Line(server.Name), sanitize.Line(err.Error())))
			continue
		}
		i.taken = append(i.taken, server)
		i.entries = append(i.entries, entry)
		if name != server.Name {
			i.notes = append(i.notes, fmt.Sprintf("%s: it is called %q there", name, sanitize.Line(server.Name)))
		}
		for _, remark := range i.mover.remarks {
			i.notes = append(i.notes, name+": "+sanitize.Line(remark))
		}
	}
	for _, left := range s.Left {
		i.notes = append(i.notes, fmt.Sprintf("%s is left out: %s", sanitize.Line(left.Name), sanitize.Line(left.Why)))
	}
	line += serverCount(len(s.Servers) + len(s.Left))
	if there != nil {
		line += ", there already: " + strings.Join(there, ", ")
	}
	if len(s.Servers)+len(s.Left) > 0 {
		i.found = append(i.found, line)
	}
}

// answers prepares to ask for what the values of a file need, each thing once and only if a server that is taken over needs it. What must stay
// secret is asked for only when it is shown where to put it: there is no place for it here.
func (i *importing) answers(ctx context.Context, whose string, inputs []others.Input) {
	i.mover.inputs, i.mover.answers = map[string]others.Input{}, map[string]func() (string, bool){}
	for _, in := range inputs {
		i.mover.inputs[in.ID] = in
		if i.questions == nil || in.Unknown || in.Password && !i.own.showSecrets {
			continue
		}
		var answer string
		asked, ok := false, false
		i.mover.answers[in.ID] = func() (string, bool) {
			if !asked {
				asked = true
				i.questions.about(whose)
				answer, ok = i.questions.input(ctx, in)
			}
			return answer, ok
		}
	}
}

// agreed asks whether to write, or says how to where nobody can be asked.
func (i *importing) agreed(ctx context.Context) bool {
	if i.questions == nil {
		fmt.Fprintln(i.out, "\nNothing is written yet. To write it: the same command with --yes")
		return false
	}
	yes := i.questions.yes(ctx, fmt.Sprintf("\nAdd %s to %s? [y]es or [n]o: ", serverCount(len(i.entries)), shortPath(i.cfg.Path)))
	if !yes {
		fmt.Fprintln(i.out, "Nothing is written.")
	}
	return yes
}
