package headless

import (
	"fmt"
	"io"
	"strings"

	"github.com/aloudchat/aloud/provider"
	"github.com/aloudchat/aloud/sanitize"
	"github.com/aloudchat/aloud/status"
)

// printer shows the events of turns, in order.
type printer interface{ event(provider.Event) }

func newPrinter(o Options) printer {
	switch o.Format {
	case FormatJSON:
		return &jsonPrinter{out: o.Stdout, err: o.Stderr, session: o.Recorder.ID()}
	case FormatStreamJSON:
		return &jsonPrinter{out: o.Stdout, err: o.Stderr, session: o.Recorder.ID(), stream: true}
	}
	return newTextPrinter(o)
}

// textPrinter writes the answer to out and everything else to err.
//
// On a terminal text appears as the model writes it. Anywhere else only the answer is written, when it is known to be one: a model may
// say "let me look" before it calls a tool, a reply may break off and be asked for again, and a script that reads the answer must get neither.
type textPrinter struct {
	out      io.Writer
	err      io.Writer
	terminal bool // out is one
	dim      bool // err is one
	line     *liveLine
	filter   sanitize.Filter

	midLine bool // the last thing written to out was not a newline
	said    bool // text was written since the last tool call
	pending bool // text was written that may still be withdrawn
}

func newTextPrinter(o Options) *textPrinter {
	return &textPrinter{
		out: o.Stdout, err: o.Stderr, terminal: o.StdoutTTY, dim: o.StatusWidth > 0,
		line: newLiveLine(o.Stderr, o.StatusWidth),
	}
}

func (p *textPrinter) event(ev provider.Event) {
	switch ev := ev.(type) {
	case provider.Text:
		if p.terminal {
			p.line.hide()
			p.write(p.filter.Write(ev.Delta))
		}
	case provider.Appended:
		p.pending = false
	case provider.Withdrawn:
		p.withdraw()
	case provider.Stalled:
		p.tell(fmt.Sprintf("The model has said nothing for %s. Waiting goes on; ctrl+c stops the answer, and /retry then asks again.", status.Duration(ev.Silence)))
	case provider.Compacted:
		p.whisper(fmt.Sprintf("Compacted %d messages to make room: about %s tokens are now %s.", ev.Messages, status.Count(ev.Before), status.Count(ev.After)))
	case provider.ToolCalled:
		p.endLine()
	case provider.Status:
		if !p.midLine {
			p.line.show(ev.State)
		}
	case provider.Asked:
		p.line.hide()
	case provider.Notice:
		p.tell(ev.Text)
	case provider.Ended:
		p.end(ev)
	}
}

func (p *textPrinter) write(s string) {
	if s == "" {
		return
	}
	io.WriteString(p.out, s)
	p.midLine = !strings.HasSuffix(s, "\n")
	p.said, p.pending = true, true
}

// withdraw says that the reply so far does not count. What stands on a terminal cannot be taken back.
func (p *textPrinter) withdraw() {
	_ = p.filter.Flush()
	if p.pending {
		p.tell("The reply above broke off or was not meant to be read. What follows stands in its place.")
	}
	p.said, p.pending = false, false
}

// endLine leaves what was said before a tool call as a paragraph of its own.
func (p *textPrinter) endLine() {
	p.write(p.filter.Flush())
	if p.midLine {
		io.WriteString(p.out, "\n")
	}
	if p.said {
		io.WriteString(p.out, "\n")
	}
	p.midLine, p.said = false, false
}

// tell writes one sentence to the error stream.
func (p *textPrinter) tell(text string) { p.note(sanitize.Text(text)) }

// whisper is tell for what is only good to know.
func (p *textPrinter) whisper(text string) {
	if text = sanitize.Line(text); p.dim {
		text = "\x1b[2m" + text + "\x1b[22m"
	}
	p.note(text)
}

// note writes what is safe on a line of its own.
func (p *textPrinter) note(safe string) {
	p.line.hide()
	if p.midLine {
		io.WriteString(p.out, "\n")
		p.midLine = false
	}
	fmt.Fprintln(p.err, safe)
}

func (p *textPrinter) end(e provider.Ended) {
	p.line.hide()
	if p.terminal {
		p.write(p.filter.Flush())
	} else {
		p.write(sanitize.Text(e.Result.Answer))
	}
	if p.midLine {
		io.WriteString(p.out, "\n")
	}
	p.midLine, p.said, p.pending = false, false, false
	p.sources(e.Result)
	switch stop := e.Result.Stop; stop.Reason {
	case provider.Failed:
		PrintError(p.err, e.Err)
	case provider.Denied:
		if e.Result.Answer != "" {
			break // the answer says so, and a notice did
		}
		fmt.Fprintln(p.err, "aloud: stopped, a tool call was not allowed: "+sanitize.Line(stop.Detail))
	}
}
