package ui

import (
	"fmt"
	"slices"
	"strings"

	"charm.land/bubbles/v2/key"
	"charm.land/bubbles/v2/textarea"
	tea "charm.land/bubbletea/v2"
	"charm.land/lipgloss/v2"

	"github.com/aloudchat/aloud/provider/attach"
	"github.com/aloudchat/aloud/sanitize"
	"github.com/aloudchat/aloud/ui/look"
)

// A larger paste becomes a chip: the editor's cost grows with its content, and nobody reads two thousand lines in it. What comes back to be
// edited, an earlier input or what a prompt says, becomes one only where an editor would be of no use.
const (
	chipBytes = 2048
	chipLines = 20
	editBytes = 32 << 10
	editLines = 2000
)

// prompt is the composer: an editor that grows, earlier inputs, chips for large pastes, and completions of commands.
type prompt struct {
	area    textarea.Model
	history history
	chips   []chip
	completion
	rows []string // the drawn editor; nil when it has to be drawn anew
}

// chip stands for a pasted text.
type chip struct{ label, text string }

func newPrompt(st *look.Styles) *prompt {
	area := textarea.New()
	area.Placeholder = "Ask anything"
	area.ShowLineNumbers = false
	area.CharLimit = 0
	area.MaxWidth = 0
	area.MaxContentHeight = 10_000
	area.DynamicHeight = true
	area.MinHeight, area.MaxHeight = 1, 1
	area.SetVirtualCursor(false)
	area.SetPromptFunc(2, func(line textarea.PromptInfo) string {
		if line.LineNumber == 0 {
			return "› "
		}
		return "  "
	})
	area.KeyMap = editorKeys()
	area.Focus()
	p := &prompt{area: area}
	p.restyle(st)
	return p
}

// editorKeys are the editor's own keys without those that the chat uses.
func editorKeys() textarea.KeyMap {
	k, chat := textarea.DefaultKeyMap(), newKeyMap()
	k.InsertNewline = chat.newline
	none := key.NewBinding(key.WithDisabled())
	k.SelectAll, k.Paste, k.TransposeCharacterBackward, k.InputBegin, k.InputEnd, k.PageUp, k.PageDown = none, none, none, none, none, none, none
	return k
}

func (p *prompt) restyle(st *look.Styles) {
	plain := lipgloss.NewStyle()
	state := textarea.StyleState{
		Base: plain, Text: plain, CursorLine: plain, EndOfBuffer: plain,
		Placeholder: st.Dim, Prompt: st.Accent, Selection: plain.Reverse(true),
	}
	s := p.area.Styles()
	s.Focused, s.Blurred = state, state
	s.Cursor.Blink, s.Cursor.Color = false, nil // the terminal's own colour
	p.area.SetStyles(s)
	p.rows = nil
}

// resize sets the columns, and the rows up to which the editor grows.
func (p *prompt) resize(width, rows int) {
	p.area.MaxHeight = max(1, rows)
	p.area.SetWidth(max(4, width))
	p.rows = nil
}

// height is how many rows the draft needs, up to the limit.
func (p *prompt) height() int { return p.area.Height() }

func (p *prompt) value() string { return p.area.Value() }

func (p *prompt) empty() bool { return p.area.Length() == 0 }

// set replaces the draft. What was not typed stands there as chips.
func (p *prompt) set(in attach.Input) {
	if len(p.chips) == 0 && len(in.Foreign) == 0 && in.Text == p.value() {
		return
	}
	defer p.changed()
	p.area.Reset()
	p.chips = nil
	at := 0
	for _, f := range in.Foreign {
		p.insert(in.Text[at:f.From], editBytes, editLines)
		p.insert(in.Text[f.From:f.Until], 0, 0)
		at = f.Until
	}
	p.insert(in.Text[at:], editBytes, editLines)
}

func (p *prompt) clear() { p.set(attach.Input{}) }

// giveBack puts back what the person gave up. Where something else is being written by now, that is what they want.
func (p *prompt) giveBack(in attach.Input) {
	if p.empty() {
		p.putBack(in)
	}
}

// putBack puts inputs of which nothing came before what has been typed since. They are not being typed: no commands are offered for them.
func (p *prompt) putBack(inputs ...attach.Input) {
	if len(inputs) == 0 {
		return
	}
	p.set(attach.Join(append(slices.Clip(inputs), p.input())...))
	p.completion.close()
}

// input is the draft with the chips' texts in their place.
func (p *prompt) input() attach.Input {
	var in attach.Input
	rest, chips := p.value(), slices.Clone(p.chips)
	for {
		first, at := -1, len(rest)
		for i, c := range chips {
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
		rest = rest[at+len(c.label):]
		chips = slices.Delete(chips, first, first+1)
	}
}

// take empties the composer and returns what was in it.
func (p *prompt) take() attach.Input {
	in := p.input().Trim()
	p.clear()
	return in
}

// choices takes the keys of the list of completions, while it is open.
func (p *prompt) choices(k tea.KeyPressMsg) (chosen *match, entered, known bool) {
	if len(p.fits) == 0 {
		return nil, false, false
	}
	return p.completion.key(k)
}

// complete puts a text in the place of the word that is being typed.
func (p *prompt) complete(text string) {
	if p.word == p.value() {
		p.set(attach.Typed(text))
		return
	}
	for range []rune(p.word) {
		p.area, _ = p.area.Update(tea.KeyPressMsg{Code: tea.KeyBackspace})
	}
	p.area.InsertString(text)
	p.area, _ = p.area.Update(nil) // scrolls to the cursor
	p.changed()
}

// beforeCursor is the draft up to the cursor.
func (p *prompt) beforeCursor() string {
	lines := strings.Split(p.value(), "\n")
	at := min(p.area.Line(), len(lines)-1)
	line := []rune(lines[at])
	lines[at] = string(line[:min(p.area.Column(), len(line))])
	return strings.Join(lines[:at+1], "\n")
}

// refreshFits makes the list of completions anew, since the servers offer something else now.
func (p *prompt) refreshFits() { p.refresh(p.beforeCursor()) }

// key edits the draft; up and down walk through earlier inputs where they cannot move the cursor.
func (p *prompt) key(k tea.KeyPressMsg) {
	defer p.changed()
	switch k.String() {
	case "up":
		if p.area.Line() == 0 && p.area.LineInfo().RowOffset == 0 {
			p.recall(p.history.previous(p.input()))
			return
		}
	case "down":
		if info := p.area.LineInfo(); p.area.Line() == p.area.LineCount()-1 && info.RowOffset == info.Height-1 {
			p.recall(p.history.next())
			return
		}
	case "backspace":
		if c := p.chipBefore(); c > 1 {
			for range c - 1 {
				p.area, _ = p.area.Update(k)
			}
		}
	}
	p.area, _ = p.area.Update(k)
}

// recall shows an earlier input. It is not being typed: no commands are offered for it, so that the arrows go on walking.
func (p *prompt) recall(in attach.Input, ok bool) {
	if ok {
		p.set(in)
		p.completion.close()
	}
}

// chipBefore is the length of the chip that ends at the cursor, in characters, or 0: it is deleted as one.
func (p *prompt) chipBefore() int {
	line := []rune(strings.Split(p.value(), "\n")[p.area.Line()])
	before := string(line[:min(p.area.Column(), len(line))])
	for _, c := range p.chips {
		if strings.HasSuffix(before, c.label) {
			return len([]rune(c.label))
		}
	}
	return 0
}

// paste inserts text, as a chip when it is large.
func (p *prompt) paste(text string) {
	defer p.changed()
	p.insert(text, chipBytes, chipLines)
}

// insert puts a text at the cursor, as a chip when it is larger than that.
func (p *prompt) insert(text string, bytes, rows int) {
	text = sanitize.Text(strings.ReplaceAll(strings.ReplaceAll(text, "\r\n", "\n"), "\r", "\n"))
	if text == "" {
		return
	}
	lines := strings.Count(strings.TrimSuffix(text, "\n"), "\n") + 1
	if len(text) > bytes || lines > rows {
		c := chip{label: chipLabel(len(p.chips)+1, lines, len(text)), text: text}
		p.chips = append(p.chips, c)
		text = c.label
	}
	p.area.InsertString(text)
	p.area, _ = p.area.Update(nil) // scrolls to the cursor
}

// changed follows a change of the draft.
func (p *prompt) changed() {
	p.rows = nil
	p.follow(p.value(), p.beforeCursor())
}

func chipLabel(n, lines, bytes int) string {
	if lines == 1 {
		return fmt.Sprintf("[Pasted text #%d · %s characters]", n, look.Thousands(bytes))
	}
	return fmt.Sprintf("[Pasted text #%d · %s lines]", n, look.Thousands(lines))
}

// view returns the drawn rows and where the cursor stands in them.
func (p *prompt) view() ([]string, *tea.Cursor) {
	if p.rows == nil {
		p.rows = strings.Split(p.area.View(), "\n")
	}
	return p.rows, p.area.Cursor()
}
