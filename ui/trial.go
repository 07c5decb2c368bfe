package ui

import (
	"bytes"
	"context"
	"encoding/json"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/aloudchat/aloud/mcpclient"
	"github.com/aloudchat/aloud/mcpclient/form"
	"github.com/aloudchat/aloud/provider"
	"github.com/aloudchat/aloud/sanitize"
	"github.com/aloudchat/aloud/status"
	"github.com/aloudchat/aloud/ui/input"
	"github.com/aloudchat/aloud/ui/look"
	"github.com/aloudchat/aloud/ui/transcript"
)

// trial is the form for the arguments of a tool that you try. The call and its outcome stand in the transcript; the conversation and the model
// get nothing of them.
type trial struct {
	tool  mcpclient.Tool
	form  *input.Form
	whole bool // the arguments are one field of JSON: the schema has no fields
	drawn look.Memo[callRows, []string]
}

type (
	// tryMsg asks to call a tool with what was filled in, once that is approved.
	tryMsg struct {
		tool     mcpclient.Tool
		call     provider.ToolCall
		approved bool
	}
	// triedMsg is how the call went.
	triedMsg struct {
		call   provider.ToolCall
		update func(provider.ToolCall)
	}
)

// trials are the tools that you have tried.
type trials struct {
	ctx        context.Context // of calls
	box        Toolbox
	transcript *transcript.Transcript
	errand     *errand
	dialogs    *dialogs
	forms      map[string]*trial // as they were left, by the names of tools
}

// open shows the form for a tool, as it was left if the tool is still the same.
func (t *trials) open(tool mcpclient.Tool) {
	form := t.forms[tool.Name]
	if form == nil || !sameTool(form.tool, tool) {
		form = newTrial(tool)
		t.forms[tool.Name] = form
	}
	form.form.Reopen()
	t.dialogs.open(form)
}

// update takes the messages about trials.
func (t *trials) update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case tryMsg:
		return t.call(msg)
	case triedMsg:
		t.errand.over()
		msg.update(msg.call)
		return reply(readyMsg{})
	}
	return nil
}

func newTrial(tool mcpclient.Tool) *trial {
	fields, err := form.Parse(tool.Schema)
	if err != nil {
		fields = fields.Whole("arguments")
	}
	return &trial{tool: tool, whole: err != nil, form: input.NewForm(fields, "Call", "Back")}
}

func (t *trial) writing() bool { return t.form.Writing() }

func (t *trial) update(msg tea.Msg) (done bool, cmd tea.Cmd) {
	switch msg := msg.(type) {
	case tea.PasteMsg:
		return false, pasted(t.form.Paste(msg.Content))
	case tea.KeyPressMsg:
		if msg.String() == "esc" {
			return true, nil
		}
		switch t.form.Key(msg) {
		case 0:
			if values, ok := t.form.Values(); ok {
				return false, reply(meantMsg{tryMsg{tool: t.tool, call: t.call(values)}})
			}
		case 1:
			return true, nil
		}
	}
	return false, nil
}

func (t *trial) call(values map[string]any) provider.ToolCall {
	var object any = values
	if t.whole {
		object = values[""]
	}
	var arguments bytes.Buffer
	e := json.NewEncoder(&arguments)
	e.SetEscapeHTML(false)
	_ = e.Encode(object) // what a form gives is JSON
	return provider.ToolCall{
		Name: t.tool.Name, Server: t.tool.Server, Title: status.Title(t.tool.Title, t.tool.ServerTool), Arguments: bytes.TrimSpace(arguments.Bytes()),
	}
}

func (t *trial) view(width, height int, st *look.Look) []string {
	above := t.drawn.Of(callRows{width, *st}, func() []string {
		out := prose(nil, sanitize.Cut(t.tool.Description, 4000), width, st, st.Text.Render)
		from := st.Dim.Render(sanitize.Line(sanitize.Cut(t.tool.ServerTool, 200)) + " of " + sanitize.Line(t.tool.Server))
		return append(append(out, packed(append([]string{from}, notes(t.tool, st)...), width, st)...), "")
	})
	rows, where := t.form.View(above, width, max(1, height-2), st)
	out := append([]string{titleAt(status.Title(t.tool.Title, t.tool.ServerTool), where, width, st)}, rows...)
	return withHint(out, st.Longest(width-2, "tab next · space chooses · enter · esc back", "tab next · enter · esc back"), width, height, st)
}

// call calls a tool, through the same door as a turn does. What only reads runs at once; all else asks first, with the whole call.
func (t *trials) call(try tryMsg) tea.Cmd {
	if !try.tool.ReadOnly && !try.approved {
		c := newConfirm(provider.Asked{Tool: try.tool, Call: try.call})
		c.trial = func(d provider.Decision) tea.Msg {
			if try.approved = d.Allow; !d.Allow {
				return nil // the form is below
			}
			return try
		}
		t.dialogs.open(c)
		return nil
	}
	t.dialogs.closeMeant() // the form, and the list below it
	box, call, update := t.box, try.call, t.transcript.Tried(try.call)
	t.transcript.End()
	state := status.State{Phase: status.UsingTool, Text: status.Words{}.Using(call.Title), Since: time.Now()}
	return t.errand.begin(t.ctx, state, func(ctx context.Context) tea.Msg {
		began := time.Now()
		result, err := box.Call(ctx, call.Name, call.Arguments, func(mcpclient.Progress) {})
		call.DurationMS, call.Result, call.Status = time.Since(began).Milliseconds(), result.Text, provider.CallOK
		switch {
		case err != nil && ctx.Err() != nil:
			call.Status, call.Result = provider.CallCancelled, sentence(err)
		case err != nil:
			call.Status, call.Error = provider.CallError, sentence(err)
		case result.Failed:
			call.Status, call.Error = provider.CallError, result.Text
		case result.Odd != "":
			call.Result = "This is not what the tool announces: " + result.Odd + ".\n\n" + result.Text
		}
		return triedMsg{call, update}
	})
}
