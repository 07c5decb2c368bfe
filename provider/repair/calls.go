package repair

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/aloudchat/aloud/internal/sanitize"
	"github.com/aloudchat/aloud/provider"
)

// textCall is a call that a model wrote as text.
type textCall struct {
	Name      string
	Arguments json.RawMessage // usually an object
	Text      string          // as the model wrote it
	Complaint string          // the error for the model if the call could not be read
	Unnamed   bool            // Python without the names of arguments, which cannot be called
}

// readPrinted turns calls written as text into calls. It holds back text that may be a call. It does not change replies
// that broke off or in which the server has found calls.
func readPrinted(ctx context.Context, req request, m model, yield yieldFunc) {
	known := func(name string) bool { _, ok := findTool(req, name); return ok }
	noTools := len(req.Tools)+len(req.Withheld) == 0
	g := &gate{known: known, open: noTools}
	var all received
	for c, err := range m.Chat(ctx, req) {
		switch {
		case c.Withdraw != 0:
			g = &gate{known: known, open: noTools}
		case c.Text != "":
			if c.Text = g.next(c.Text); c.Text == "" && g.holds() {
				c.Phase = provider.PhaseCalling
			}
			if found := g.babble(); isMeant(req, &all, found) {
				c = provider.Chunk{Done: true, Reason: "stop"}
				if !yieldAll(callsIn(found, &all), yield) {
					return
				}
			}
		case err != nil || c.Done:
			complete := err == nil && !provider.IsCut(c.Reason)
			if !yieldAll(finish(g, req, &all, complete, c.Reason == provider.ReasonRepeats), yield) {
				return
			}
		}
		all.add(c)
		if !yield(c, err) || c.Done {
			return
		}
	}
}

func yieldAll(chunks []provider.Chunk, yield yieldFunc) bool {
	for _, c := range chunks {
		if !yield(c, nil) {
			return false
		}
	}
	return true
}

// isMeant reports whether calls written as text are made.
func isMeant(req request, all *received, f textCalls) bool {
	return len(f.Calls) > 0 && !all.hasCalls && len(req.Tools) > 0 && reasonNotToCall(req, f) == ""
}

// finish returns the end of a reply: the text that is still held back, or calls. repeats tells that the text repeats
// itself.
func finish(g *gate, req request, all *received, complete, repeats bool) []provider.Chunk {
	found, held := g.end(repeats)
	if meant := g.withoutBabble(found, repeats); isMeant(req, all, meant) {
		return callsIn(meant, all)
	}
	var text []provider.Chunk
	if held != "" {
		text = []provider.Chunk{{Text: held}}
	}
	switch {
	case len(found.Calls) == 0, repeats && found.broken(): // the cut may have broken it
		return text
	case (complete || repeats) && !all.hasCalls && len(req.Tools) > 0:
		if reason := reasonNotToCall(req, found); reason != "" {
			return append(text, provider.Chunk{Notice: reason})
		}
	case found.alone() && !repeats:
		return nil
	default:
		return text
	}
	return callsIn(found, all)
}

// callsIn returns the calls and the words before them, which replace the text so far.
func callsIn(found textCalls, all *received) []provider.Chunk {
	var chunks []provider.Chunk
	if !blank(&all.text) {
		chunks = append(chunks, provider.Chunk{Withdraw: provider.WithdrawText})
	}
	chunks = append(chunks, provider.Chunk{Text: strings.TrimSpace(found.Before)})
	for _, c := range found.Calls {
		call := provider.Call{Name: c.Name, Arguments: c.Arguments, Repairs: []string{"written as text"}}
		if call.Complaint = c.Complaint; call.Complaint != "" {
			call.Sent = json.RawMessage(c.Text)
		}
		chunks = append(chunks, provider.Chunk{Calls: []provider.Call{call}})
	}
	return chunks
}

// reasonNotToCall returns a notice why calls written as text are not made, or "" if they are. A call that is also in a
// user message or in a result is a quote. The question must not ask for text, the names must be exact, and a call among
// other words must fit its tool and be announced. Otherwise the notice offers to run the call.
func reasonNotToCall(req request, f textCalls) string {
	tool, _ := findTool(req, f.Calls[0].Name)
	notice := "The answer looks like a call of " + cmp.Or(tool.Title, tool.Name) + " that was not run: "
	for _, m := range req.Messages {
		if (m.Role == provider.RoleUser || m.Role == provider.RoleTool) && copied(req, m.Text, f.Calls) {
			return notice + "it also appears in a message or a tool result."
		}
	}
	if slices.ContainsFunc(f.Calls, func(call textCall) bool { return call.Unnamed }) {
		return notice + "its arguments have no names."
	}
	reason := doubt(req, f)
	switch {
	case reason == "", f.isPlain() && asksToRun().MatchString(req.Question) && wasOffered(req.Messages, f.Calls):
		return ""
	case !f.isPlain():
		return notice + reason + "."
	}
	return notice + reason + `. Say "run it" to run it.`
}

// doubt returns why calls may be text, or "".
func doubt(req request, f textCalls) string {
	for _, call := range f.Calls {
		if tool, _ := findTool(req, call.Name); !f.isExact(call, tool) {
			return fmt.Sprintf("it has the name %s, and the tool is %s", sanitize.Cut(sanitize.Line(call.Name), 100), tool.Name)
		}
	}
	if asksForText(req.Question, req.Tools) {
		return "your message may ask for its text"
	}
	if f.alone() {
		return ""
	}
	for _, call := range f.Calls {
		if tool, _ := findTool(req, call.Name); call.Complaint == "" && !call.fits(tool) {
			return "its arguments do not fit the tool"
		}
	}
	if !f.announced() || asksForProse().MatchString(req.Question) {
		return "it may be an example"
	}
	return ""
}

// isExact reports whether a call has the exact name of its tool. The name on its server is exact too if the call is all
// of the message or in tags of calls, its arguments fit the tool, and the name is no ordinary word.
func (f textCalls) isExact(call textCall, tool provider.ToolSpec) bool {
	isOwn := call.Name == tool.ServerTool && strings.ContainsAny(call.Name, "_-")
	return call.Name == tool.Name || isOwn && (f.alone() || f.Tagged) && call.Complaint == "" && call.fits(tool)
}

// fits reports whether the arguments fit a tool, once they are repaired.
func (c textCall) fits(tool provider.ToolSpec) bool {
	_, _, complaint := check(tool.Name, tool.Schema, c.Arguments)
	return complaint == ""
}

// wasOffered reports whether the answer before the question has all of the calls.
func wasOffered(messages []provider.Message, calls []textCall) bool {
	before := false // the question
	for _, m := range slices.Backward(messages) {
		before = before || m.IsQuestion()
		if before && m.Role == provider.RoleAssistant {
			bare := layout.Replace(m.Text)
			return !slices.ContainsFunc(calls, func(c textCall) bool { return !c.isQuoted(bare) })
		}
	}
	return false
}

// mapNames corrects the names of tools in calls.
func mapNames(ctx context.Context, req request, m model, yield yieldFunc) {
	eachCall(ctx, req, m, yield, func(call *provider.Call) {
		tool, ok := findTool(req, call.Name)
		if ok && tool.Name != call.Name {
			from := sanitize.Cut(sanitize.Line(call.Name), 100)
			call.Repairs = append(call.Repairs, fmt.Sprintf("name: %s → %s", from, tool.Name))
			call.Name = tool.Name
		}
	})
}

// mendCalls checks the arguments of calls against the schemas of their tools. It repairs them if no information is
// lost, or else adds a complaint for the model.
func mendCalls(ctx context.Context, req request, m model, yield yieldFunc) {
	eachCall(ctx, req, m, yield, func(call *provider.Call) {
		if call.Cut || call.Complaint != "" {
			return
		}
		tool, _ := findTool(req, call.Name)
		fixed, repairs, complaint := check(tool.Name, tool.Schema, call.Arguments)
		if complaint != "" {
			call.Sent = call.Arguments
		}
		call.Arguments, call.Repairs, call.Complaint = fixed, append(call.Repairs, repairs...), complaint
	})
}

// eachCall yields a reply after changing its calls.
func eachCall(
	ctx context.Context, req request, m model, yield yieldFunc, change func(*provider.Call),
) {
	for c, err := range m.Chat(ctx, req) {
		c.Calls = slices.Clone(c.Calls)
		for i := range c.Calls {
			change(&c.Calls[i])
		}
		if !yield(c, err) {
			return
		}
	}
}
