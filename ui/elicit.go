package ui

import (
	"errors"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/aloudchat/aloud/mcpclient"
	"github.com/aloudchat/aloud/provider/desk"
	"github.com/aloudchat/aloud/sanitize"
)

// elicit is the form in which a server asks a person for something.
type elicit struct {
	question *desk.Question
	form     *fillIn
	leaving  bool                     // esc was pressed on what is filled in, and is waited for once more
	drawn    memo[callRows, []string] // what the server says
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
	return &elicit{question: q, form: newFillIn(q.Form, send, "Decline", "Decline all")}
}

func (e *elicit) about() *desk.Question { return e.question }

func (e *elicit) waits() string { return asksYou(e.question) }
func (e *elicit) writing() bool { return e.form.writing() }

func (e *elicit) update(msg tea.Msg) (done bool, cmd tea.Cmd) {
	switch msg := msg.(type) {
	case tea.PasteMsg:
		e.form.paste(msg.Content)
	case tea.KeyPressMsg:
		if msg.String() == "esc" && (e.leaving || !e.form.changed) {
			return e.answer(desk.Answer{Action: mcpclient.Cancel})
		}
		if e.leaving = msg.String() == "esc"; e.leaving {
			return false, nil
		}
		switch e.form.key(msg) {
		case sendForm:
			if values, ok := e.form.values(); ok {
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

func (e *elicit) view(width, height int, st *look) []string {
	above := e.drawn.of(callRows{width, *st}, func() []string { return e.above(width, st) })
	hint := "esc leaves it unanswered"
	here, on := e.form.here()
	switch {
	case e.leaving && width < besideFrom:
		hint = "esc again throws it away"
	case e.leaving:
		hint = "esc again throws away what you wrote, and leaves it unanswered"
	case on && here == place{-1, declineAll}:
		hint = "declines whatever " + cutMiddle(sanitize.Line(e.question.Server), 20) + " asks"
		if width >= besideFrom {
			hint += ", until aloud is started again"
		}
	case width < besideFrom:
	case len(e.form.inputs) == 0:
		hint = "tab chooses · enter · " + hint
	default:
		hint = "tab next · space chooses · enter · " + hint
	}
	rows, where := e.form.view(above, width, max(1, height-2), st)
	title := sanitize.Line(e.question.Server) + " asks you"
	if where != "" {
		title += " · pgdn " + where
	}
	out := append([]string{titleRow(title, width, st)}, rows...)
	return withHint(out, hint, width, height, st)
}

// above draws what the server says, and who gets the answer.
func (e *elicit) above(width int, st *look) []string {
	var out []string
	out = prose(out, e.question.Elicitation.Message, width, st, st.styles.text.Render)
	out = prose(out, e.question.Form.Description, width, st, st.styles.dim.Render)
	if len(e.form.inputs) == 0 {
		return out
	}
	out = prose(out, "Your answer goes to the server "+e.question.Server+": no passwords or keys.", width, st, st.styles.dim.Render)
	return append(out, "")
}

// outing asks whether a page may be opened to which a server sends the person.
type outing struct {
	question *desk.Question
	open     func(address string) error // nil: there is no browser
	drawn    memo[callRows, []string]
	scroller
}

func newOuting(q *desk.Question, open func(string) error) *outing {
	return &outing{question: q, open: open}
}

func (v *outing) about() *desk.Question    { return v.question }
func (v *outing) takes(letter string) bool { return strings.Contains("ynx", letter) }
func (v *outing) waits() string            { return asksYou(v.question) }

func (v *outing) update(msg tea.Msg) (done bool, cmd tea.Cmd) {
	k, ok := msg.(tea.KeyPressMsg)
	if !ok || v.scroll(k.String()) {
		return false, nil
	}
	switch k.String() {
	case "y":
		v.question.Answer(desk.Answer{Action: mcpclient.Accept})
		return true, v.show
	case "n":
		v.question.Answer(desk.Answer{Action: mcpclient.Decline})
		return true, nil
	case "x":
		v.question.Answer(desk.Answer{Action: mcpclient.Decline, Session: true})
		return true, nil
	case "esc":
		v.question.Answer(desk.Answer{Action: mcpclient.Cancel})
		return true, nil
	}
	return false, nil
}

// show is the command that opens the page, or says where it is.
func (v *outing) show() tea.Msg {
	err := errors.New("there is no browser here")
	if v.open != nil {
		err = v.open(v.question.Visit.Address)
	}
	if err != nil {
		return noticeMsg{noticeWarn, sanitize.Line(err.Error()) + ": open " + v.question.Visit.Address}
	}
	return flashMsg{"Your browser shows the page of " + v.question.Visit.Host}
}

func (v *outing) view(width, height int, st *look) []string {
	title := sanitize.Line(v.question.Server) + " sends you to a page"
	return askRows(&v.scroller, title, v.drawn.of(callRows{width, *st}, func() []string { return v.body(width, st) }),
		lit(st, "y open it", "n decline", "x decline whatever it asks", "esc leaves it unanswered"), width, height, st)
}

// body draws what the server says, and the whole address with its host lit.
func (v *outing) body(width int, st *look) []string {
	p := v.question.Visit
	out := prose(nil, v.question.Elicitation.Message, width, st, st.styles.text.Render)
	out = append(out, "")
	row := max(8, width-4)
	from, to := len(p.Before), len(p.Before)+len(p.Host)
	for at := 0; at < len(p.Address); at += row {
		end := min(at+row, len(p.Address))
		a, b := max(at, min(from, end)), max(at, min(to, end))
		out = append(out, "  "+st.styles.dim.Render(p.Address[at:a])+st.styles.chosen.Render(p.Address[a:b])+st.styles.dim.Render(p.Address[b:end]))
	}
	out = append(out, "")
	if p.Looks != "" {
		out = prose(out, "Its host is written with letters that can look like others: "+p.Looks+" is "+p.Host+".", width, st, st.styles.warn.Render)
	}
	return prose(out, "Go there only if you know "+p.Host+" and expected this.", width, st, st.styles.dim.Render)
}

// askRows draws a question with a text that may be longer than the screen: the answers are what must be seen.
func askRows(s *scroller, title string, body, answers []string, width, height int, st *look) []string {
	foot := packed(answers, width, st)
	if height > 12 {
		foot = append([]string{""}, foot...)
	}
	var out []string
	if room := height - 1 - len(foot); room > 0 {
		rows, where := s.window(body, room)
		if where != "" {
			title += " ↑↓ " + where
		}
		out = append([]string{titleRow(title, width, st)}, rows...)
	}
	out = append(out, foot...)
	return out[max(0, len(out)-height):]
}
