package cli

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/signal"
	"path/filepath"
	"strings"

	"github.com/charmbracelet/x/term"
	"github.com/spf13/cobra"

	"github.com/aloudchat/aloud/config"
	"github.com/aloudchat/aloud/internal/quantity"
	"github.com/aloudchat/aloud/mcpclient"
	"github.com/aloudchat/aloud/mcpclient/builtin"
	"github.com/aloudchat/aloud/mcpclient/elicit"
	"github.com/aloudchat/aloud/mcpclient/servers"
	"github.com/aloudchat/aloud/provider/demo"
	"github.com/aloudchat/aloud/provider/ollama"
	"github.com/aloudchat/aloud/session"
	"github.com/aloudchat/aloud/session/live"
	"github.com/aloudchat/aloud/status"
	"github.com/aloudchat/aloud/ui"
)

// sessionsFolder is the folder of saved conversations in the state folder.
const sessionsFolder = "sessions"

// chat runs aloud without a command: the screen, one answer, or the plain line mode.
func chat(cmd *cobra.Command, f flags) error {
	asked := cmd.Flags().Changed("print")
	if err := oneOf("output format", f.output, "text", "json", "stream-json"); err != nil {
		return err
	}
	if f.output != "text" && !asked {
		return usage(fmt.Sprintf("--output %s needs -p", f.output), `write: aloud --output `+f.output+` -p "MESSAGE"`)
	}
	for {
		err := withConfig(cmd, f, func(cfg *config.Config) error { return runChat(cmd, f, cfg, asked) })
		moved, ok := errors.AsType[*ui.Moved](err)
		if !ok {
			return err
		}
		f = f.movedTo(moved)
	}
}

// runChat runs the chat. With asked (-p) it runs one turn.
func runChat(cmd *cobra.Command, f flags, cfg *config.Config, asked bool) error {
	interactive := !asked && term.IsTerminal(os.Stdin.Fd())
	onScreen := interactive && !plain(f) && term.IsTerminal(os.Stdout.Fd())
	var drawn chan struct{} // closed when the screen is first drawn; nil without a screen
	if onScreen {
		drawn = make(chan struct{})
	}
	ctx, interrupts := cmd.Context(), make(chan os.Signal, 1)
	if interactive { // ctrl+c stops a turn, or a program that the screen runs, but not the servers or the log
		signal.Notify(interrupts, os.Interrupt)
		defer signal.Stop(interrupts)
		var stop func()
		ctx, stop = untilEnded(context.WithoutCancel(ctx))
		defer stop()
		if cmd.Context().Err() != nil {
			return exit(130) // ctrl+c was pressed before
		}
	}
	c, err := newParts(ctx, cfg, f, interactive, drawn)
	if err != nil {
		return err
	}
	defer c.close()
	if n := c.Recorder.Skipped(); n > 0 {
		fmt.Fprintf(cmd.ErrOrStderr(), "aloud: the saved conversation %q is damaged: skipped %s\n",
			c.Recorder.ID(), quantity.Plural(n, "line"))
	}
	slog.Info("chat", "model", c.Chat.Name, "host", cfg.Mask(cfg.Chosen().Address()), "session", c.Recorder.ID())
	switch {
	case asked:
		return c.answer(ctx, cmd)
	case onScreen:
		return c.screen(ctx, func() { close(drawn) })
	}
	return c.lines(ctx, cmd, interrupts)
}

// chatParts has the parts of a chat, and of the program around it.
type chatParts struct {
	live.Parts
	flags      flags
	cfg        *config.Config
	state      string // the state folder; may be "" with --no-session
	kept       string // the state folder for writing; "" with --no-session
	board      *servers.Board
	tools      *servers.Set  // nil with --no-tools
	closeTools func()        // ends tools; may be nil
	inbox      *elicit.Inbox // answers requests of servers; nil with --no-tools
}

// newParts makes the parts. If interactive, you can be asked for approval. The servers start when hold is closed, or at
// once if hold is nil.
func newParts(
	ctx context.Context, cfg *config.Config, f flags, interactive bool, hold <-chan struct{},
) (c *chatParts, err error) {
	c = &chatParts{flags: f, cfg: cfg, board: new(servers.Board)}
	defer func() {
		if err != nil {
			c.close()
		}
	}()
	if c.state, err = config.StateDir(os.LookupEnv); err != nil && !f.noSession {
		return c, usage(err.Error(), "or save nothing to disk with: --no-session")
	}
	model, err := newModel(cfg)
	if err != nil {
		return c, err
	}
	if _, ok := model.(*demo.Model); ok && interactive {
		model = demo.NewSlow()
	}
	if !f.noSession {
		c.kept = c.state
		folder, _ := os.Getwd() // "" if it is gone
		c.Sessions = session.Open(filepath.Join(c.state, sessionsFolder)).For(folder, cfg.Provider)
	}
	if err = c.openSession(); err != nil {
		return c, err
	}
	var offered mcpclient.Tools // a nil *Set would not be nil here
	if !f.noTools {
		roots, err := rootsOf(f.roots)
		if err != nil {
			return c, err
		}
		c.inbox = elicit.NewInbox(hold != nil) // only the screen shows requests of servers
		options := servers.Options{Board: c.board, Host: c.inbox, Roots: roots, Hold: hold}
		c.tools, c.closeTools = startServers(ctx, cfg, options, demoServers(cfg)...)
		offered, c.Offers = c.tools, c.tools
	}
	if here, err := builtin.OpenFolder(builtin.Options{Own: ownFiles(cfg.Path)}); err == nil {
		c.Files = here
	}
	c.Chat, c.Style = newChat(cfg, model, offered), status.Style(cfg.Status.Style)
	c.Chat.Interactive = interactive
	if c.inbox != nil {
		c.Chat.Asker = c.inbox
	}
	c.choose()
	c.Chat.Pace = paceOf(cfg, model, c.state, !f.noSession)
	if client, ok := model.(*ollama.Client); ok {
		client.Pace = c.Chat.Pace
	}
	return c, nil
}

// choose sets which models the chat may use. A resumed conversation keeps its model if the server has it, unless a flag
// or a variable names another. It uses the next one if a model is missing, except for the model of a flag.
func (c *chatParts) choose() {
	before, name := c.Recorder.Before(), c.Chat.Name
	c.Choice = live.Choice{Provider: c.cfg.Provider, Before: before}
	own, last := before.Model, config.LastModel(c.state, c.cfg.Provider)
	if c.Choice.Elsewhere() {
		own = ""
	}
	c.Choice.Others = []string{own, name, last}
	switch kind, from, _ := strings.Cut(c.cfg.Origin("model"), " "); {
	case before.Model == "" || c.cfg.Chosen().Type == config.TypeDemo:
	case kind == "flag" && name != "":
		c.Choice.Named, c.Choice.From = name, from
	case kind == "environment":
		c.Choice.Named, c.Choice.From = name, from
		c.Choice.Others, c.Chat.Name = []string{name, own, c.cfg.FileModel, last}, ""
	default:
		c.Chat.Name = ""
	}
}

// close ends the servers and unlocks the session.
func (c *chatParts) close() {
	if c.closeTools != nil {
		c.closeTools()
	}
	if here, ok := c.Files.(builtin.Folder); ok {
		here.Close()
	}
	c.Recorder.Close()
}

// openSession starts a session, or resumes one.
func (c *chatParts) openSession() (err error) {
	goOn := c.flags.cont || c.flags.resume != ""
	switch {
	case c.flags.noSession && goOn:
		return usage("--no-session does not work with --continue or --resume", "remove one of them")
	case c.Sessions == nil:
		return nil
	case c.flags.cont && c.flags.resume != "":
		return usage("--continue does not work with --resume", "remove one of them")
	case c.flags.at != 0 && (!goOn || c.flags.print == ""):
		return usage("--at works only with -p and --resume or --continue", "see: aloud --help")
	case !goOn:
		c.Recorder = c.Sessions.New()
		return nil
	}
	switch id := c.flags.resume; {
	case c.flags.cont:
		c.Recorder, c.Conversation, err = c.Sessions.Continue()
	case id == latest:
		c.Recorder, c.Conversation, err = c.Sessions.Resume("")
	default:
		c.Recorder, c.Conversation, err = c.Sessions.Resume(id)
	}
	c.At = c.flags.at
	if n := len(c.Conversation.Questions()); err == nil && (c.At < 0 || c.At > n) {
		c.Recorder.Close()
		return usage(fmt.Sprintf("there is no question %d in this conversation", c.At), fmt.Sprintf("it has %d", n))
	}
	return failure(err)
}
