package headless

import (
	"context"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/aloudchat/aloud/internal/sanitize"
	"github.com/aloudchat/aloud/provider/attach"
	"github.com/aloudchat/aloud/provider/event"
)

// LinesOptions are the options of the plain line mode.
type LinesOptions struct {
	Options
	Interrupts <-chan os.Signal // ctrl+c stops the turn, or the chat if it is at the prompt
	Sample     string           // sent if the input has no message; may be ""
}

const linesHelp = `Every line is a message. @FILE attaches a file, @server:uri a resource. ctrl+c stops the answer.
/clear starts a new conversation · /retry sends the last message again · /quit ends the chat`

// Lines is the plain line mode: every line of in is a message. If Chat.Interactive, the input is a terminal, and Lines
// shows a prompt and asks for approvals. It closes the recorder and returns the exit code of the last turn. A goroutine
// continues to read in until the next line or the end, because a blocked read cannot be cancelled.
func Lines(ctx context.Context, o LinesOptions, in io.Reader) int {
	o.Options.lines = true
	if !o.Chat.Interactive { // the lines may not be yours
		o.Files = nil
	}
	l := &lines{talk: newTalk(o.Options), interrupts: o.Interrupts, input: readLines(in)}
	defer l.chat.Close()
	asked := false
	for {
		text, ok := l.next(ctx)
		if !ok {
			break
		}
		text, doubted := strings.TrimSpace(text), l.doubted
		if l.doubted = ""; text == "" && doubted == "" {
			continue
		}
		asked = true
		if text == "" {
			l.answer(ctx, &question{text: doubted})
		} else if l.command(ctx, text) {
			break
		}
	}
	if l.unread != nil {
		PrintError(o.Stderr, fmt.Errorf("cannot read standard input: %w", l.unread))
		return 1
	}
	if !asked && o.Sample != "" && ctx.Err() == nil {
		fmt.Fprintf(o.Stdout, "> %s\n", o.Sample)
		l.answer(ctx, &question{text: o.Sample})
	}
	if ctx.Err() != nil {
		return 130
	}
	return l.code
}

type lines struct {
	talk
	interrupts <-chan os.Signal
	input      *input
	ahead      []string  // lines typed before a prompt, to be sent as messages
	unread     error     // the error that ended the input
	unsent     *question // the last one, if its turn did not begin
	doubted    string    // the last line, if it looked like a command and was not; else ""
	code       int       // of the last turn
}

// next returns the next line, or false at the end of the input and after ctrl+c at the prompt.
func (l *lines) next(ctx context.Context) (string, bool) {
	if l.Chat.Interactive {
		fmt.Fprint(l.promptOut(), "> ")
	}
	if len(l.ahead) > 0 {
		text := l.ahead[0]
		l.ahead = l.ahead[1:]
		return text, true
	}
	select {
	case line, ok := <-l.input.lines:
		if !ok {
			l.unread = l.input.err
		}
		return line.text, ok
	case <-l.interrupts:
		fmt.Fprintln(l.promptOut())
	case <-ctx.Done():
	}
	return "", false
}

// promptOut is the stream of the prompt: Stderr if the answers go into a file.
func (l *lines) promptOut() io.Writer {
	if !l.StdoutTTY {
		return l.Stderr
	}
	return l.Stdout
}

// command sends a message or runs a slash command, and reports whether to leave.
func (l *lines) command(ctx context.Context, text string) (leave bool) {
	name, words, ok := attach.Typed(text).Command()
	commands := []string{"clear", "help", "quit", "retry"}
	known := slices.Contains(commands, name)
	switch {
	case !ok || !known && attach.NamesFolder(name):
		l.answer(ctx, &question{text: text})
	case known && words != "":
		l.doubt(text, fmt.Sprintf("/%s takes no words", name))
	case name == "quit":
		return true
	case name == "help":
		fmt.Fprintln(l.Stderr, linesHelp)
	case name == "clear":
		l.unsent = nil
		if err := l.chat.Clear(); err != nil {
			PrintError(l.Stderr, err)
		}
	case name == "retry":
		l.retry(ctx)
	default:
		word, _, _ := strings.Cut(text, " ")
		why := fmt.Sprintf("unknown command %q", sanitize.Line(word))
		if meant := attach.MeantCommand(name, commands); meant != "" {
			why += "; " + meant
		}
		l.doubt(text, why)
	}
	return false
}

// doubt says why a command does not run. The next line sends it as a message if that is empty and you typed it.
func (l *lines) doubt(text, why string) {
	hint := "/help lists commands; prompts need the full screen or -p"
	if l.Chat.Interactive {
		l.doubted = text
		hint += "; enter sends this as a message"
	}
	fmt.Fprintf(l.Stderr, "aloud: %s\n  %s\n", why, hint)
}

// retry removes the last message and its answer from the conversation, and sends it again.
func (l *lines) retry(ctx context.Context) {
	if l.unsent != nil {
		l.answer(ctx, l.unsent)
		return
	}
	messages, err := l.chat.TakeBack()
	if messages == nil {
		fmt.Fprintln(l.Stderr, "aloud: no message to send again")
		return
	}
	if err != nil {
		PrintError(l.Stderr, err)
	}
	l.answer(ctx, &question{messages: messages})
}

// answer answers one message.
func (l *lines) answer(ctx context.Context, asked *question) {
	ctx, done := l.stoppable(ctx)
	defer done()
	before := l.chat.Conversation().Len()
	out := approving{l.out, func(a event.Asked) (event.Decision, bool) { return l.approve(ctx, a) }}
	ended := l.turn(ctx, out, asked)
	if l.code, l.unsent = ExitCode(ended), nil; ended.Conversation.Len() == before {
		l.unsent = asked
	}
}

// stoppable returns a context that the first ctrl+c cancels. The caller must call done.
func (l *lines) stoppable(ctx context.Context) (_ context.Context, done func()) {
	ctx, cancel := context.WithCancel(ctx)
	go func() {
		select {
		case <-l.interrupts:
			cancel()
		case <-ctx.Done():
		}
	}()
	return ctx, cancel
}
