package session

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"math"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/aloudchat/aloud/internal/sanitize"
	"github.com/aloudchat/aloud/provider/event"
	"github.com/aloudchat/aloud/status/tape"
)

// Trace writes the turns of a conversation as OpenTelemetry JSON: a line of the OTLP file format, with the names of the
// GenAI semantic conventions. Each turn is a trace. It has names and numbers only: no messages, arguments, results,
// folders or addresses. The same file always gives the same IDs. id is as in Resume.
//
// The format is at https://opentelemetry.io/docs/specs/otel/protocol/file-exporter/.
func (s *Store) Trace(w io.Writer, id string) error {
	id, err := s.find(id)
	if err != nil {
		return err
	}
	h, err := s.read(id, math.MaxInt)
	if err != nil {
		return err
	}
	spans := []*span{}
	for n, turn := range h.ran() {
		if turn.Ended.IsZero() { // a damaged line
			continue
		}
		turn.Result.Model = modelName(turn.Result.Model)
		t := tracer{turn: turn.Result, conversation: id, provider: h.used.Provider, seed: fmt.Sprintf("%s/%d", id, n)}
		spans = append(spans, t.trace(turn.Ended)...)
	}
	scope := map[string]any{"scope": map[string]any{"name": "aloud"}, "spans": spans}
	resource := map[string]any{"attributes": []attribute{text("service.name", "aloud")}}
	line, err := sanitize.EncodeJSON(map[string]any{"resourceSpans": []any{
		map[string]any{"resource": resource, "scopeSpans": []any{scope}},
	}}, "")
	if err == nil {
		_, err = w.Write(line)
	}
	return err
}

// span is a span in OTLP JSON.
type span struct {
	TraceID    string      `json:"traceId"`
	SpanID     string      `json:"spanId"`
	ParentID   string      `json:"parentSpanId,omitempty"`
	Name       string      `json:"name"`
	Kind       int         `json:"kind"`
	Start      string      `json:"startTimeUnixNano"`
	End        string      `json:"endTimeUnixNano"`
	Attributes []attribute `json:"attributes"`
	Status     struct {
		Code int `json:"code,omitempty"`
	} `json:"status"`
}

// The values of SpanKind and StatusCode.
const (
	kindInternal = 1
	kindClient   = 3
	statusError  = 2
)

type attribute struct {
	Key   string         `json:"key"`
	Value map[string]any `json:"value"`
}

// text is an attribute with a name.
func text(key, value string) attribute {
	return attribute{key, map[string]any{"stringValue": clean(value)}}
}

// clean returns a name from a model or a server on one line.
func clean(name string) string {
	const longest = 200
	return sanitize.Line(sanitize.Cut(name, longest))
}

// modelName returns a model's name. Some servers name a model by its file, of which only the last part is a name.
func modelName(name string) string {
	slashes := strings.ReplaceAll(name, `\`, "/")
	if strings.IndexAny(slashes, "/~.") == 0 || strings.Contains(slashes, ":/") {
		return path.Base(slashes)
	}
	return name
}

// number is an attribute with a number, which OTLP JSON writes as a string.
func number(key string, n int) attribute {
	return attribute{key, map[string]any{"intValue": strconv.Itoa(n)}}
}

// tracer makes the trace of a turn.
type tracer struct {
	turn                   event.Result
	conversation, provider string
	seed                   string // of the IDs
	begin                  time.Time
	spans                  []*span
	calls                  []event.ToolCall // that have no span yet
}

func (t *tracer) trace(ended time.Time) []*span {
	axis := tape.Of(t.turn)
	t.begin = ended.Add(-max(axis.Now, tape.Milliseconds(t.turn.Timing.Total)))
	t.calls = slices.Clone(t.turn.ToolCalls)
	whole := t.add("invoke_agent aloud", kindInternal, "", 0, ended.Sub(t.begin),
		text("gen_ai.operation.name", "invoke_agent"), text("gen_ai.agent.name", "aloud"),
		text("gen_ai.conversation.id", t.conversation), text("gen_ai.provider.name", t.provider),
		text("gen_ai.request.model", t.turn.Model), number("gen_ai.usage.input_tokens", t.turn.Usage.PromptTokens),
		number("gen_ai.usage.output_tokens", t.turn.Usage.AnswerTokens), number("aloud.rounds", t.turn.Rounds),
		text("aloud.stop.reason", string(t.turn.Stop.Reason)))
	if t.turn.Stop.Reason == event.Failed {
		whole.fail(string(t.turn.Stop.Reason))
	}
	var chat *span // the current request
	for _, s := range axis.Spans {
		if s.Kind == tape.Tool {
			t.tool(whole.SpanID, s)
			continue
		}
		if chat == nil {
			chat = t.add("chat "+t.turn.Model, kindClient, whole.SpanID, s.Start, s.End(),
				text("gen_ai.operation.name", "chat"), text("gen_ai.provider.name", t.provider),
				text("gen_ai.request.model", t.turn.Model))
		}
		chat.End = t.at(s.End())
		switch s.Kind {
		case tape.Load:
			t.add("load "+t.turn.Model, kindClient, chat.SpanID, s.Start, s.End(),
				text("gen_ai.request.model", t.turn.Model))
		case tape.Read: // the tokens that the server had not cached
			chat.attach(number("gen_ai.usage.input_tokens", s.Tokens))
		case tape.Write:
			chat.attach(number("gen_ai.usage.output_tokens", s.Tokens))
			chat = nil
		}
	}
	return t.spans
}

// tool adds a call. The tape has its title; its name and id are in the result.
func (t *tracer) tool(parent string, s tape.Span) {
	name, id := s.Title, ""
	i := slices.IndexFunc(t.calls, func(c event.ToolCall) bool { return c.Title == s.Title && c.Status == s.Status })
	if i >= 0 {
		name, id = t.calls[i].Name, t.calls[i].ID
		t.calls = slices.Delete(t.calls, i, i+1)
	}
	call := t.add("execute_tool "+name, kindInternal, parent, s.Start, s.End(),
		text("gen_ai.operation.name", "execute_tool"), text("gen_ai.tool.name", name), text("gen_ai.tool.call.id", id),
		text("aloud.tool.status", string(s.Status)))
	if s.Status == event.CallError {
		call.fail("tool_error")
	}
}

// add adds a span. Times are from the beginning of the turn.
func (t *tracer) add(name string, kind int, parent string, from, until time.Duration, attributes ...attribute) *span {
	s := &span{
		TraceID: identifier(t.seed, 16), SpanID: identifier(fmt.Sprintf("%s/%d", t.seed, len(t.spans)), 8),
		ParentID: parent, Name: clean(name), Kind: kind,
		Start: t.at(from), End: t.at(max(from, until)), Attributes: attributes,
	}
	t.spans = append(t.spans, s)
	return s
}

// at formats a time from the beginning of the turn.
func (t *tracer) at(d time.Duration) string { return strconv.FormatInt(t.begin.Add(d).UnixNano(), 10) }

func (s *span) attach(a attribute) { s.Attributes = append(s.Attributes, a) }

// fail marks a span as failed.
func (s *span) fail(kind string) {
	s.Status.Code = statusError
	s.attach(text("error.type", kind))
}

// identifier returns n bytes in hexadecimal that depend on the seed only.
func identifier(seed string, n int) string {
	sum := sha256.Sum256([]byte(seed))
	return hex.EncodeToString(sum[:n])
}
