package repair

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/aloudchat/aloud/provider"
	"github.com/aloudchat/aloud/sanitize"
)

// textCall is a call that a model wrote as text.
type textCall struct {
	Name string
	// Arguments are a JSON object, or what the model gave in its place.
	Arguments json.RawMessage
	Text      string // the call as the model wrote it
}

// readPrinted turns calls that a model wrote as text into calls. Text that may be one is held back until that is
// decided. Replies that broke off are left alone, and so are those in which the server has read calls.
func readPrinted(ctx context.Context, req provider.Request, m provider.Model, yield func(provider.Chunk, error) bool) {
	known := func(name string) bool { _, ok := toolNamed(req, name); return ok }
	without := len(req.Tools)+len(req.Withheld) == 0 // there is nothing to wait for
	g := &gate{known: known, open: without}
	var so said
	for c, err := range m.Chat(ctx, req) {
		switch {
		case c.Withdraw != 0:
			g = &gate{known: known, open: without}
		case c.Text != "":
			if c.Text = g.next(c.Text); c.Text == "" && g.holds() {
				c.Phase = provider.PhaseCalling
			}
		case err != nil || c.Done:
			for _, last := range lastOf(g, req, &so, err == nil && c.Reason != "length" && c.Reason != provider.ReasonCut) {
				if !yield(last, nil) {
					return
				}
			}
		}
		so.note(c)
		if !yield(c, err) {
			return
		}
	}
}

// lastOf returns the end of a reply: the text that is still held back, or calls. whole is false for a reply that broke
// off.
func lastOf(g *gate, req provider.Request, so *said, whole bool) []provider.Chunk {
	found, held := g.end()
	text, unmade := []provider.Chunk{{Text: held}}, ""
	switch {
	case len(found.Calls) == 0:
		return text
	case whole && !so.called && len(req.Tools) > 0:
		if unmade = doubt(req, found); unmade != "" {
			return append(text, provider.Chunk{Notice: fmt.Sprintf("The answer contains a tool call that was not made: %s.", unmade)})
		}
	case found.alone():
		return nil
	default:
		return text
	}
	var last []provider.Chunk
	if !blank(&so.text) {
		last = append(last, provider.Chunk{Withdraw: provider.WithdrawText}, provider.Chunk{Text: strings.TrimSpace(found.Before)})
	}
	for _, call := range found.Calls {
		last = append(last, provider.Chunk{Calls: []provider.Call{{Name: call.Name, Arguments: call.Arguments, Repairs: []string{"written as text"}}}})
	}
	return last
}

// doubt says why calls that a model wrote as text are not made, "" if they are. A call that is also in the user's words
// or in the result of a tool is a quote. With other words around it, a call must fit its tool, and the words must
// announce it.
func doubt(req provider.Request, f textCalls) string {
	question := ""
	for _, m := range req.Messages {
		if m.Role != provider.RoleUser && m.Role != provider.RoleTool {
			continue
		}
		if m.Role == provider.RoleUser && !m.GoesOn() {
			question = m.Text
		}
		if quotes(m.Text, f.Calls) {
			return "it also stands in what you or a tool wrote"
		}
	}
	if f.alone() {
		return ""
	}
	for _, call := range f.Calls {
		tool, _ := toolNamed(req, call.Name)
		if _, _, complaint := check(tool.Schema, call.Arguments); complaint != "" {
			return "its arguments do not fit the tool"
		}
	}
	if !f.announced(question) {
		return "it may be an example"
	}
	return ""
}

// quotes reports whether a text contains one of the calls, in any layout and escaping.
func quotes(text string, calls []textCall) bool {
	text = bare(text)
	return slices.ContainsFunc(calls, func(call textCall) bool { return strings.Contains(text, bare(call.Text)) })
}

// bare is a text without white space, quotes and escapes.
func bare(text string) string { return layout.Replace(text) }

var layout = strings.NewReplacer(`\n`, "", `\r`, "", `\t`, "", `\`, "", `"`, "", "'", "", "`", "", " ", "", "\n", "", "\r", "", "\t", "")

// mapNames corrects the names of tools in calls.
func mapNames(ctx context.Context, req provider.Request, m provider.Model, yield func(provider.Chunk, error) bool) {
	eachCall(ctx, req, m, yield, func(call *provider.Call) {
		tool, ok := toolNamed(req, call.Name)
		if ok && tool.Name != call.Name {
			call.Repairs = append(call.Repairs, fmt.Sprintf("name: %s → %s", sanitize.Cut(sanitize.Line(call.Name), 100), tool.Name))
			call.Name = tool.Name
		}
	})
}

// mendCalls checks the arguments of calls against the schemas of their tools, mends what it can without loss, and tells
// the model about the rest.
func mendCalls(ctx context.Context, req provider.Request, m provider.Model, yield func(provider.Chunk, error) bool) {
	eachCall(ctx, req, m, yield, func(call *provider.Call) {
		if call.Cut {
			return
		}
		i := slices.IndexFunc(req.Tools, func(t provider.ToolSpec) bool { return t.Name == call.Name })
		var schema json.RawMessage
		if i >= 0 {
			schema = req.Tools[i].Schema
		}
		sent := call.Arguments
		fixed, repairs, complaint := check(schema, sent)
		call.Arguments, call.Repairs, call.Complaint = fixed, append(call.Repairs, repairs...), complaint
		if complaint != "" {
			call.Sent = sent
		}
	})
}

// eachCall yields a reply with every call mended.
func eachCall(ctx context.Context, req provider.Request, m provider.Model, yield func(provider.Chunk, error) bool, mend func(*provider.Call)) {
	for c, err := range m.Chat(ctx, req) {
		c.Calls = slices.Clone(c.Calls)
		for i := range c.Calls {
			mend(&c.Calls[i])
		}
		if !yield(c, err) {
			return
		}
	}
}
