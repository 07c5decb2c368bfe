package main

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/charmbracelet/x/term"
	"github.com/spf13/cobra"

	"github.com/aloudchat/aloud/config"
	"github.com/aloudchat/aloud/headless"
	"github.com/aloudchat/aloud/mcpclient"
	"github.com/aloudchat/aloud/provider"
	"github.com/aloudchat/aloud/provider/demo"
	"github.com/aloudchat/aloud/provider/ollama"
	"github.com/aloudchat/aloud/session"
	"github.com/aloudchat/aloud/status"
	"github.com/aloudchat/aloud/ui"
)

// sampleQuestion is what `aloud --demo` asks itself where nobody can type.
const sampleQuestion = "What time is it in Tokyo?"

// sessionsFolder is where conversations lie in the state folder.
const sessionsFolder = "sessions"

// chat is the command without a name: the screen, one answer, or line by line.
func chat(cmd *cobra.Command, f flags) error {
	ctx := cmd.Context()
	asked := cmd.Flags().Changed("print")
	if err := checkOutput(f.output, asked); err != nil {
		return err
	}
	closeLog, err := openLog(f.log)
	if err != nil {
		return err
	}
	defer closeLog()
	cfg, err := loadConfig(cmd, f)
	if err != nil {
		return err
	}
	model, err := newModel(cfg)
	if err != nil {
		return err
	}
	state, err := config.StateDir(os.LookupEnv)
	if err != nil && !f.noSession {
		return usageError{err.Error(), "or keep nothing on disk with: --no-session"}
	}
	recorder, conv, err := openSession(state, f)
	if err != nil {
		return err
	}
	defer func() { recorder.Close() }()

	board := new(status.Board)
	var set *mcpclient.Set
	var tools provider.Tools // stays nil, not a nil *Set, with --no-tools
	if !f.noTools {
		var closeTools func()
		if set, closeTools, err = startTools(ctx, cfg, board); err != nil {
			return err
		}
		defer closeTools()
		tools = set
	}
	c := newChat(cfg, model, tools)
	c.Session = recorder.ID()
	slog.Info("chat", "model", c.Name, "host", cfg.Host, "session", c.Session)

	if asked {
		return exit(answer(ctx, cmd, headlessOptions(cmd, c, conv, recorder, state, f), f.print))
	}
	if !fullScreen(f) {
		return exit(talk(ctx, cmd, headlessOptions(cmd, c, conv, recorder, state, f), state, f))
	}
	c.Interactive = true
	options := ui.Options{
		Chat: c, Conversation: conv, Recorder: recorder, Board: board,
		LastModel:  config.LastModel(state),
		UseModel:   func(name string) error { return config.RememberModel(state, name) },
		Demo:       func() provider.Model { return demo.New() },
		IsDemo:     cfg.Provider == "demo",
		History:    filepath.Join(state, "history"),
		Version:    version,
		NewSession: newSession(state, f),
	}
	if set != nil {
		options.Tools = set
	}
	if client, ok := model.(*ollama.Client); ok && client.Local() {
		var server *ollama.Server
		options.StartServer = func(ctx context.Context) (err error) {
			server, err = ollama.StartServer(ctx, cfg.Host)
			return err
		}
		defer func() { server.Close() }()
	}
	return asFailure(ui.Run(ctx, options))
}

// answer is -p: one question, the answer on standard output, nothing interactive.
func answer(ctx context.Context, cmd *cobra.Command, o headless.Options, question string) int {
	question, err := withInput(question, cmd.InOrStdin())
	if err != nil {
		headless.PrintError(cmd.ErrOrStderr(), err)
		return 2
	}
	return headless.Answer(ctx, o, question)
}

// talk is the plain line mode. With a person at the keyboard ctrl+c ends the turn and not the program; the other signals end both.
func talk(ctx context.Context, cmd *cobra.Command, o headless.Options, state string, f flags) int {
	lines := headless.LinesOptions{Options: o, Ask: term.IsTerminal(os.Stdin.Fd()), NewSession: newSession(state, f)}
	if lines.Ask {
		interrupts := make(chan os.Signal, 1)
		signal.Notify(interrupts, os.Interrupt)
		defer signal.Stop(interrupts)
		lines.Interrupts = interrupts
		var stop context.CancelFunc
		ctx, stop = signal.NotifyContext(context.WithoutCancel(ctx), syscall.SIGTERM, syscall.SIGHUP, syscall.SIGPIPE)
		defer stop()
	}
	if f.demo {
		lines.Sample = sampleQuestion
	}
	return headless.Lines(ctx, lines, cmd.InOrStdin())
}

func headlessOptions(cmd *cobra.Command, c *provider.Chat, conv provider.Conversation, r *session.Recorder, state string, f flags) headless.Options {
	o := headless.Options{
		Chat: c, Conversation: conv, Recorder: r, LastModel: config.LastModel(state),
		Format: headless.Format(f.output),
		Stdout: cmd.OutOrStdout(), StdoutTTY: term.IsTerminal(os.Stdout.Fd()), Stderr: cmd.ErrOrStderr(),
	}
	if os.Getenv("TERM") != "dumb" && !f.plain && term.IsTerminal(os.Stderr.Fd()) {
		o.StatusWidth, _, _ = term.GetSize(os.Stderr.Fd())
	}
	return o
}

// withInput adds what is piped in to the question.
func withInput(question string, stdin io.Reader) (string, error) {
	if !term.IsTerminal(os.Stdin.Fd()) {
		piped, err := io.ReadAll(stdin)
		if err != nil {
			return "", fmt.Errorf("standard input cannot be read: %w", err)
		}
		question = strings.TrimSpace(strings.TrimSpace(question) + "\n\n" + strings.ToValidUTF8(string(piped), "\uFFFD"))
	}
	if strings.TrimSpace(question) == "" {
		return "", usageError{"there is no question", `write: aloud -p "question"`}
	}
	return question, nil
}

// openSession starts a new session, or goes on with an old one.
func openSession(state string, f flags) (*session.Recorder, provider.Conversation, error) {
	if f.noSession {
		if f.cont || f.resume != "" {
			return nil, provider.Conversation{}, usageError{"--no-session cannot go on with a conversation", "leave one of the two out"}
		}
		return nil, provider.Conversation{}, nil
	}
	store := session.Open(filepath.Join(state, sessionsFolder))
	if !f.cont && f.resume == "" {
		return store.New(), provider.Conversation{}, nil
	}
	id := f.resume
	if f.cont || id == latest {
		id = ""
	}
	recorder, conv, err := store.Resume(id)
	return recorder, conv, asFailure(err)
}

// newSession is what /clear calls; nil with --no-session.
func newSession(state string, f flags) func() *session.Recorder {
	if f.noSession {
		return nil
	}
	return session.Open(filepath.Join(state, sessionsFolder)).New
}

// fullScreen tells whether there is a terminal that can carry the screen.
func fullScreen(f flags) bool {
	return !f.plain && os.Getenv("TERM") != "dumb" && term.IsTerminal(os.Stdin.Fd()) && term.IsTerminal(os.Stdout.Fd())
}

func checkOutput(output string, asked bool) error {
	switch headless.Format(output) {
	case headless.FormatText:
		return nil
	case headless.FormatJSON, headless.FormatStreamJSON:
		if !asked {
			return usageError{fmt.Sprintf("--output %s goes with -p", output), `write: aloud --output ` + output + ` -p "question"`}
		}
		return nil
	}
	return usageError{fmt.Sprintf("there is no output format %q", output), "it is one of text, json, stream-json"}
}

func exit(code int) error {
	if code == 0 {
		return nil
	}
	return exitError(code)
}
