package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/term"
	"github.com/spf13/cobra"

	"github.com/aloudchat/aloud/config"
	"github.com/aloudchat/aloud/mcpclient"
	"github.com/aloudchat/aloud/provider"
	"github.com/aloudchat/aloud/sanitize"
)

func doctorCommand(f *flags) *cobra.Command {
	return &cobra.Command{
		Use: "doctor", Short: "Check everything a chat needs; exit code 0 only when one would work", Args: words(0, 0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return withConfig(cmd, *f, func(cfg *config.Config) error {
				d := &doctor{out: cmd.OutOrStdout(), mask: cfg.Mask}
				d.configuration(cfg)
				d.model(cmd.Context(), cfg)
				d.servers(cmd.Context(), cfg)
				if cmd.Context().Err() != nil {
					return exit(130)
				}
				d.terminal()
				return exit(d.code)
			})
		},
	}
}

// doctor prints a line for each thing it checks and remembers whether a chat would work.
type doctor struct {
	out  io.Writer
	mask func(string) string // hides the secrets of the configuration
	code int                 // 0: a chat would work; 3: no server or model; 1: something else that is needed
}

func (d *doctor) fine(what, format string, args ...any) { d.line("✓", what, format, args...) }
func (d *doctor) note(what, format string, args ...any) { d.line("!", what, format, args...) }

// broken reports a problem that prevents a chat.
func (d *doctor) broken(code int, what string, err error) {
	if errors.Is(err, context.Canceled) {
		return // ctrl+c
	}
	d.line("✗", what, "%s", err)
	if model, ok := errors.AsType[*provider.Error](err); ok && model.Hint != "" {
		d.more(model.Hint)
	}
	if d.code == 0 {
		d.code = code
	}
}

func (d *doctor) line(mark, what, format string, args ...any) {
	fmt.Fprintf(d.out, "%s %-10s %s\n", mark, sanitize.Line(what), sanitize.Line(d.mask(fmt.Sprintf(format, args...))))
}

func (d *doctor) more(text string) {
	fmt.Fprintf(d.out, "  %-10s %s\n", "", sanitize.Line(d.mask(text)))
}

func (d *doctor) configuration(cfg *config.Config) {
	place, _ := configPlace(cfg)
	d.fine("config", "%s", place)
}

// servers starts every MCP server once.
func (d *doctor) servers(ctx context.Context, cfg *config.Config) {
	board := new(mcpclient.Board)
	set, closeTools := startTools(ctx, cfg, mcpclient.Options{Board: board})
	defer closeTools()
	required := set.Ready(ctx)
	if ctx.Err() != nil {
		return
	}
	for _, s := range board.Servers() {
		_ = set.Offering(ctx, s.Name) // its lists may have problems too; errors are on the board
	}
	for _, s := range afterStart(board) {
		switch s.State {
		case mcpclient.ServerReady:
			d.fine(s.Name, "%s", serverWords(s))
			d.junk(s.Stderr)
		case mcpclient.ServerOff:
			d.line("-", s.Name, "switched off: %s", s.Detail)
		case mcpclient.ServerNeedsLogin:
			d.note(s.Name, "needs a login: %s", s.Detail)
			d.more(serverWords(s))
		default:
			d.note(s.Name, "%s", s.Detail)
			for _, line := range s.Stderr {
				d.more(line)
			}
		}
	}
	if required != nil {
		d.broken(1, "servers", required)
	}
}

// junkMark marks what a server wrote to standard output that is not a message.
const junkMark = "stdout: "

// junk shows some of that for a server that works: other programs would end the connection.
func (d *doctor) junk(tail []string) {
	const most = 3
	tail = slices.DeleteFunc(slices.Clone(tail), func(line string) bool { return !strings.HasPrefix(line, junkMark) })
	if len(tail) == 0 {
		return
	}
	d.more("what it wrote to standard output is not all messages; that belongs on standard error:")
	for _, line := range tail[:min(len(tail), most)] {
		d.more("  " + strings.TrimPrefix(line, junkMark))
	}
	if more := len(tail) - most; more > 0 {
		d.more(fmt.Sprintf("  and %d more", more))
	}
}

// terminal describes the terminal. Without one a chat works line by line.
func (d *doctor) terminal() {
	if !term.IsTerminal(os.Stdout.Fd()) {
		d.note("terminal", "standard output is none; the chat works line by line")
		return
	}
	width, height, err := term.GetSize(os.Stdout.Fd())
	if err != nil {
		d.note("terminal", "its size is not known: %s", err)
		return
	}
	d.fine("terminal", "%s, %d×%d, colours: %s", cmp.Or(os.Getenv("TERM"), "TERM is not set"), width, height, colorprofile.Detect(os.Stdout, os.Environ()))
}
