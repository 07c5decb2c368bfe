package loop_test

import (
	"context"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/aloudchat/aloud/internal/sanitize"
	"github.com/aloudchat/aloud/mcpclient"
	"github.com/aloudchat/aloud/provider"
	"github.com/aloudchat/aloud/provider/event"
	"github.com/aloudchat/aloud/provider/loop"
)

// weakTools are the tools of a file. They check their arguments as strictly as MCP servers.
type weakTools struct {
	file   *weakFile
	secret string
	tools  []mcpclient.Tool
	mu     sync.Mutex // guards the fields below
	calls  []string   // "name {arguments}"
}

func newWeakTools(f *weakFile, secret string) *weakTools {
	w := &weakTools{file: f, secret: secret}
	for i := range f.tools {
		t := &f.tools[i]
		server, own, found := strings.Cut(t.name, "__")
		if !found {
			server, own = "box", t.name
		}
		w.tools = append(w.tools, mcpclient.Tool{
			Name: t.name, Server: server, ServerTool: own,
			Description: w.fill(t.describe, "{}"), Schema: json.RawMessage(w.fill(t.schema, "{}")),
			Trusted: !t.is("untrusted"), ReadOnly: t.is("read-only"), Idempotent: t.is("idempotent"),
		})
	}
	for i := range f.number("more-tools") {
		name := fmt.Sprintf("unused_%d", i)
		w.tools = append(w.tools, mcpclient.Tool{
			Name: "other__" + name, Server: "other", ServerTool: name, Description: "Nobody needs this.",
			Schema: json.RawMessage(`{"type":"object"}`), Trusted: true,
		})
	}
	return w
}

func (w *weakTools) Tools() []mcpclient.Tool { return w.tools }

// Call records the call, checks its arguments against the schema, and returns the result in the file.
func (w *weakTools) Call(
	_ context.Context, call mcpclient.Call, _ func(mcpclient.Progress),
) (mcpclient.Result, error) {
	name, arguments := call.Tool, call.Arguments
	w.mu.Lock()
	w.calls = append(w.calls, name+" "+compactJSON(arguments))
	w.mu.Unlock()
	for i, t := range w.file.tools {
		if t.name != name {
			continue
		}
		if err := checkStrictly(w.tools[i].Schema, arguments); err != nil {
			return mcpclient.Result{Text: "Input validation error: " + err.Error(), Failed: true}, nil
		}
		if t.fails != "" {
			return mcpclient.Result{Text: w.fill(t.fails, string(arguments)), Failed: true}, nil
		}
		return mcpclient.Result{Text: w.fill(t.returns, string(arguments))}, nil
	}
	return mcpclient.Result{Text: "nothing"}, nil
}

// fill replaces {{arg NAME}} besides the blanks of fillIn.
func (w *weakTools) fill(text, arguments string) string {
	return fillIn(text, w.secret, func(word, name string) string {
		var fields map[string]any
		if word != "arg" || json.Unmarshal([]byte(arguments), &fields) != nil {
			return ""
		}
		return fmt.Sprint(fields[name])
	})
}

func checkStrictly(schema, arguments json.RawMessage) error {
	document, err := jsonschema.UnmarshalJSON(strings.NewReader(string(schema)))
	if err != nil {
		return err
	}
	compiler := jsonschema.NewCompiler()
	if err := compiler.AddResource("tool.json", document); err != nil {
		return err
	}
	compiled, err := compiler.Compile("tool.json")
	if err != nil {
		return err
	}
	value, err := jsonschema.UnmarshalJSON(strings.NewReader(string(arguments)))
	if err != nil {
		return err
	}
	return compiled.Validate(value)
}

// compactJSON returns JSON in a canonical form.
func compactJSON(text json.RawMessage) string {
	var value any
	if json.Unmarshal(text, &value) != nil {
		return string(text)
	}
	out, _ := json.Marshal(value) // cannot fail for parsed JSON
	return string(out)
}

// weakEnd is the outcome of a file.
type weakEnd struct {
	event.Result
	shown   string   // not withdrawn
	thought string   // not withdrawn
	calls   []string // calls that reached a tool, sorted
	notices []string
	asked   []provider.Request
	kept    []provider.Message // the conversation
	odd     []string           // inconsistent events or messages
	unkept  []string           // text that was shown but neither kept nor withdrawn
	err     error
}

// weakCuts are ways in which a server splits a text.
var weakCuts = map[string]func(string) []string{
	"whole": func(text string) []string { return []string{text} },
	"runes": func(text string) []string { return strings.Split(text, "") },
	"chance": func(text string) []string {
		sum := fnv.New64a()
		sum.Write([]byte(text))
		random := rand.New(rand.NewPCG(sum.Sum64(), 7))
		var pieces []string
		for text != "" {
			n := min(1+random.IntN(9), len(text))
			pieces = append(pieces, text[:n])
			text = text[n:]
		}
		return pieces
	},
}

// run plays the file through a whole turn, without one defence.
func (f *weakFile) run(t *testing.T, left string, cut string) (end weakEnd) {
	secret := secretOf(f.name)
	model := &weakModel{file: f, secret: secret, split: weakCuts[cut], played: map[int]int{}}
	tools := newWeakTools(f, secret)
	chat := &loop.Chat{
		Model: model, Name: f.model, Tools: tools, Policy: mcpclient.NewPolicy(mcpclient.ApprovalAll, nil, nil, nil),
		Limits: f.limits(), Context: f.number("context"), Repair: without(left),
	}
	if len(tools.tools) == 0 {
		chat.Tools = nil
	}
	if f.has("asks") {
		chat.Policy = nil
	}
	synctest.Test(t, func(t *testing.T) {
		end = listenTo(chat.Send(t.Context(), f.conversation(secret), f.question))
	})
	end.asked = model.asked
	for i, messages := range append([][]provider.Message{end.kept}, messagesOf(end.asked)...) {
		if why := unanswered(messages); why != "" {
			end.odd = append(end.odd, fmt.Sprintf("in request %d (0: what is kept) %s", i, why))
		}
	}
	end.calls = slices.Sorted(slices.Values(tools.calls))
	return end
}

func messagesOf(requests []provider.Request) (all [][]provider.Message) {
	for _, req := range requests {
		all = append(all, req.Messages)
	}
	return all
}

// secretOf returns a word that is in no file.
func secretOf(name string) string {
	sum := fnv.New32a()
	sum.Write([]byte(name))
	return fmt.Sprintf("plover%d", sum.Sum32())
}

// conversation returns the history as messages.
func (f *weakFile) conversation(secret string) (c provider.Conversation) {
	for i, line := range f.history {
		id := fmt.Sprintf("h%d", i)
		text := fillIn(line.rest, secret, noBlanks)
		switch line.word {
		case "user", "assistant":
			c = c.With(provider.Message{Role: provider.Role(line.word), Text: text})
		case "tool":
			name, result, _ := strings.Cut(text, " ")
			call := provider.Call{ID: id, Name: name, Arguments: json.RawMessage("{}")}
			c = c.With(provider.Message{Role: provider.RoleAssistant, Calls: []provider.Call{call}},
				provider.Message{Role: provider.RoleTool, CallID: id, Tool: name, Text: result})
		default:
			panic("there is no role " + line.word)
		}
	}
	return c
}

// listenTo runs a turn, approves every call, and records inconsistencies.
func listenTo(turn func(func(event.Event, error) bool)) (end weakEnd) {
	var shown, thought string   // since the last Appended
	open := map[string]string{} // calls that have not finished
	odd := func(format string, a ...any) { end.odd = append(end.odd, fmt.Sprintf(format, a...)) }
	for ev, err := range turn {
		if end.Stop.Reason != "" {
			odd("%T comes behind Ended", ev)
		}
		switch e := ev.(type) {
		case event.Text:
			shown += e.Delta
		case event.Thinking:
			thought += e.Delta
		case event.Withdrawn:
			shown, thought = "", ""
		case event.Appended:
			m := e.Messages[0]
			if m.Role == provider.RoleAssistant && !(sameText(m.Text, shown) && sameText(m.Thinking, thought)) {
				end.unkept = append(end.unkept, fmt.Sprintf("%.200q and %.200q were shown, but %.200q and %.200q are kept",
					thought, shown, m.Thinking, m.Text))
			}
			end.shown, end.thought = end.shown+shown+"\n", end.thought+thought+"\n"
			shown, thought = "", ""
		case event.ToolCalled:
			open[e.Call.ID] = e.Call.Name
		case event.ToolFinished:
			if open[e.Call.ID] != e.Call.Name || e.Call.Status == event.CallPending {
				odd("%s finished as %s without being called", e.Call.ID, e.Call.Status)
			}
			delete(open, e.Call.ID)
		case event.Notice:
			end.notices = append(end.notices, e.Text)
		case event.Asked:
			e.Answer(event.Decision{Allow: true})
		case event.Ended:
			end.Result, end.err, end.kept = e.Result, err, e.Conversation.Messages()
		}
	}
	if !sameText("", shown+thought) {
		end.unkept = append(end.unkept, fmt.Sprintf("%q was shown and not kept", sanitize.Cut(thought+shown, 200)))
	}
	if len(open) > 0 {
		odd("the calls %v never finished", open)
	}
	return end
}

// sameText reports whether the kept text is the shown text, in which invalid bytes are still raw. White space at the
// ends may differ.
func sameText(kept, shown string) bool {
	plain := func(text string) string {
		text = strings.ReplaceAll(strings.ToValidUTF8(text, ""), "\uFFFD", "")
		return strings.TrimSpace(text)
	}
	return plain(kept) == plain(shown)
}

// unanswered returns the faults of the calls in messages: each needs a unique id, and one result right after it.
func unanswered(messages []provider.Message) string {
	open, seen := map[string]bool{}, map[string]bool{}
	for i, m := range messages {
		if m.Role == provider.RoleTool {
			if !open[m.CallID] {
				return fmt.Sprintf("message %d answers %q, which nobody asks for", i, m.CallID)
			}
			delete(open, m.CallID)
			continue
		}
		if len(open) > 0 {
			return fmt.Sprintf("message %d comes before the calls %v are answered", i, open)
		}
		for _, call := range m.Calls {
			if seen[call.ID] || call.ID == "" {
				return fmt.Sprintf("message %d has the id %q for a call, which is not its own", i, call.ID)
			}
			open[call.ID], seen[call.ID] = true, true
		}
	}
	if len(open) > 0 {
		return fmt.Sprintf("the calls %v have no answer", open)
	}
	return ""
}

// told returns what must be the same for every split of the text, so without the thinking that was cut short.
func (e weakEnd) told() string {
	var b strings.Builder
	fmt.Fprintf(&b, "stop %s\nanswer %q\nshown %q\n", e.Stop.Reason, e.Answer, e.shown)
	for _, call := range e.calls {
		fmt.Fprintf(&b, "called %s\n", sanitize.Cut(call, 200))
	}
	for _, call := range e.ToolCalls {
		fmt.Fprintf(&b, "%s %s %.200s %q %.200q\n", call.Status, call.Name, call.Arguments, call.Repairs, call.Result)
	}
	for _, notice := range e.notices {
		fmt.Fprintf(&b, "notice %s\n", notice)
	}
	return b.String()
}
