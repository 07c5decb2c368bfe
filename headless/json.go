package headless

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"

	"github.com/aloudchat/aloud/provider"
	"github.com/aloudchat/aloud/sanitize"
	"github.com/aloudchat/aloud/status"
)

// jsonPrinter writes the JSON contract to out: the result, and with stream every event before it. Notices that have no place there, and errors,
// are told on err: a script that takes one field out of the object would else never show why it is empty.
type jsonPrinter struct {
	out     io.Writer
	err     io.Writer
	session string
	stream  bool
	last    status.State // the last status written: only a new phase or new words are news
}

// The events of stream-json. Each is one line; readers skip types they do not know.
type (
	// typed is an object of the contract with its type in front: tool_call, tool_result, result.
	typed struct {
		Type   string
		Object any // marshals to an object that is not empty
	}
	deltaEvent struct {
		Type  string `json:"type"` // text, thinking
		Delta string `json:"delta"`
	}
	statusEvent struct {
		Type  string       `json:"type"`
		Phase status.Phase `json:"phase"`
		Text  string       `json:"text"`
	}
	noticeEvent struct {
		Type string `json:"type"`
		Text string `json:"text"`
	}
	withdrawnEvent struct {
		Type string `json:"type"`
	}
	stalledEvent struct {
		Type      string `json:"type"`
		SilenceMS int64  `json:"silence_ms"`
	}
	compactedEvent struct {
		Type     string `json:"type"`
		Messages int    `json:"messages"`
		Before   int    `json:"before"`
		After    int    `json:"after"`
	}
)

func (p *jsonPrinter) event(ev provider.Event) {
	if p.stream {
		p.streamed(ev)
	}
	switch ev := ev.(type) {
	case provider.Notice:
		if !p.stream {
			fmt.Fprintln(p.err, sanitize.Text(ev.Text))
		}
	case provider.Ended:
		p.result(ev.Result)
		if ev.Result.Stop.Reason == provider.Failed {
			PrintError(p.err, ev.Err)
		}
	}
}

// streamed writes an event before the result.
func (p *jsonPrinter) streamed(ev provider.Event) {
	switch ev := ev.(type) {
	case provider.Text:
		p.write(deltaEvent{"text", ev.Delta})
	case provider.Thinking:
		p.write(deltaEvent{"thinking", ev.Delta})
	case provider.ToolCalled:
		p.write(typed{"tool_call", ev.Call})
	case provider.ToolFinished:
		p.write(typed{"tool_result", ev.Call})
	case provider.Notice:
		p.write(noticeEvent{"notice", ev.Text})
	case provider.Withdrawn:
		p.write(withdrawnEvent{"withdrawn"})
	case provider.Stalled:
		p.write(stalledEvent{"stalled", ev.Silence.Milliseconds()})
	case provider.Compacted:
		p.write(compactedEvent{"compacted", ev.Messages, ev.Before, ev.After})
	case provider.Status:
		if ev.State.Phase != p.last.Phase || ev.State.Text != p.last.Text {
			p.last = ev.State
			p.write(statusEvent{"status", ev.State.Phase, ev.State.Text})
		}
	}
}

func (p *jsonPrinter) result(r provider.Result) {
	if r.Session == "" {
		r.Session = p.session
	}
	if p.stream {
		p.write(typed{"result", r})
		return
	}
	p.write(r)
}

// write prints v as one line.
func (p *jsonPrinter) write(v any) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil { // only arguments that are not JSON can do that, and the loop checks them
		_ = enc.Encode(noticeEvent{"notice", err.Error()}) // strings are always JSON
	}
	p.out.Write(sanitize.JSON(b.Bytes()))
}

// MarshalJSON puts the type before the object's own members. Embedding would not do: the object's own MarshalJSON would take over.
func (t typed) MarshalJSON() ([]byte, error) {
	object, err := json.Marshal(t.Object)
	if err != nil {
		return nil, err
	}
	return append(fmt.Appendf(nil, `{"type":%q,`, t.Type), object[1:]...), nil
}
