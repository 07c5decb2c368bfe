package headless

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/aloudchat/aloud/internal/sanitize"
	"github.com/aloudchat/aloud/provider/event"
	"github.com/aloudchat/aloud/status"
)

// jsonPrinter writes the JSON contract to Stdout: the result, and with stream every event before it. Errors, and
// notices without stream, go to Stderr, because a script that reads one field of the object would not show them.
type jsonPrinter struct {
	*textPrinter // of Stderr
	stream       bool
	last         statusEvent // the last event written
}

// typed is an object of the contract with its type in front: tool_call, tool_result, result.
type typed struct {
	Type   string
	Object any // marshals to an object
}

// members are the fields of an event.
type members map[string]any

// statusEvent is enough to draw a status line. Its clocks show the time when it was written.
type statusEvent struct {
	Phase      status.Phase `json:"phase"`
	Text       string       `json:"text"`
	StepMS     int64        `json:"step_ms"`               // how long the step has taken
	ExpectedMS int64        `json:"expected_ms,omitempty"` // how long the step is likely to take in all
	Part       float64      `json:"part,omitempty"`        // the finished part of the step, 0 to 1
	TurnMS     int64        `json:"turn_ms"`               // how long the turn has worked
	Paused     bool         `json:"paused,omitempty"`      // the turn's clock is paused
	LeftMS     int64        `json:"left_ms,omitempty"`     // until the turn reaches its time limit
	Round      int          `json:"round,omitempty"`
	Rounds     int          `json:"rounds,omitempty"`
}

func (p *jsonPrinter) event(ev event.Event) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.stream {
		p.streamed(ev)
	}
	switch ev := ev.(type) {
	case event.Notice:
		if !p.stream {
			p.tell(ev.Text)
			p.show(p.state)
		}
	case event.Asked:
		p.line.hide()
	case event.Ended:
		p.line.over()
		p.result(ev.Result)
		if ev.Result.Stop.Reason == event.Failed {
			PrintError(p.Stderr, ev.Err)
		}
	}
}

// streamed writes an event of stream-json.
func (p *jsonPrinter) streamed(ev event.Event) {
	switch ev := ev.(type) {
	case event.Text:
		p.write(typed{"text", members{"delta": ev.Delta}})
	case event.Thinking:
		p.write(typed{"thinking", members{"delta": ev.Delta}})
	case event.ToolCalled:
		p.write(typed{"tool_call", ev.Call})
	case event.ToolFinished:
		p.write(typed{"tool_result", ev.Call})
	case event.Notice:
		p.write(typed{"notice", members{"text": ev.Text}})
	case event.Withdrawn:
		p.write(typed{"withdrawn", members{}})
	case event.Stalled:
		p.write(typed{"stalled", members{"silence_ms": ev.Silence.Milliseconds()}})
	case event.Compacted:
		p.write(typed{"compacted", ev})
	}
}

func newStatusEvent(s status.State, now time.Time) statusEvent {
	e := statusEvent{
		Phase: s.Phase, Text: s.Words(), ExpectedMS: s.Expected.Milliseconds(),
		Part: s.Part, TurnMS: s.Elapsed(now).Milliseconds(), Paused: s.Paused, Round: s.Round, Rounds: s.Rounds,
	}
	if !s.Ends.IsZero() {
		e.LeftMS = max(1, s.Left(now).Milliseconds())
	}
	if !s.Since.IsZero() {
		e.StepMS = max(0, now.Sub(s.Since).Milliseconds())
	}
	return e
}

func (p *jsonPrinter) status(s status.State) {
	p.mu.Lock()
	defer p.mu.Unlock()
	e, last := newStatusEvent(s, time.Now()), p.last
	last.StepMS, last.TurnMS, last.LeftMS = e.StepMS, e.TurnMS, e.LeftMS // clocks alone are no news
	if p.stream && e != last {
		p.last = e
		p.write(typed{"status", e})
	}
	p.show(s)
}

func (p *jsonPrinter) result(r event.Result) {
	if p.stream {
		p.write(typed{"result", r})
		return
	}
	p.write(r)
}

// write prints v as one line.
func (p *jsonPrinter) write(v any) {
	text, err := sanitize.EncodeJSON(v, "")
	if err == nil { // the loop has checked that arguments are JSON
		p.Stdout.Write(text)
	}
}

// MarshalJSON puts the type before the object's own members. An embedded object would replace this method with its own.
func (t typed) MarshalJSON() ([]byte, error) {
	object, err := json.Marshal(t.Object)
	if err != nil {
		return nil, err
	}
	if string(object) == "{}" {
		return fmt.Appendf(nil, `{"type":%q}`, t.Type), nil
	}
	return append(fmt.Appendf(nil, `{"type":%q,`, t.Type), object[1:]...), nil
}
