// Package composer is the input of the chat: an editor that grows, with undo and the keys of readline, earlier inputs,
// their file and a search, chips for large pastes, and completions of commands, prompts and resources.
package composer

import (
	"reflect"
	"slices"
	"strings"

	"charm.land/bubbles/v2/key"
	"charm.land/bubbles/v2/textarea"
	tea "charm.land/bubbletea/v2"
	"charm.land/lipgloss/v2"

	"github.com/aloudchat/aloud/provider/attach"
	"github.com/aloudchat/aloud/ui/look"
)

// Composer is the editor with your draft.
type Composer struct {
	area  textarea.Model
	chips []chip
	history
	completion
	undo     undo
	ring     ring
	search   *search // nil if you are not searching
	width    int
	edits    []key.Binding    // keys of the editor
	mentions []attach.Mention // in the draft
	doubted  string           // a draft that is sent as a message, although it looks like a command; "" for none
	rows     []string         // the drawn editor; nil if it must be drawn again
	cursor   *tea.Cursor      // of the drawn editor
}

// New returns an empty composer, with completions from commands and offers, which may be nil.
func New(commands []Command, offers attach.Source, st *look.Styles) *Composer {
	area := textarea.New()
	area.ShowLineNumbers = false
	area.CharLimit = 0
	area.MaxWidth = 0
	area.MaxContentHeight = 10_000
	area.DynamicHeight = true
	area.MinHeight, area.MaxHeight = 1, 1
	area.SetVirtualCursor(false)
	k := &area.KeyMap
	for _, unused := range []*key.Binding{
		&k.SelectAll, &k.Paste, &k.TransposeCharacterBackward, &k.InputBegin, &k.InputEnd, &k.PageUp, &k.PageDown,
		&k.InsertNewline, &k.LineNext, &k.LinePrevious, // the chat has its own
	} {
		unused.SetEnabled(false)
	}
	area.Focus()
	p := &Composer{area: area, completion: completion{commands: commands, offers: offers}, width: area.Width(),
		history: history{edits: map[int]attach.Input{}, folders: map[string]string{}}}
	p.label("› ", "Ask anything")
	for _, binding := range reflect.ValueOf(*k).Fields() {
		if b := binding.Interface().(key.Binding); b.Enabled() {
			p.edits = append(p.edits, b)
		}
	}
	p.Restyle(st)
	return p
}

// Edits reports whether a key types or edits text, or moves the cursor in a line.
func (p *Composer) Edits(k tea.KeyPressMsg) bool { return k.Text != "" || key.Matches(k, p.edits...) }

// Restyle sets the styles.
func (p *Composer) Restyle(st *look.Styles) {
	plain := lipgloss.NewStyle()
	state := textarea.StyleState{
		Base: plain, Text: plain, CursorLine: plain, EndOfBuffer: plain,
		Placeholder: st.Dim.Style, Prompt: st.Accent.Style, Selection: plain.Reverse(true),
	}
	s := p.area.Styles()
	s.Focused, s.Blurred = state, state
	s.Cursor.Blink, s.Cursor.Color = false, nil // the terminal's own colour
	p.area.SetStyles(s)
	p.rows = nil
}

// Resize sets the width, and the maximum height of the editor.
func (p *Composer) Resize(width, rows int) {
	p.area.MaxHeight = max(1, rows)
	p.width = width
	p.area.SetWidth(max(4, width))
	p.area, _ = p.area.Update(nil) // scrolls to the cursor
	p.rows = nil
}

// Height returns the number of rows that the draft needs, up to the limit.
func (p *Composer) Height() int { return p.area.Height() }

// Value returns the draft as shown, with the labels of chips.
func (p *Composer) Value() string { return withTabs(p.area.Value()) }

// Empty reports whether the draft is empty. While you search, it is not.
func (p *Composer) Empty() bool { return p.area.Length() == 0 && p.search == nil }

// Set replaces the draft. Text that was not typed becomes chips.
func (p *Composer) Set(in attach.Input) {
	defer p.changed()
	p.area.Reset()
	p.chips = nil
	p.put(in)
}

// put inserts a text at the cursor.
func (p *Composer) put(in attach.Input) {
	at := 0
	for _, f := range in.Foreign {
		p.insert(in.Text[at:f.From], editBytes, editLines)
		if part := in.Text[f.From:f.Until]; len(in.Images) > 0 && part == in.Images[0].Mark {
			p.addImage(in.Images[0])
			in.Images = in.Images[1:]
		} else {
			p.insert(part, 0, 0)
		}
		at = f.Until
	}
	p.insert(in.Text[at:], editBytes, editLines)
}

// Clear empties the draft.
func (p *Composer) Clear() { p.Set(attach.Input{}) }

// PutBack inserts inputs before the draft. No completions are offered for them.
func (p *Composer) PutBack(inputs ...attach.Input) {
	if len(inputs) == 0 {
		return
	}
	p.Dismiss()
	p.Set(attach.Join(append(slices.Clip(inputs), p.input())...))
	p.completion.close()
}

// Doubt inserts an input before the draft. It is sent as a message, not as a command, if you do not change it.
func (p *Composer) Doubt(in attach.Input) {
	p.PutBack(in)
	p.doubted = in.Trim().Text
}

// Invitation returns the hint below the draft.
func (p *Composer) Invitation(complete string) string {
	if p.search != nil {
		return "enter takes it"
	}
	return p.completion.invitation(complete)
}

// Change is a message that changes the draft.
type Change func(*Composer)

// Rewrite replaces a draft, as Value returned it, with an edited text, as one step to undo. Labels of chips in the text
// stay chips. What was put back before the draft meanwhile stays, too.
func (p *Composer) Rewrite(draft, text string) {
	p.undo.change = otherChange
	p.Set(p.withChips(strings.TrimSuffix(p.Value(), draft) + text))
	p.undo.change = otherChange
	p.completion.close()
}

// input returns the draft with the texts of the chips.
func (p *Composer) input() attach.Input { return p.withChips(p.area.Value()) }

// withChips returns a text of the editor with the texts of the chips.
func (p *Composer) withChips(drawn string) attach.Input {
	var in attach.Input
	rest, chips := withTabs(drawn), slices.Clone(p.chips)
	for {
		first, at := -1, len(rest)
		for i, c := range slices.Backward(chips) { // an older one may have been deleted
			if found := strings.Index(rest[:at], c.label); found >= 0 {
				first, at = i, found
			}
		}
		in.Text += rest[:at]
		if first < 0 {
			return in
		}
		c := chips[first]
		in.Foreign = append(in.Foreign, attach.Span{From: len(in.Text), Until: len(in.Text) + len(c.text)})
		in.Text += c.text
		if c.image.Data != nil {
			in.Images = append(in.Images, c.image)
		}
		rest = rest[at+len(c.label):]
		chips = slices.Delete(chips, first, first+1)
	}
}

// Take empties the composer and returns the trimmed draft.
func (p *Composer) Take() attach.Input {
	p.Dismiss()
	in := p.input().Trim()
	in.Message = p.doubted != "" && p.doubted == in.Text
	p.Clear()
	p.begin()
	return in
}

// Complete inserts the chosen completion, and reports whether the draft can be sent: it is a command that can run, or
// the mention was complete. It does nothing if none are listed.
func (p *Composer) Complete() (runs bool) {
	switch {
	case p.search != nil:
		p.choose()
		return false
	case len(p.matches) == 0:
		return false
	}
	chosen, typed := p.matches[p.list.At], p.word
	p.complete(chosen.insert)
	if strings.HasPrefix(chosen.insert, "@") {
		return chosen.insert == typed
	}
	return strings.HasPrefix(chosen.insert, "/") && (!chosen.whole || strings.EqualFold(typed, chosen.insert))
}

// complete replaces the word at the cursor.
func (p *Composer) complete(text string) {
	if p.word == p.Value() {
		p.Set(attach.Typed(text))
		return
	}
	for range []rune(p.word) {
		p.area, _ = p.area.Update(tea.KeyPressMsg{Code: tea.KeyBackspace})
	}
	p.area.InsertString(text)
	p.area, _ = p.area.Update(nil) // scrolls to the cursor
	p.changed()
}

// beforeCursor returns the draft up to the cursor.
func (p *Composer) beforeCursor() string { return withTabs(p.drawnBefore()) }

// drawnBefore returns the text of the editor up to the cursor.
func (p *Composer) drawnBefore() string {
	lines := strings.Split(p.area.Value(), "\n")
	at := min(p.area.Line(), len(lines)-1)
	line := []rune(lines[at])
	lines[at] = string(line[:min(p.area.Column(), len(line))])
	return strings.Join(lines[:at+1], "\n")
}

// Refresh must be called when the offers change.
func (p *Composer) Refresh() {
	if p.offers == nil {
		return
	}
	p.refresh(p.beforeCursor())
	p.hasResources = len(p.offers.Resources()) > 0
}

// Listed returns the number of completions.
func (p *Composer) Listed() int { return len(p.matches) }

// Newline inserts a line break.
func (p *Composer) Newline() { p.Paste("\n") }

// Earlier chooses the completion above. If none are listed, it moves the cursor up or, from the first row, shows the
// input before.
func (p *Composer) Earlier() {
	switch {
	case p.step(-1):
	case p.area.Line() == 0 && p.area.LineInfo().RowOffset == 0:
		p.recall(p.history.walk(-1, p.input()))
	default:
		p.moveRow(p.area.CursorUp)
	}
}

// Later chooses the completion below. If none are listed, it moves the cursor down or, from the last row, shows the
// input after.
func (p *Composer) Later() {
	info := p.area.LineInfo()
	switch {
	case p.step(1):
	case p.area.Line() == p.area.LineCount()-1 && info.RowOffset == info.Height-1:
		p.recall(p.history.walk(1, p.input()))
	default:
		p.moveRow(p.area.CursorDown)
	}
}

func (p *Composer) moveRow(move func()) {
	defer p.changed()
	p.area.ClearSelection()
	move()
	p.area, _ = p.area.Update(nil) // scrolls to the cursor
}

// EndsLine starts a new line if the cursor is behind a backslash, which it replaces, and reports whether it did. Two
// backslashes are text.
func (p *Composer) EndsLine() bool {
	before := p.beforeCursor()
	if slashes := len(before) - len(strings.TrimRight(before, `\`)); slashes%2 == 0 || p.search != nil {
		return false
	}
	p.Key(tea.KeyPressMsg{Code: tea.KeyBackspace})
	p.Newline()
	return true
}

// Discard empties the draft, which becomes the last of the earlier inputs, and returns the hint. A search only ends.
func (p *Composer) Discard(hint string) string {
	if p.search != nil {
		p.Dismiss()
		return ""
	}
	if in := p.Take(); in.Text != "" {
		p.discarded(in)
	}
	return hint
}

// recall shows an earlier input. No completions are listed for it, so that the arrow keys still move through the
// history.
func (p *Composer) recall(in attach.Input, ok bool) {
	if ok {
		p.Set(in)
		p.begin()
		p.completion.close()
	}
}

// changed must be called after a change of the draft.
func (p *Composer) changed() {
	p.rows = nil
	p.undo.follow(p.state())
	if p.search != nil {
		p.find()
		return
	}
	if p.doubted != "" && p.doubted != p.input().Trim().Text {
		p.doubted = ""
	}
	p.mentions = nil
	if strings.Contains(p.Value(), "@") {
		p.mentions = p.input().Mentions()
	}
	p.follow(p.Value(), p.beforeCursor())
}

// View returns the rows and the position of the cursor in them.
func (p *Composer) View() ([]string, *tea.Cursor) {
	if p.rows == nil {
		p.rows, p.cursor = strings.Split(p.area.View(), "\n"), p.area.Cursor()
	}
	if p.cursor == nil {
		return p.rows, nil
	}
	cursor := *p.cursor // the caller moves it
	return p.rows, &cursor
}
