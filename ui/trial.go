package ui

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/aloudchat/aloud/mcpclient"
	"github.com/aloudchat/aloud/mcpclient/form"
	"github.com/aloudchat/aloud/sanitize"
	"github.com/aloudchat/aloud/ui/input"
	"github.com/aloudchat/aloud/ui/look"
)

// trial is a tool that a person tries: a form for its arguments, the running call, and what came of it. Nothing of it becomes a part of the
// conversation, and no model hears of it.
type trial struct {
	ctx  context.Context // of calls
	box  Toolbox
	tool mcpclient.Tool
	runs func() bool // clocks run
	standing

	fields form.Form
	odd    error       // why the arguments cannot be filled in field by field; nil: they can
	whole  bool        // they are written as JSON
	form   *input.Form // of either

	kept map[string]draft // what was filled in, by the names of tools

	call  *trialCall // the last one; nil: there was none
	shown bool       // what is shown is the call, not the form
	head  look.Memo[aboutRows, []string]
	drawn look.Memo[callRows, []string] // what came of the call
	look.Scroller
}

// standing is how a tool stands while it is tried.
type standing struct {
	off     bool
	gone    bool // its server does not offer it
	changed bool // it takes other arguments than those that are asked for
}

// draft is what was filled in to try a tool: the form as it was left, half-written words and all.
type draft struct {
	schema json.RawMessage // of the arguments
	whole  bool
	form   *input.Form
	said   string // the same as JSON, for when the tool has another schema by then
}

// aboutRows is what the words about a tool are drawn from, besides the tool.
type aboutRows struct {
	callRows
	standing
}

// Buttons of a trial, by their place.
const (
	callTool = iota
	leaveTool
)

// newTrial begins with what was filled in before, as far as the tool still takes it, and keeps there what is filled in now.
func newTrial(ctx context.Context, box Toolbox, tool mcpclient.Tool, kept map[string]draft, runs func() bool) *trial {
	t := &trial{ctx: ctx, box: box, tool: tool, kept: kept, runs: runs}
	t.fields, t.odd = form.Parse(tool.Schema)
	before, again := kept[tool.Name]
	switch {
	case again && bytes.Equal(before.schema, tool.Schema):
		t.whole, t.form = before.whole, before.form
		t.form.Reopen(t.buttons())
	case t.odd != nil:
		t.writeJSON(cmp.Or(before.said, "{}"))
	case again && t.writeFields(json.RawMessage(before.said)) != nil:
		t.writeJSON(before.said)
	case !again:
		t.form = input.NewForm(t.fields, t.buttons()...)
	}
	t.point()
	t.follow()
	return t
}

// follow takes how the tool stands now, and what its server says of it.
func (t *trial) follow() {
	tools, on := t.box.AllTools()
	i := slices.IndexFunc(tools, func(x mcpclient.Tool) bool { return x.Name == t.tool.Name })
	if i < 0 {
		t.standing = standing{gone: true}
		return
	}
	now := tools[i]
	t.standing = standing{off: !on[i], changed: !bytes.Equal(now.Schema, t.tool.Schema)}
	now.Schema = t.tool.Schema // what is asked for stays
	if sameTool(now, t.tool) {
		return
	}
	deleted := t.deletes()
	t.tool, t.head = now, look.Memo[aboutRows, []string]{}
	if t.deletes() != deleted {
		t.form.Rename(t.buttons())
	}
}

// point puts the cursor on the call where there is nothing to fill in: the tool was opened to be called.
func (t *trial) point() {
	if t.form.Empty() && !t.deletes() {
		t.form.Point(callTool)
	}
}

func (t *trial) deletes() bool { return t.tool.Destructive && !t.tool.ReadOnly }

func (t *trial) buttons() []string {
	if t.deletes() {
		return []string{"Call: may delete or overwrite", "Back"}
	}
	return []string{"Call", "Back"}
}

// writeJSON goes on with arguments in one field.
func (t *trial) writeJSON(arguments string) {
	t.whole, t.form = true, input.NewForm(t.fields.Whole("arguments"), t.buttons()...)
	arguments = string(sanitize.JSON([]byte(arguments))) // the server's words are in it, too: as what they are, for whoever changes them
	rest := strings.TrimSuffix(arguments, "}")
	t.form.Line().Put(rest, arguments[len(rest):])
}

// writeFields goes on with arguments in fields. The error says why they cannot hold them.
func (t *trial) writeFields(arguments json.RawMessage) error {
	fields := input.NewForm(t.fields, t.buttons()...)
	if err := fields.Take(arguments); err != nil {
		return err
	}
	t.whole, t.form = false, fields
	t.point()
	return nil
}

// leave keeps what is filled in for the next time.
func (t *trial) leave() bool {
	said := string(t.object(t.form.Said()))
	if t.whole {
		said = t.form.Line().Text
	}
	t.kept[t.tool.Name] = draft{t.tool.Schema, t.whole, t.form, said}
	return true
}

// writing tells whether a text can be pasted now.
func (t *trial) writing() bool { return !t.shown && t.form.Writing() }

// yields tells whether a question that comes now may lie on top: the call may wait for its answer.
func (t *trial) yields() bool { return t.running() }

func (t *trial) running() bool { return t.call != nil && t.call.outcome == nil }

func (t *trial) update(msg tea.Msg) (done bool, cmd tea.Cmd) {
	switch msg := msg.(type) {
	case boardMsg:
		t.follow()
	case triedMsg:
		if msg.call == t.call {
			t.call.outcome, t.drawn, t.Scroller = msg.outcome, look.Memo[callRows, []string]{}, look.Scroller{}
		}
	case trialMovedMsg:
		if msg.call == t.call && t.running() {
			return false, t.call.await
		}
	case tea.PasteMsg:
		if t.writing() {
			return false, pasted(t.form.Paste(msg.Content))
		}
	case tea.KeyPressMsg:
		switch {
		case t.running():
			return t.stop(msg.String()), nil
		case t.shown:
			return t.after(msg.String())
		}
		return t.fill(msg)
	}
	return false, nil
}

// fill takes a key for the form.
func (t *trial) fill(k tea.KeyPressMsg) (done bool, cmd tea.Cmd) {
	switch k.String() {
	case "esc":
		return t.leave(), nil
	case "ctrl+y":
		return false, t.copyCommand()
	case "ctrl+s":
		return false, t.rewrite()
	}
	switch t.form.Key(k) {
	case callTool:
		return false, t.begin()
	case leaveTool:
		return t.leave(), nil
	}
	return false, nil
}

// stop takes a key while the call runs: the first esc stops it, and the next leaves what is still to be said of it.
func (t *trial) stop(key string) (done bool) {
	if key != "esc" {
		return false
	}
	if t.call.stopped {
		return t.leave()
	}
	t.call.stopped = true
	t.call.cancel()
	return false
}

// after takes a key when the call is over.
func (t *trial) after(key string) (done bool, cmd tea.Cmd) {
	switch key {
	case "esc":
		return t.leave(), nil
	case "enter":
		t.shown = false
	case "r":
		return false, t.begin()
	case "c":
		return false, copyText(t.ctx, t.call.outcome.copied)
	case "y", "ctrl+y":
		return false, t.copyCommand()
	default:
		t.Scroll(key)
	}
	return false, nil
}

// arguments are what the form says, as an object in the order of its fields. ok is false when something is wrong with them: the form says what.
func (t *trial) arguments() (object json.RawMessage, ok bool) {
	values, ok := t.form.Values()
	switch {
	case !ok:
		return nil, false
	case t.whole:
		var b bytes.Buffer
		if err := json.Compact(&b, []byte(t.form.Line().Text)); err != nil {
			return nil, false
		}
		return b.Bytes(), true
	}
	return t.object(values), true
}

func (t *trial) object(values map[string]any) json.RawMessage {
	b := []byte{'{'}
	for _, f := range t.fields.Fields {
		value, given := values[f.Name]
		if !given {
			continue
		}
		if len(b) > 1 {
			b = append(b, ',')
		}
		b = append(append(append(b, written(f.Name)...), ':'), written(value)...)
	}
	return append(b, '}')
}

// written is a value as JSON, with the letters that a person would write.
func written(value any) []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	_ = e.Encode(value) // it came from JSON, or from what was typed
	return bytes.TrimSpace(b.Bytes())
}

// rewrite goes from fields to JSON, or back, if nothing is lost by that.
func (t *trial) rewrite() tea.Cmd {
	if !t.whole {
		if t.form.JudgeBegun() {
			t.writeJSON(string(t.object(t.form.Said())))
		}
		return nil
	}
	if t.odd != nil {
		return reply(flashMsg{"These arguments can only be written as JSON"})
	}
	if arguments, ok := t.arguments(); ok {
		if err := t.writeFields(arguments); err != nil {
			return reply(flashMsg{sentence(err)})
		}
	}
	return nil
}

// copyCommand copies the command that makes the same call.
func (t *trial) copyCommand() tea.Cmd {
	arguments, ok := t.arguments()
	if !ok {
		t.shown = false
		return reply(flashMsg{"Something is wrong with the arguments"})
	}
	return copyText(t.ctx, callCommand(t.tool, arguments))
}

// callCommand calls a tool from a shell. It is one line whatever the server calls its tool: a shell would obey the others.
func callCommand(tool mcpclient.Tool, arguments json.RawMessage) string {
	words := []string{"aloud mcp call"}
	for _, w := range []string{sanitize.Line(tool.Server), sanitize.Line(tool.ServerTool), string(sanitize.JSON(arguments))} {
		words = append(words, forShell(w))
	}
	return strings.Join(words, " ")
}

// forShell quotes a word for a shell where it has to be.
func forShell(word string) string {
	if word != "" && strings.Trim(word, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./") == "" {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}

// next is when the time that the call takes changes.
func (t *trial) next(now time.Time) time.Time {
	if !t.running() {
		return time.Time{}
	}
	return now.Add(time.Second - now.Sub(t.call.began)%time.Second)
}
