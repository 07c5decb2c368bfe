package ui

import (
	"strings"

	"charm.land/bubbles/v2/textinput"
	tea "charm.land/bubbletea/v2"

	"github.com/aloudchat/aloud/internal/sanitize"
	"github.com/aloudchat/aloud/ui/composer"
	"github.com/aloudchat/aloud/ui/look"
	"github.com/aloudchat/aloud/ui/screen"
	"github.com/aloudchat/aloud/ui/transcript"
)

// finder is the field with the words to find in the conversation. It takes the place of the footer.
type finder struct {
	open     bool
	accepted bool // letters are keys: n and N go on
	due      bool // the words in the field are to be found
	field    textinput.Model
}

// findMsg is sent when the words in the field are shown, and can be found.
type findMsg struct{}

// begin opens the field. With words, it finds them at once. In a search of earlier messages, it chooses a newer one, as
// the key does in readline.
func (f *finder) begin(words string, t *transcript.Transcript, prompt *composer.Composer, st *look.Styles) tea.Cmd {
	switch {
	case prompt.Newer():
		return nil
	case t.Empty():
		return screen.ShowFlash("Nothing to find yet")
	}
	f.open, f.accepted, f.field = true, words != "", textinput.New()
	f.field.SetStyles(textinput.Styles{Focused: textinput.StyleState{Prompt: st.Accent.Style}})
	f.field.SetVirtualCursor(false)
	f.field.CharLimit = 1000
	f.field.Focus()
	f.field.SetValue(words)
	f.due = true
	f.find(t)
	return nil
}

// later returns a command that finds the words after they are shown, because that takes longer than a key may take in
// a long conversation.
func (f *finder) later() tea.Cmd {
	f.due = true
	return screen.Reply(findMsg{})
}

// find finds the words in the field, unless it has found them.
func (f *finder) find(t *transcript.Transcript) {
	if f.open && f.due {
		f.due = false
		t.Find(f.field.Value())
	}
}

// end closes the field, and returns to where you were reading or stays.
func (f *finder) end(back bool, t *transcript.Transcript) {
	f.open = false
	t.FindEnd(back)
}

// key handles a key while the field is open, and reports whether it did. A key that means nothing here closes the field
// once the words are accepted.
func (f *finder) key(k tea.KeyPressMsg, act action, edits bool, t *transcript.Transcript) (taken bool, cmd tea.Cmd) {
	const enter, back = "enter", "shift+enter"
	name := k.String()
	if !edits || f.accepted {
		f.find(t)
	}
	switch {
	case !f.open:
		return false, nil
	case act == doStop || act == doCancel:
		f.end(true, t)
	case name == enter && !f.accepted:
		f.accepted = f.field.Value() != ""
	case edits && !f.accepted:
		f.field, _ = f.field.Update(k)
		return true, f.later()
	case act == doFind, name == enter, name == "n":
		t.FindNext(1)
	case act == doSearch, name == back, name == "N":
		t.FindNext(-1)
	case act == doEarlier:
		t.Turn(-1)
	case act == doLater:
		t.Turn(1)
	case scroll(t, act):
	case !f.accepted && !act.always():
	default:
		f.end(false, t)
		return false, nil
	}
	return true, nil
}

// paste inserts a text into the field while it is open, or else into the draft.
func (f *finder) paste(msg tea.PasteMsg, t *transcript.Transcript, prompt *composer.Composer) tea.Cmd {
	if !f.open || f.accepted {
		return paste(prompt, msg.Content)
	}
	f.field, _ = f.field.Update(tea.PasteMsg{Content: sanitize.Line(msg.Content)})
	return f.later()
}

// view draws the field instead of the footer in a row of the screen, beside the number of the match and what the keys
// do. Without a cursor, a dialog is open.
func (f *finder) view(footer string, cursor *tea.Cursor, t *transcript.Transcript, width, y int, st *look.Look) (
	string, *tea.Cursor,
) {
	if !f.open || cursor == nil {
		return footer, cursor
	}
	const least = 8 // cells of the words
	keys := "enter accepts · esc back"
	if f.accepted {
		keys = "n next · N previous · esc back"
	}
	room, count := max(1, width-4), t.Found() // between the margins
	if f.field.Prompt = "find › "; width < look.Roomy/2 {
		f.field.Prompt = "› "
	}
	right := ""
	for _, hint := range []string{keys, "esc back", ""} {
		if right = look.Dotted(count, hint); room-st.Method.StringWidth(f.field.Prompt+right) >= least {
			break
		}
	}
	// Without the cursor and a space.
	f.field.SetWidth(max(1, room-st.Method.StringWidth(f.field.Prompt+right)-2))
	f.field.SetCursor(f.field.Position()) // to show the end of long words in the new width
	left := f.field.View()
	gap := strings.Repeat(" ", max(1, room-st.Method.StringWidth(left+right)))
	cursor = f.field.Cursor()
	cursor.X, cursor.Y = min(cursor.X+2, width-1), y
	return "  " + left + gap + st.Dim.Render(right), cursor
}
