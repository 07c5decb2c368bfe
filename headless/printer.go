package headless

import (
	"fmt"
	"io"
	"strings"

	"github.com/aloudchat/aloud/provider"
	"github.com/aloudchat/aloud/sanitize"
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
// say "let me look" before it calls a tool, and a script that reads the answer must not get that.
type textPrinter struct {
	out    io.Writer
	err    io.Writer
	stream bool
	line   *liveLine
	filter sanitize.Filter

	midLine bool // the last thing written to out was not a newline
	said    bool // text was written since the last tool call
}

func newTextPrinter(o Options) *textPrinter {
	return &textPrinter{
		out: o.Stdout, err: o.Stderr,
		stream: o.StdoutTTY || o.Chat.Tools == nil,
		line:   newLiveLine(o.Stderr, o.StatusWidth),
	}
}

func (p *textPrinter) event(ev provider.Event) {
	switch ev := ev.(type) {
	case provider.Text:
		if p.stream {
			p.line.hide()
			p.write(p.filter.Write(ev.Delta))
		}
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
	p.said = true
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

// tell writes one sentence to the error stream, on a line of its own.
func (p *textPrinter) tell(text string) {
	p.line.hide()
	if p.midLine {
		io.WriteString(p.out, "\n")
		p.midLine = false
	}
	fmt.Fprintln(p.err, sanitize.Text(text))
}

func (p *textPrinter) end(e provider.Ended) {
	p.line.hide()
	if p.stream {
		p.write(p.filter.Flush())
	} else {
		p.write(sanitize.Text(e.Result.Answer))
	}
	if p.midLine {
		io.WriteString(p.out, "\n")
	}
	p.midLine, p.said = false, false
	switch stop := e.Result.Stop; stop.Reason {
	case provider.Failed:
		PrintError(p.err, e.Err)
	case provider.GaveUp:
		if e.Result.Answer == "" {
			fmt.Fprintln(p.err, "aloud: the model gave up: "+sanitize.Line(stop.Detail))
		}
	case provider.Denied:
		if e.Result.Answer != "" {
			break // the answer says so, and a notice did
		}
		fmt.Fprintln(p.err, "aloud: stopped, a tool call was not allowed: "+sanitize.Line(stop.Detail))
	}
}
