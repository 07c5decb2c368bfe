package headless

import (
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"github.com/aloudchat/aloud/internal/quantity"
	"github.com/aloudchat/aloud/internal/sanitize"
	"github.com/aloudchat/aloud/provider/event"
	"github.com/aloudchat/aloud/status"
)

// printer shows the events of turns, in order, and the states of the line between them. Safe for concurrent use.
type printer interface {
	event(event.Event)
	status(status.State)
}

func newPrinter(o Options) printer {
	text := &textPrinter{Options: o, line: newProgress(o)}
	if o.Format == FormatJSON || o.Format == FormatStreamJSON {
		text.StdoutTTY = false // text is not written to Stdout
		return &jsonPrinter{textPrinter: text, stream: o.Format == FormatStreamJSON}
	}
	return text
}

// textPrinter writes the answer to Stdout and everything else to Stderr.
//
// On a terminal text appears as the model writes it. Elsewhere only the final answer is written, without text before
// tool calls and replies that were retried.
type textPrinter struct {
	Options
	line   *progress
	filter sanitize.Filter

	mu      sync.Mutex
	state   status.State // the newest
	midLine bool         // the last thing written to Stdout was not a newline
	said    bool         // text was written since the last tool call
	pending bool         // text was written that may be withdrawn
	short   bool         // the text that follows is a short form of what was written
}

func (p *textPrinter) event(ev event.Event) {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch ev := ev.(type) {
	case event.Text:
		p.text(ev.Delta)
	case event.Appended:
		p.pending, p.short = false, false
	case event.Withdrawn:
		p.withdraw(ev.Repeats)
	case event.Stalled:
		defer p.show(p.state)
		p.tell(fmt.Sprintf("The model sent nothing for %s. To try again: ctrl+c, then /retry", quantity.Duration(ev.Silence)))
	case event.Compacted:
		defer p.show(p.state)
		before, after := quantity.Count(ev.Before), quantity.Count(ev.After)
		p.whisper(fmt.Sprintf("Compacted %d messages from about %s to %s tokens", ev.Messages, before, after))
	case event.ToolCalled:
		p.endLine()
	case event.Asked:
		p.line.hide()
	case event.Notice:
		defer p.show(p.state) // the line stays below
		p.tell(ev.Text)
	case event.Ended:
		p.end(ev)
	}
}

// text prints part of an answer on a terminal.
func (p *textPrinter) text(delta string) {
	if !p.StdoutTTY || p.short {
		return
	}
	p.write(p.filter.Write(delta))
	p.state.Heard = time.Now()
	p.show(p.state)
}

func (p *textPrinter) status(s status.State) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.show(s)
}

// show shows the state, except in the middle of a line of streamed text that goes on as before.
func (p *textPrinter) show(s status.State) {
	goesOn := s.Phase != p.state.Phase || s.Words() == p.state.Words() // else it repeats itself
	grows := goesOn && (s.Phase == status.Thinking || s.Phase == status.Formulating)
	p.state = s
	if s.From == status.Written && p.StdoutTTY && p.StatusWidth != nil {
		s.Quote = "" // it stands above
	}
	switch {
	case s.Phase == status.Idle:
		p.line.over()
	case s.Phase == status.Stopped:
		p.line.hide()
	case s.Phase == status.Approval: // the prompt follows
	case p.midLine && (p.live() || grows), p.StdoutTTY && p.live() && s.Phase == status.Formulating:
	default:
		p.breakLine()
		p.line.show(s)
	}
}

func (p *textPrinter) write(s string) {
	if s == "" {
		return
	}
	p.line.hide()
	io.WriteString(p.Stdout, s)
	p.midLine = !strings.HasSuffix(s, "\n")
	p.said, p.pending = true, true
}

// withdraw reports that the reply so far was discarded, or with repeats only shortened. A terminal cannot remove it.
func (p *textPrinter) withdraw(repeats bool) {
	_ = p.filter.Flush()
	if p.short = repeats && p.pending; p.short {
		p.tell("The answer above repeats itself and is kept in a shorter form.")
		return
	}
	if p.pending {
		p.tell("The reply above was discarded. The next one replaces it")
	}
	p.said, p.pending = false, false
}

// endLine ends the paragraph before a tool call.
func (p *textPrinter) endLine() {
	p.write(p.filter.Flush())
	p.breakLine()
	if p.said {
		p.line.hide()
		io.WriteString(p.Stdout, "\n")
	}
	p.said = false
}

// tell prints a notice.
func (p *textPrinter) tell(text string) { p.note(sanitize.Text(text)) }

// whisper prints a notice that --quiet leaves out.
func (p *textPrinter) whisper(text string) {
	if p.Quiet {
		return
	}
	if text = sanitize.Line(text); p.live() {
		text = "\x1b[2m" + text + "\x1b[22m"
	}
	p.note(text)
}

// note prints a safe text on a line of its own.
func (p *textPrinter) note(safe string) {
	p.line.hide()
	p.breakLine()
	fmt.Fprintln(p.Stderr, safe)
}

// breakLine ends an unfinished line.
func (p *textPrinter) breakLine() {
	if p.midLine {
		io.WriteString(p.Stdout, "\n")
		p.midLine = false
	}
}

func (p *textPrinter) end(e event.Ended) {
	p.line.over()
	if p.StdoutTTY {
		p.write(p.filter.Flush())
	} else {
		p.write(sanitize.Text(e.Result.Answer))
	}
	if e.Result.Stop.Reason == event.Cancelled && p.Chat.Interactive && !p.midLine {
		fmt.Fprintln(p.Stderr) // the terminal is in the line where it showed ^C
	}
	p.breakLine()
	p.sources(e.Result)
	r := e.Result
	if r.Stop.Reason != event.Failed || len(r.ToolCalls) > 0 || r.Usage.PromptTokens > 0 || r.Usage.AnswerTokens > 0 {
		p.whisper(status.Receipt(r)) // not if the turn failed before the model did anything
	}
	p.state, p.said, p.pending = status.State{}, false, false
	switch stop := e.Result.Stop; stop.Reason {
	case event.Failed:
		PrintError(p.Stderr, e.Err)
		if ways := p.ways().After(r); ways != "" {
			fmt.Fprintf(p.Stderr, "  %s\n", ways)
		}
	case event.Denied:
		if e.Result.Answer == "" && p.Quiet { // nothing else reports it
			fmt.Fprintln(p.Stderr, "aloud: stopped because a tool call was denied: "+sanitize.Line(stop.Detail))
		}
	}
}

const (
	mostSources   = 20  // the JSON formats and the saved conversation have all sources
	longestSource = 500 // bytes
)

// sources lists the sources of an answer below it on a terminal, otherwise on Stderr.
func (p *textPrinter) sources(r event.Result) {
	if len(r.Sources) == 0 || r.Answer == "" {
		return
	}
	var b strings.Builder
	b.WriteString("Sources:\n")
	for i, source := range r.Sources {
		if i == mostSources {
			fmt.Fprintf(&b, "… and %d more\n", len(r.Sources)-i)
			break
		}
		fmt.Fprintf(&b, "- %s\n", sanitize.Line(sanitize.Clip(source, longestSource)))
	}
	if p.StdoutTTY {
		fmt.Fprint(p.Stdout, "\n"+b.String())
		return
	}
	if !p.Quiet {
		fmt.Fprint(p.Stderr, b.String())
	}
}
