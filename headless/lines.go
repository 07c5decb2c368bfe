package headless

import (
	"context"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/aloudchat/aloud/provider"
	"github.com/aloudchat/aloud/sanitize"
	"github.com/aloudchat/aloud/session"
)

// LinesOptions are those of the plain line mode.
type LinesOptions struct {
	Options
	Ask        bool                     // the input is a terminal: show a prompt, and ask for approvals
	Interrupts <-chan os.Signal         // ctrl+c, which stops the turn, or leaves at the prompt
	NewSession func() *session.Recorder // for /clear; nil if no sessions are kept
	Sample     string                   // asked if the input has no message; may be ""
}

const linesHelp = `Every line is a message. /clear starts a new conversation, /retry asks the last question again, /quit leaves.
ctrl+c stops the answer. @server:uri in a message attaches that resource.`

// Lines is the plain mode: every line of in is a message. It closes the recorder and returns the exit code of the last
// turn. The goroutine that reads in lives until in ends or has another line: a blocked read cannot be cancelled.
func Lines(ctx context.Context, o LinesOptions, in io.Reader) int {
	o.Chat.Interactive = o.Ask
	l := &lines{LinesOptions: o, conv: o.Conversation, input: readLines(in), out: newPrinter(o.Options)}
	defer func() { l.Recorder.Close() }() // /clear may have made it
	if before, asked := l.conv.LastQuestion(); asked != nil {
		l.last, l.before = &question{text: asked[0].Text, messages: asked}, before
	}
	asked := false
	for {
		text, ok := l.next(ctx)
		if !ok {
			break
		}
		if text = strings.TrimSpace(text); text == "" {
			continue
		}
		asked = true
		if strings.HasPrefix(text, "/") {
			if l.command(ctx, text) {
				break
			}
			continue
		}
		l.turn(ctx, &question{text: text})
	}
	if l.unread != nil {
		PrintError(o.Stderr, fmt.Errorf("cannot read standard input: %w", l.unread))
		return 1
	}
	if !asked && o.Sample != "" && ctx.Err() == nil {
		fmt.Fprintf(o.Stdout, "> %s\n", o.Sample)
		l.turn(ctx, &question{text: o.Sample})
	}
	if ctx.Err() != nil {
		return 130
	}
	return l.code
}

type lines struct {
	LinesOptions
	conv   provider.Conversation
	input  *input
	ahead  []string // messages typed before an approval was asked for
	unread error    // the error that ended the input
	out    printer
	last   *question // nil before the first
	before int       // the number of messages before it
	code   int       // of the last turn

	prompted bool // the prompt is in the last line
}

// next returns the next line, or false at the end of the input and after ctrl+c at the prompt.
func (l *lines) next(ctx context.Context) (string, bool) {
	for {
		if l.Ask && !l.prompted {
			fmt.Fprint(l.promptOut(), "> ")
			l.prompted = true
		}
		if len(l.ahead) > 0 {
			text := l.ahead[0]
			l.prompted = false
			l.ahead = l.ahead[1:]
			return text, true
		}
		select {
		case line, ok := <-l.input.lines:
			if !ok {
				l.unread = l.input.err
			}
			l.prompted = false
			return line.text, ok
		case <-l.Interrupts:
			fmt.Fprintln(l.promptOut())
			return "", false
		case <-ctx.Done():
			return "", false
		}
	}
}

// promptOut is the stream of the prompt: Stderr if the answers go into a file.
func (l *lines) promptOut() io.Writer {
	if !l.StdoutTTY {
		return l.Stderr
	}
	return l.Stdout
}

// command runs a slash command and reports whether to leave.
func (l *lines) command(ctx context.Context, text string) (leave bool) {
	switch name, _, _ := strings.Cut(text, " "); name {
	case "/quit", "/exit", "/bye":
		return true
	case "/help":
		fmt.Fprintln(l.Stderr, linesHelp)
	case "/clear":
		l.conv, l.last = provider.Conversation{}, nil
		if l.NewSession != nil {
			l.Recorder.Close()
			l.Recorder = l.NewSession()
			l.Chat.Session = l.Recorder.ID()
		}
	case "/retry":
		l.retry(ctx)
	default:
		fmt.Fprintf(l.Stderr, "aloud: there is no command %q here\n  /help lists the commands; prompts of servers need the full screen, or -p\n", sanitize.Line(name))
	}
	return false
}

// retry takes the last question and its answer back, and asks it again.
func (l *lines) retry(ctx context.Context) {
	if l.last == nil {
		fmt.Fprintln(l.Stderr, "aloud: there is no question yet to ask again")
		return
	}
	if l.conv.Len() > l.before { // else no model was asked
		l.conv = l.conv.Until(l.before)
		if err := l.Recorder.Rewind(l.before); err != nil {
			PrintError(l.Stderr, err)
		}
	}
	l.turn(ctx, l.last)
}

// turn answers one message.
func (l *lines) turn(ctx context.Context, asked *question) {
	ctx, done := l.stoppable(ctx)
	defer done()
	l.last, l.before = asked, l.conv.Len()
	out := approving{l.out, func(a provider.Asked) (provider.Decision, bool) { return l.approve(ctx, a) }}
	ended := l.Options.turn(ctx, out, l.conv, asked)
	l.conv, l.code = ended.Conversation, ExitCode(ended)
}

// stoppable returns a context that the first ctrl+c cancels. The caller must call done.
func (l *lines) stoppable(ctx context.Context) (_ context.Context, done func()) {
	ctx, cancel := context.WithCancel(ctx)
	over := make(chan struct{})
	go func() {
		select {
		case <-l.Interrupts:
			cancel()
		case <-over:
		}
	}()
	return ctx, func() {
		close(over)
		cancel()
	}
}
