package ui

import (
	tea "charm.land/bubbletea/v2"

	"github.com/aloudchat/aloud/mcpclient"
	"github.com/aloudchat/aloud/provider/desk"
	"github.com/aloudchat/aloud/sanitize"
	"github.com/aloudchat/aloud/ui/input"
	"github.com/aloudchat/aloud/ui/look"
)

// elicit is the form in which a server asks a person for something.
type elicit struct {
	question *desk.Question
	form     *input.Form
	leaving  bool                          // esc was pressed on what is filled in, and is waited for once more
	drawn    look.Memo[callRows, []string] // what the server says
}

// Buttons of a form, by their place.
const (
	sendForm = iota
	declineForm
	declineAll
)

func newElicit(q *desk.Question) *elicit {
	send := "Send"
	if len(q.Form.Fields) == 0 {
		send = "Yes"
	}
	return &elicit{question: q, form: input.NewForm(q.Form, send, "Decline", "Decline all")}
}

func (e *elicit) about() *desk.Question { return e.question }

func (e *elicit) waits() string { return asksYou(e.question) }
func (e *elicit) writing() bool { return e.form.Writing() }

// takes: a letter means something to a field, and nothing to a button.
func (e *elicit) takes(string) bool { return e.form.InField() }

func (e *elicit) update(msg tea.Msg) (done bool, cmd tea.Cmd) {
	switch msg := msg.(type) {
	case tea.PasteMsg:
		return false, pasted(e.form.Paste(msg.Content))
	case tea.KeyPressMsg:
		if msg.String() == "esc" && (e.leaving || !e.form.Touched()) {
			return e.answer(desk.Answer{Action: mcpclient.Cancel})
		}
		if e.leaving = msg.String() == "esc"; e.leaving {
			return false, nil
		}
		switch e.form.Key(msg) {
		case sendForm:
			if values, ok := e.form.Values(); ok {
				return e.answer(desk.Answer{Action: mcpclient.Accept, Content: values})
			}
		case declineForm:
			return e.answer(desk.Answer{Action: mcpclient.Decline})
		case declineAll:
			return e.answer(desk.Answer{Action: mcpclient.Decline, Session: true})
		}
	}
	return false, nil
}

func (e *elicit) answer(a desk.Answer) (done bool, cmd tea.Cmd) {
	e.question.Answer(a)
	return true, nil
}

func (e *elicit) view(width, height int, st *look.Look) []string {
	above := e.drawn.Of(callRows{width, *st}, func() []string { return e.above(width, st) })
	hint := "esc leaves it unanswered"
	switch {
	case e.leaving && width < look.Roomy:
		hint = "esc again throws it away"
	case e.leaving:
		hint = "esc again throws away what you wrote, and leaves it unanswered"
	case e.form.Button() == declineAll:
		hint = "declines whatever " + cutMiddle(sanitize.Line(e.question.Server), 20) + " asks"
		if width >= look.Roomy {
			hint += ", until aloud is started again"
		}
	case width < look.Roomy: // the buttons may be out of view
		hint = st.Longest(width-2, "tab next · enter · esc leaves it", "tab · enter · esc")
	case e.form.Empty():
		hint = "tab chooses · enter · " + hint
	default:
		hint = "tab next · space chooses · enter · " + hint
	}
	rows, where := e.form.View(above, width, max(1, height-2), st)
	title := "Server " + sanitize.Line(e.question.Server) + " asks you"
	out := append([]string{titleAt(title, where, width, st)}, rows...)
	return withHint(out, hint, width, height, st)
}

// above draws what the server says, and who gets the answer.
func (e *elicit) above(width int, st *look.Look) []string {
	var out []string
	out = prose(out, e.question.Elicitation.Message, width, st, st.Text.Render)
	out = prose(out, e.question.Form.Description, width, st, st.Dim.Render)
	if e.form.Empty() {
		return out
	}
	out = prose(out, "Your answer goes to the server "+e.question.Server+": no passwords or keys.", width, st, st.Dim.Render)
	return append(out, "")
}
