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

	"github.com/spf13/cobra"

	"github.com/aloudchat/aloud/headless"
	"github.com/aloudchat/aloud/provider"
	"github.com/aloudchat/aloud/provider/event"
	"github.com/aloudchat/aloud/ui"
)

// Run executes the command line and returns the exit code.
func Run(version string) int {
	enableEscapes()
	out := &stdout{File: os.Stdout}
	root := newRoot(version)
	if len(os.Args) > 1 && strings.HasPrefix(os.Args[1], cobra.ShellCompRequestCmd) {
		describeFlags(root)
	}
	root.SetOut(out)
	root.SetArgs(arrange(os.Args[1:]))
	err := root.ExecuteContext(context.Background())
	err = cmp.Or(out.lost(), err)
	printError(os.Stderr, err)
	return exitCode(err)
}

// withSignals returns a context that signals that end a program cancel, so that the servers it started are always
// closed. The full screen reads ctrl+c as a key.
func withSignals(ctx context.Context) context.Context {
	ctx, stopEnding := untilEnded(ctx)
	ctx, stopInterrupts := signal.NotifyContext(ctx, os.Interrupt)
	// The second ctrl+c ends the program at once, in case something hangs. A closing terminal sends two signals, which
	// count as one.
	context.AfterFunc(ctx, func() {
		signal.Notify(make(chan os.Signal, 1), syscall.SIGTERM, syscall.SIGHUP)
		stopInterrupts()
		stopEnding()
	})
	// Without a receiver, SIGPIPE from a closed standard output would kill us before the servers are closed. The signal
	// is otherwise ignored, because pipes to servers cause it too: the failed write reports the error.
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE)
	return ctx
}

// untilEnded returns a context that is cancelled with BySignal by the signals that end a program, except ctrl+c. The
// caller must call stop.
func untilEnded(ctx context.Context) (_ context.Context, stop func()) {
	ended, stopSignals := signal.NotifyContext(context.Background(), syscall.SIGTERM, syscall.SIGHUP)
	ctx, cancel := context.WithCancelCause(ctx)
	context.AfterFunc(ended, func() { cancel(event.BySignal) })
	return ctx, func() {
		cancel(nil)
		stopSignals()
	}
}

// flags are the flags that are not keys of the configuration file. Other flags override the file if they are set.
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
	at        int

	moved *ui.Moved // where the chat goes on, in place of the flags; nil if it has not moved
}

// latest is the value of --resume without an id.
const latest = "latest"

func newRoot(version string) *cobra.Command {
	f := flags{version: version}
	root := &cobra.Command{
		Use:   "aloud",
		Short: "A terminal chat for local models with MCP tools",
		Long: "A terminal chat for local models with MCP tools. It works with Ollama and any OpenAI-compatible server, " +
			"and one line shows what it is doing.",
		Example: `# chat
aloud

# try it without Ollama
aloud --demo

# print one answer
aloud -p "what time is it in Tokyo?"

# add standard input to the message
git diff | aloud -p "review this"

# continue the last conversation
aloud --continue`,
		Args:          func(cmd *cobra.Command, args []string) error { return checkWords(cmd, f, args) },
		SilenceUsage:  true,
		SilenceErrors: true,
		// --version and --help run without it
		PersistentPreRun: func(cmd *cobra.Command, _ []string) { cmd.SetContext(withSignals(cmd.Context())) },
		RunE: func(cmd *cobra.Command, args []string) error {
			if cmd.Flags().Changed("print") {
				f.print = strings.Join(append([]string{f.print}, args...), " ")
			}
			return chat(cmd, f)
		},
	}
	persistent := root.PersistentFlags()
	persistent.StringVar(&f.config, "config", "", "read the configuration from `FILE` (default: see aloud config path)")
	persistent.String("model", "", "use the model `NAME`")
	persistent.String("provider", "ollama", "use the provider `NAME`: ollama, openai, demo or a configured one")
	persistent.String("host", "", "`URL` of the model server")
	persistent.BoolVar(&f.demo, "demo", false, "use the built-in demo model, which needs no server")
	persistent.StringVar(&f.log, "log", "", "write a log of requests, tool calls and errors to `FILE`")

	own := root.Flags()
	own.StringVarP(&f.print, "print", "p", "", "print the answer to `MESSAGE` and exit")
	own.StringVar(&f.output, "output", "text", "`FORMAT` of the answer with -p: text, json or stream-json")
	own.Bool("yes", false, "run every tool call without asking, except denied ones")
	own.BoolVar(&f.plain, "plain", false, "chat line by line instead of on the full screen, as with ACCESSIBLE=1")
	own.BoolVarP(&f.quiet, "quiet", "q", false, "write only errors, notices and prompts to standard error")
	own.BoolVar(&f.noTools, "no-tools", false, "start no MCP servers and offer no tools")
	own.StringArrayVar(&f.roots, "root", nil, "share `DIR` with MCP servers; may be repeated (default: the current one)")
	own.String("system", "", "add `TEXT` to the system prompt")
	own.String("think", "auto", "`MODE` of thinking: auto, on, off, low, medium or high")
	own.String("max-iterations", "10", "stop a turn after `N` tool rounds, or auto")
	own.Int("max-errors", 3, "stop a turn after `N` failed calls in a row")
	own.Duration("max-time", 10*time.Minute, "stop a turn after `DURATION`, such as 90s or 5m")
	own.BoolVar(&f.noSession, "no-session", false, "save nothing to disk")
	own.BoolVarP(&f.cont, "continue", "c", false, "continue the last conversation of this folder and provider")
	own.StringVarP(&f.resume, "resume", "r", "", "continue the conversation with this `[ID]`, or the last one")
	own.Lookup("resume").NoOptDefVal = latest
	own.IntVar(&f.at, "at", 0, "with -p and --resume: send in place of your question `N`, on a new branch")

	root.Version = cmp.Or(version, builtVersion())
	root.SetHelpFunc(help)
	root.SetFlagErrorFunc(flagError)
	root.AddCommand(mcpCommand(&f), doctorCommand(&f), evalCommand(&f), sessionsCommand(), statsCommand())
	root.AddCommand(configCommand(&f), serveCommand(), manCommand())
	addCompletions(root, &f)
	for _, cmd := range root.Commands() {
		if cmd.HasSubCommands() {
			onlyCommands(cmd)
		}
	}
	return root
}

// checkWords rejects words that are neither a command nor part of a message.
func checkWords(cmd *cobra.Command, f flags, args []string) error {
	if len(args) == 0 || f.print != "" {
		return nil
	}
	hint := fmt.Sprintf("to send it as a message, write: aloud -p %q", strings.Join(args, " "))
	return usage(fmt.Sprintf("unknown command %q", args[0]), cmp.Or(similar(cmd, args[0]), hint))
}

// arrange rewrites flags with optional values for the flag library. --resume takes the next word unless it begins
// with a dash. -p at the end of the line or before another flag has an empty message: standard input has all of it.
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

// isFlag reports whether a word is a flag, not a message that begins with a dash.
func isFlag(arg string) bool {
	return strings.HasPrefix(arg, "--") && !strings.ContainsAny(arg, " \n") || len(arg) == 2 && arg[0] == '-'
}

// problem is an error with its exit code and a hint, which may be "". A nil err prints nothing.
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

// exitCode returns the exit code for an error. Errors that are neither a problem nor from the model server are mistakes
// on the command line or in the configuration.
func exitCode(err error) int {
	if err == nil {
		return 0
	}
	if _, model := errors.AsType[*provider.Error](err); model {
		failed := event.Result{Stop: event.Stop{Reason: event.Failed}}
		return headless.ExitCode(event.Ended{Result: failed, Err: err})
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
