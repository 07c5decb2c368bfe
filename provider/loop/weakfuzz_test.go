package loop_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"
	"unicode/utf8"

	"github.com/aloudchat/aloud/mcpclient"
	"github.com/aloudchat/aloud/provider"
	"github.com/aloudchat/aloud/provider/loop"
	"github.com/aloudchat/aloud/provider/repair"
)

// pieces are the parts of a reply of the fuzzed model.
var pieces = []provider.Chunk{
	{Text: "Hello. "}, {Text: "\n"}, {Text: "<think>"}, {Text: "</think>"}, {Text: "<thi"}, {Text: "nk>"}, {Text: "`"},
	{Text: "```json\n"}, {Text: "```"}, {Text: "[cannot] "}, {Text: `{"name": "box__read", "arguments": {"path": "a"}}`},
	{Text: `{"name": "box__read",`}, {Text: ` "arguments": {"path": "b"}}`}, {Text: "<tool_call>"}, {Text: "</tool_call>"},
	{Text: "<function=box__do_write>\n<parameter=path>\nc\n</parameter>\n</function>"}, {Text: "[TOOL_CALLS]"},
	{Text: `[box__read(path="d")]`}, {Text: "<|channel|>analysis<|message|>"}, {Text: "<|end|>"}, {Text: "<|return|>"},
	{Text: `<|start|>assistant<|channel|>commentary to=functions.box__read <|message|>{"path": "e"}<|call|>`},
	{Text: "\xff"}, {Text: "\x1b[2J"}, {Text: "<|im_end|>"}, {Text: "é"}, {Text: "\xc3"}, {Text: "\xa9"},
	{Thinking: "Hm. "}, {Thinking: "<tool_call>"}, {Thinking: "\xff"},
	{Phase: provider.PhaseLoading}, {Phase: provider.PhaseReading},
	called("", "box__read", `{"path":"a"}`), called("", "box__read", `{"path":"b"}`), called("x", "Read", `{"path":3}`),
	called("x", "box__do_write", `{"path":["a"]}`), called("", "box__do_wr1te", `{`), called("", "box__do_write", `"{}"`),
	called("", "box__read_long", ""), called("", "box__do_fail", ""),
}

func called(id, name, arguments string) provider.Chunk {
	return provider.Chunk{Calls: []provider.Call{{ID: id, Name: name, Arguments: json.RawMessage(arguments)}}}
}

// ends are the possible ends of a reply of the fuzzed model.
var ends = []error{
	nil, nil, nil, nil, errSilent, errCut,
	&provider.Error{Kind: provider.KindMalformed, Text: "error parsing tool call"},
	&provider.Error{Kind: provider.KindBroken, Text: "unexpected EOF"},
	&provider.Error{Kind: provider.KindBroken, Text: "gone", Err: errCut},
	&provider.Error{Kind: provider.KindTooLong, Text: "too long"},
	&provider.Error{Kind: provider.KindFailed, Text: "failed"},
	&provider.Error{Kind: provider.KindNoTools, Text: "no tools"},
	&provider.Error{Kind: provider.KindNoThinking, Text: "no thinking"},
}

var (
	errSilent = fmt.Errorf("says nothing more")
	errCut    = fmt.Errorf("stops without an end")
)

// fuzzModel reads its replies from bytes: each selects a piece, or with its highest bit the end of a reply.
type fuzzModel struct {
	script []byte
	asked  []provider.Request
	pieces []provider.Chunk
}

func (m *fuzzModel) Describe(context.Context, string) (provider.Info, error) {
	return provider.Info{Name: "fuzz:1b", Tools: true, Thinking: true, Context: 16384}, nil
}

func (m *fuzzModel) Chat(ctx context.Context, req provider.Request) iter.Seq2[provider.Chunk, error] {
	return func(yield func(provider.Chunk, error) bool) {
		m.asked = append(m.asked, req)
		for len(m.script) > 0 {
			next := m.script[0]
			m.script = m.script[1:]
			if next < 128 {
				if !yield(m.pieces[int(next)%len(m.pieces)], nil) {
					return
				}
				continue
			}
			end := ends[int(next)%len(ends)]
			switch {
			case end == nil:
				yield(provider.Chunk{Done: true, Reason: "stop", Usage: provider.Usage{AnswerTokens: int(next) % 8}}, nil)
			case errors.Is(end, errSilent):
				sleep(ctx, time.Hour)
			case !errors.Is(end, errCut) || errors.As(end, new(*provider.Error)): // else the stream just stops
				yield(provider.Chunk{}, end)
			}
			return
		}
		yield(provider.Chunk{Text: "done"}, nil)
		yield(provider.Chunk{Done: true, Reason: "stop"}, nil)
	}
}

// FuzzWeakTurn plays a model that sends anything in any order, with any text, call and tool result. The turn must end
// soon, with a result for every call, and everything kept and sent must be valid.
func FuzzWeakTurn(f *testing.F) {
	text, call := byte(len(pieces)), byte(len(pieces)+1) // the pieces of the fuzzed model with these values
	add := func(script []byte, left uint16, interactive bool) {
		f.Add(script, left, interactive, "", "", "", "", "yes")
	}
	add([]byte{0, 143}, uint16(0), false)
	add([]byte{2, 24, 3, 10, 143, 29, 143, 29, 143, 29, 143, 29, 143}, uint16(0), true)
	add([]byte{35, 143, 36, 143, 37, 143, 33, 134, 0, 135, 0, 136, 1, 137}, uint16(1<<7-1), false)
	add([]byte{0, 29, 143, 144, 21, 140}, uint16(0), false) // the answer in place of an empty one fails after some words
	add([]byte{24, 144, 0, 135}, uint16(0), false)          // …and is requested again, when the empty one had thinking
	add([]byte{24, 143, 21, 3, 143}, uint16(0), false)      // …and turns out to begin with thinking
	for _, own := range [][5]string{
		{"Hello", "id", "box__read", `{"path":"a"}`, "42"},
		{"[cannot] no", "", "read", ``, ""},
		{"[can", "call_1", "", `"{\"a\":1}"`, "\xff"},
		{"\n\n", "call_1", "../..", `{"a":`, strings.Repeat("x", 100_000)},
		{"a\xc3", "\xff", "\x1b[31m", `[1e999]`, "\x1b]52;c;\x07"},
	} {
		f.Add(bytes.Repeat([]byte{text, call, call, 143}, 10), uint16(0), true, own[0], own[1], own[2], own[3], own[4])
	}
	f.Fuzz(func(t *testing.T, script []byte, left uint16, interactive bool, text, id, name, arguments, result string) {
		if len(script) > 400 {
			return
		}
		model := &fuzzModel{script: script, pieces: append(slices.Clip(pieces), provider.Chunk{Text: text},
			called(id, name, arguments))}
		chat := &loop.Chat{
			Model: model, Name: "fuzz:1b", Tools: newFuzzTools(result), Interactive: interactive,
			Policy: mcpclient.NewPolicy(mcpclient.ApprovalAll, nil, nil, nil),
			Limits: loop.Limits{ThinkingTokens: 50}, Repair: some(left),
		}
		var end weakEnd
		synctest.Test(t, func(t *testing.T) { end = listenTo(chat.Send(t.Context(), provider.Conversation{}, "Go")) })
		if end.Stop.Reason == "" {
			t.Fatal("the turn did not end")
		}
		for i, messages := range append([][]provider.Message{end.kept}, messagesOf(model.asked)...) {
			if why := unanswered(messages); why != "" {
				t.Errorf("in request %d (0: what is kept) %s", i, why)
			}
			invalid := func(m provider.Message) bool { return !utf8.ValidString(m.Text + m.Thinking + m.Tool) }
			if slices.ContainsFunc(messages, invalid) {
				t.Errorf("request %d (0: what is kept) is not valid UTF-8", i)
			}
		}
		if len(model.asked) > 100 {
			t.Errorf("the model was asked %d times", len(model.asked))
		}
		if len(end.odd) > 0 {
			t.Error(strings.Join(end.odd, "\n"))
		}
		if _, err := json.Marshal(end.Result); err != nil {
			t.Error(err)
		}
		if _, err := json.Marshal(end.kept); err != nil {
			t.Error(err)
		}
	})
}

// fuzzTools are a tool that reads, one that writes, one that fails and one whose result does not fit.
type fuzzTools struct{ toolbox }

func newFuzzTools(result string) fuzzTools {
	return fuzzTools{toolbox{
		{"read", says(result)}, {"do_write", says("yes")}, {"do_fail", fails("no")}, {"read_long", says(filler(200_000))},
	}}
}

func (f fuzzTools) Tools() []mcpclient.Tool {
	const schema = `{"type":"object","properties":{"path":{"type":"string"}},"required":["path"],` +
		`"additionalProperties":false}`
	tools := f.toolbox.Tools()
	tools[0].Schema, tools[1].Schema = json.RawMessage(schema), json.RawMessage(schema)
	return tools
}

// some are the defences whose bits are not set.
func some(left uint16) repair.Wrap {
	var kept []repair.Defence
	for i, d := range repair.Defences() {
		if left&(1<<i) == 0 {
			kept = append(kept, d)
		}
	}
	return repair.With(kept...)
}
