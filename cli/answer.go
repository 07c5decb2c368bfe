package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"syscall"
	"time"

	"github.com/charmbracelet/x/term"
	"github.com/spf13/cobra"

	"github.com/aloudchat/aloud/config"
	"github.com/aloudchat/aloud/headless"
	"github.com/aloudchat/aloud/provider/event"
	"github.com/aloudchat/aloud/status"
)

// sampleQuestion is what `aloud --demo` sends if standard input is empty.
const sampleQuestion = "What time is it in Tokyo?"

const waitingForInput = `aloud: reading standard input to add it to the message
  to send the message without it, add </dev/null`

// answer is -p: one turn, with the answer on standard output.
func (c *chatParts) answer(ctx context.Context, cmd *cobra.Command) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	question, piped, err := withInput(ctx, c.flags.print, cmd.InOrStdin(), func() {
		if !c.flags.quiet {
			fmt.Fprintln(cmd.ErrOrStderr(), waitingForInput)
		}
	})
	if err != nil {
		return err
	}
	if err := c.requiredServers(ctx); err != nil {
		return err
	}
	o := c.headless(cmd, func() { cancel(event.LostOutput) })
	o.Unread = piped
	return exit(headless.Answer(ctx, o, question))
}

// lines is the plain line mode. An interrupt stops the turn, or ends the program at the prompt.
func (c *chatParts) lines(ctx context.Context, cmd *cobra.Command, interrupts <-chan os.Signal) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	o := headless.LinesOptions{Interrupts: interrupts}
	if c.flags.demo {
		o.Sample = sampleQuestion
	}
	o.Options = c.headless(cmd, func() { cancel(event.LostOutput) })
	return exit(headless.Lines(ctx, o, cmd.InOrStdin()))
}

// requiredServers waits for the servers if any of them is required.
func (c *chatParts) requiredServers(ctx context.Context) error {
	for _, s := range c.cfg.Servers {
		if s.Required && c.tools != nil {
			err := c.tools.Ready(ctx)
			if ctx.Err() != nil {
				return exit(130)
			}
			if err != nil {
				return failure(err)
			}
			return nil
		}
	}
	return nil
}

// headless returns the options of headless. lost is called when standard output cannot be written.
func (c *chatParts) headless(cmd *cobra.Command, lost func()) headless.Options {
	o := headlessOptions(cmd, c.cfg, c.flags)
	o.Parts, o.Board, o.Inbox, o.Format = c.Parts, c.board, c.inbox, headless.Format(c.flags.output)
	if out, ok := o.Stdout.(*stdout); ok {
		out.onLost = lost
	}
	return o
}

// headlessOptions returns the options for streams.
func headlessOptions(cmd *cobra.Command, cfg *config.Config, f flags) headless.Options {
	o := headless.Options{
		Stdout: cmd.OutOrStdout(), StdoutTTY: term.IsTerminal(os.Stdout.Fd()), Stderr: cmd.ErrOrStderr(),
		Motion: status.Motion(cfg.Status.Motion), Plain: plain(f), Quiet: f.quiet,
	}
	if term.IsTerminal(os.Stderr.Fd()) {
		o.StatusWidth = func() int { return widthOf(os.Stderr) }
	}
	return o
}

// withInput adds piped input to a message, and returns that part too. It calls waiting if the input does not end soon.
func withInput(ctx context.Context, question string, stdin io.Reader, waiting func()) (whole, piped string, err error) {
	if !term.IsTerminal(os.Stdin.Fd()) {
		data, err := readAll(ctx, stdin, waiting)
		if err != nil {
			return "", "", err
		}
		piped = strings.TrimSpace(strings.ToValidUTF8(string(data), "\uFFFD"))
		question = strings.TrimSpace(strings.TrimSpace(question) + "\n\n" + piped)
	}
	if strings.TrimSpace(question) == "" {
		return "", "", usage("no message given", `write: aloud -p "MESSAGE"`)
	}
	return question, piped, nil
}

// inputPatience is how long standard input may stay open before aloud reports that it is reading it.
const inputPatience = 2 * time.Second

// readAll reads until the end or until ctx is done. It calls waiting once if that takes longer than inputPatience.
func readAll(ctx context.Context, r io.Reader, waiting func()) ([]byte, error) {
	patience := time.AfterFunc(inputPatience, waiting)
	defer patience.Stop()
	var data []byte
	err, ended := await(ctx, func() error {
		text, err := io.ReadAll(r)
		data = text
		return err
	})
	switch {
	case !ended:
		return nil, exit(130)
	// A closed standard input counts as empty.
	case err != nil && !errors.Is(err, os.ErrInvalid) && !errors.Is(err, syscall.EBADF):
		return nil, failure(fmt.Errorf("cannot read standard input: %w", err))
	}
	return data, nil
}
