// Package cli has the commands of aloud, one file each. parts.go reads the configuration and builds the parts that they
// need.
package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"charm.land/fang/v2"
	"github.com/spf13/cobra"

	"github.com/aloudchat/aloud/headless"
	"github.com/aloudchat/aloud/provider"
)

// Run executes the command line and returns the exit code. The signals that ask a program to end cancel its context, so
// that every way out closes the servers it started; the interactive chat takes ctrl+c as a key.
func Run(version string) int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	defer stop()
	// The second ctrl+c ends the program at once, in case something hangs. A session that closes sends two signals:
	// they count as one.
	context.AfterFunc(ctx, func() {
		signal.Notify(make(chan os.Signal, 1), syscall.SIGTERM, syscall.SIGHUP)
		stop()
	})
	// Without a receiver, SIGPIPE from a closed standard output would kill us before the servers are closed. The signal
	// is otherwise ignored, because pipes to servers cause it too: the failed write reports the error.
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE)
	out := &stdout{File: os.Stdout}
	root := newRoot(version)
	root.SetOut(out)
	err := dress(ctx, root, version)
	if err == nil {
		root.SetArgs(arrange(os.Args[1:]))
		err = root.ExecuteContext(ctx)
	}
	err = cmp.Or(out.lost(), err)
	printError(os.Stderr, err)
	return exitCode(err)
}

// dress gives the commands fang's help, man page and version. fang adds them as it executes a command, but after any
// error it asks the terminal for its colours, which takes seconds and swallows keys. So fang executes a command that
// does nothing, and cobra the real one.
func dress(ctx context.Context, root *cobra.Command, version string) error {
	nothing := &cobra.Command{Use: "nothing", Hidden: true, Run: func(*cobra.Command, []string) {}}
	root.AddCommand(nothing)
	defer root.RemoveCommand(nothing)
	root.SetArgs([]string{nothing.Use})
	var options []fang.Option
	if version != "" {
		options = append(options, fang.WithVersion(version))
	}
	return fang.Execute(ctx, root, options...)
}

// flags are the options of the chat that are no keys of the file. Those that are override the file if they are given;
// their defaults are for help.
type flags struct {
	version string // of the program
	config  string
	demo    bool
	noTools bool
	roots   []string

	print     string
	output    string
	plain     bool
	quiet     bool
	noSession bool
	log       string
	cont      bool
	resume    string
}

// latest is the value of --resume without an id.
const latest = "latest"

func newRoot(version string) *cobra.Command {
	f := flags{version: version}
	root := &cobra.Command{
		Use:   "aloud",
		Short: "A chat for the terminal that says what it is doing",
		Long: "A chat for the terminal that says what it is doing: local models through Ollama or any OpenAI-compatible server, tools from MCP servers, " +
			"and one live line that tells the truth about what is going on.",
		Example: `# chat
aloud

# try it without Ollama
aloud --demo

# one answer on standard output
aloud -p "what time is it in Tokyo?"

# standard input is added to the question
git diff | aloud -p "review this"

# go on with the last conversation
aloud --continue`,
		Args:          func(_ *cobra.Command, args []string) error { return noStrayWords(f, args) },
		SilenceUsage:  true,
		SilenceErrors: true,
		RunE: func(cmd *cobra.Command, args []string) error {
			if cmd.Flags().Changed("print") {
				f.print = strings.Join(append([]string{f.print}, args...), " ")
			}
			return chat(cmd, f)
		},
	}
	persistent := root.PersistentFlags()
	persistent.StringVar(&f.config, "config", "", "the configuration file (default: aloud config path)")
	persistent.String("model", "", "the name of the model")
	persistent.String("provider", "ollama", "where the model lives: ollama, openai, demo or a provider of the file")
	persistent.String("host", "", "the address of the model server")
	persistent.BoolVar(&f.demo, "demo", false, "the built-in demo model: no Ollama needed")
	persistent.StringVar(&f.log, "log", "", "write what happens to this file")

	own := root.Flags()
	own.StringVarP(&f.print, "print", "p", "", "answer one question on standard output and leave")
	own.StringVar(&f.output, "output", "text", "format of the answer with -p: text, json or stream-json")
	own.Bool("yes", false, "run every tool call without asking, except those the file denies")
	own.BoolVar(&f.plain, "plain", false, "line by line, without the full screen and escape sequences, as with ACCESSIBLE=1")
	own.BoolVarP(&f.quiet, "quiet", "q", false, "with -p or --plain: nothing on standard error but errors, notices and questions")
	own.BoolVar(&f.noTools, "no-tools", false, "start no servers, offer no tools")
	own.StringArrayVar(&f.roots, "root", nil, "a folder that servers are told to work in; may be given several times (default: the current one)")
	own.String("system", "", "text added to the system prompt")
	own.String("think", "auto", "let the model think first: auto, on or off")
	own.String("max-iterations", "10", "tool rounds in a turn")
	own.Int("max-errors", 3, "failed calls in a row before the turn ends")
	own.Duration("max-time", 10*time.Minute, "work time of a turn")
	own.BoolVar(&f.noSession, "no-session", false, "keep nothing on disk")
	own.BoolVarP(&f.cont, "continue", "c", false, "go on with the last conversation of this folder and provider that is not open elsewhere")
	own.StringVarP(&f.resume, "resume", "r", "", "go on with this conversation (id; without one: the last of all)")
	own.Lookup("resume").NoOptDefVal = latest

	root.SetFlagErrorFunc(flagError)
	root.AddCommand(mcpCommand(&f), doctorCommand(&f), sessionsCommand(), statsCommand(), configCommand(&f), serveCommand())
	root.InitDefaultCompletionCmd()
	for _, cmd := range root.Commands() {
		if cmd.HasSubCommands() {
			onlyCommands(cmd)
		}
	}
	return root
}

// noStrayWords rejects words that are neither a command nor part of a question.
func noStrayWords(f flags, args []string) error {
	if len(args) == 0 || f.print != "" {
		return nil
	}
	return usage(fmt.Sprintf("there is no command %q", args[0]), fmt.Sprintf("to ask a question write: aloud -p %q", strings.Join(args, " ")))
}

// arrange makes optional values readable for the flag library: --resume takes the next word unless it begins with a
// dash, and -p at the end of the line or before another flag has an empty question: all of it comes from standard
// input.
func arrange(args []string) []string {
	var out []string
	for i := 0; i < len(args); i++ {
		arg, last := args[i], i == len(args)-1
		switch {
		case arg == "--":
			return append(out, args[i:]...)
		case (arg == "--resume" || arg == "-r") && !last && !strings.HasPrefix(args[i+1], "-"):
			i++
			out = append(out, "--resume="+args[i])
		case (arg == "-p" || arg == "--print") && (last || isFlag(args[i+1])):
			out = append(out, arg, "")
		case arg == "-p" || arg == "--print":
			i++
			out = append(out, arg, args[i])
		default:
			out = append(out, arg)
		}
	}
	return out
}

// isFlag reports whether a word is a flag, not a question that begins with a dash.
func isFlag(arg string) bool {
	return strings.HasPrefix(arg, "--") && !strings.ContainsAny(arg, " \n") || len(arg) == 2 && arg[0] == '-'
}

// problem is an error with its exit code and a hint what to do, which may be "". Without err everything was said
// already.
type problem struct {
	code int
	err  error
	hint string
}

func (p problem) Error() string {
	if p.err == nil {
		return fmt.Sprintf("exit code %d", p.code)
	}
	return p.err.Error()
}

func (p problem) Unwrap() error { return p.err }

// usage is a mistake on the command line or in the configuration.
func usage(text, hint string) error { return problem{2, errors.New(text), hint} }

// failure makes an error end the program with exit code 1, unless it has one already; nil stays nil.
func failure(err error) error {
	if _, has := errors.AsType[problem](err); has || err == nil {
		return err
	}
	return problem{1, err, ""}
}

// exit ends the program with a code and without a message.
func exit(code int) error {
	if code == 0 {
		return nil
	}
	return problem{code: code}
}

// exitCode returns the exit code for an error: that of a problem or of the model server, else 2, for usage and
// configuration.
func exitCode(err error) int {
	if err == nil {
		return 0
	}
	if _, model := errors.AsType[*provider.Error](err); model {
		return headless.ExitCode(provider.Ended{Result: provider.Result{Stop: provider.Stop{Reason: provider.Failed}}, Err: err})
	}
	if p, ok := errors.AsType[problem](err); ok {
		return p.code
	}
	return 2
}

// printError prints an error and, on a second line, the hint.
func printError(w io.Writer, err error) {
	p, ok := errors.AsType[problem](err)
	if err == nil || ok && p.err == nil {
		return
	}
	headless.PrintError(w, err)
	if p.hint != "" {
		fmt.Fprintln(w, "  "+p.hint)
	}
}
