package dialog

import (
	"errors"
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/aloudchat/aloud/mcpclient"
	"github.com/aloudchat/aloud/provider/inbox"
	"github.com/aloudchat/aloud/quantity"
	"github.com/aloudchat/aloud/sanitize"
	"github.com/aloudchat/aloud/ui/look"
	"github.com/aloudchat/aloud/ui/screen"
)

// NewQuestion returns the dialog for a server's question. open opens your browser; nil if there is none.
func NewQuestion(q *inbox.Question, open func(address string) error) Dialog {
	switch q.Kind {
	case inbox.Form:
		return newElicitation(q)
	case inbox.Page:
		return newVisit(q, open)
	case inbox.Review:
		return newReview(q)
	}
	return newSampling(q)
}

// AsksYou says which server asks.
func AsksYou(q *inbox.Question) string { return look.Short(q.Server) + " asks you" }

// ask returns a page with a server's question, and respond one of its answers.
func ask(q *inbox.Question, title string, draw func(width int, st *look.Look) []string, answers ...answer) *page {
	title = "Server " + sanitize.Line(q.Server) + " " + title
	return &page{Base: Base{q, AsksYou(q)}, title: title, draw: draw, answers: answers}
}

func respond(q *inbox.Question, key, words string, action mcpclient.Action, session bool) answer {
	return answer{key, words, func() tea.Cmd {
		q.Answer(inbox.Answer{Action: action, Session: session})
		return nil
	}}
}

// newVisit asks whether to open a page that a server sends you to.
func newVisit(q *inbox.Question, open func(string) error) *page {
	draw := func(width int, st *look.Look) []string {
		// The whole address comes first, so that a long message cannot push its host out of view.
		out := append(visitRows(q.Visit, "  ", width, st), "")
		out = st.Prose(out, q.Elicitation.Message, width, st.Text.Render)
		return st.Prose(out, "Go there only if you know "+q.Visit.Host+" and expected this.", width, st.Dim.Render)
	}
	accept := func() tea.Cmd {
		q.Answer(inbox.Answer{Action: mcpclient.Accept})
		return func() tea.Msg { return visit(q.Visit, open) }
	}
	return ask(q, "sends you to a page", draw,
		answer{"y", "open it", accept},
		respond(q, "n", "decline", mcpclient.Decline, false),
		respond(q, "x", "decline whatever it asks", mcpclient.Decline, true),
		respond(q, "esc", "leaves it unanswered", mcpclient.Cancel, false))
}

// visit opens a page, or says its address.
func visit(v inbox.Visit, open func(string) error) tea.Msg {
	err := errors.New("there is no browser here")
	if open != nil {
		err = open(v.Address)
	}
	if err != nil {
		return Warning{sanitize.Line(err.Error()) + ": open " + v.Address}
	}
	return screen.Flash{Text: "Your browser shows the page of " + v.Host}
}

// visitRows draws an address with its host highlighted, and warns of letters that look like others.
func visitRows(v inbox.Visit, indent string, width int, st *look.Look) []string {
	var out []string
	row := max(8, width-2-len(indent))
	from, to := len(v.Before), len(v.Before)+len(v.Host)
	for at := 0; at < len(v.Address); at += row {
		end := min(at+row, len(v.Address))
		a, b := max(at, min(from, end)), max(at, min(to, end))
		out = append(out, indent+st.Dim.Render(v.Address[at:a])+st.Chosen.Render(v.Address[a:b])+st.Dim.Render(v.Address[b:end]))
	}
	if v.Looks != "" {
		words := "Its host is written with letters that can look like others: " + v.Looks + " is " + v.Host + "."
		out = st.Prose(out, words, width, st.Warn.Render)
	}
	return out
}

// newSampling asks whether the model may write something for a server. It shows everything that the model would get.
func newSampling(q *inbox.Question) *page {
	draw := func(width int, st *look.Look) []string { return sampling(q, width, st) }
	return ask(q, "wants your model", draw,
		respond(q, "y", "let it write", mcpclient.Accept, false),
		respond(q, "s", "for this session", mcpclient.Accept, true),
		respond(q, "n", "no", mcpclient.Decline, false),
		respond(q, "x", "no, whatever it asks", mcpclient.Decline, true),
		respond(q, "esc", "", mcpclient.Cancel, false))
}

func sampling(q *inbox.Question, width int, st *look.Look) []string {
	facts := []string{sanitize.Line(q.Model), fmt.Sprintf("writes up to %s tokens", quantity.Count(q.MaxTokens))}
	if hints := q.Sampling.Hints; len(hints) > 0 {
		facts = append(facts, "the server would like "+st.Clip(sanitize.Line(strings.Join(hints, ", ")), 60))
	}
	look.Paint(facts, st.Dim)
	out := st.Packed(facts, width)
	out = st.Prose(out, "What it writes goes to the server once you have seen it; with s at once.", width, st.Dim.Render)
	part := func(who, text string) {
		out = st.Prose(append(out, "", "  "+st.Strong.Render(who)), text, width, st.Text.Render)
	}
	if q.Sampling.System != "" {
		part("instructions", q.Sampling.System)
	}
	for _, m := range q.Sampling.Messages {
		who := "asks"
		if m.Role == "assistant" {
			who = "answer so far"
		}
		part(who, m.Text)
		if n := len(m.Images); n > 0 {
			out = append(out, "  "+st.Dim.Render("with "+quantity.Plural(n, "image")))
		}
		for _, kind := range m.Other {
			out = st.Prose(out, "with "+sanitize.Line(kind)+", which the model does not get", width, st.Dim.Render)
		}
	}
	return out
}

// newReview asks whether to send a server what the model wrote for it.
func newReview(q *inbox.Question) *page {
	draw := func(width int, st *look.Look) []string {
		out := st.Prose(nil, q.Model+" wrote:", width, st.Dim.Render)
		return st.Prose(append(out, ""), q.Written, width, st.Text.Render)
	}
	return ask(q, "is to get this", draw,
		respond(q, "y", "send it", mcpclient.Accept, false),
		respond(q, "n", "do not send it", mcpclient.Decline, false),
		respond(q, "esc", "", mcpclient.Cancel, false))
}

// newElicitation returns the form of a server.
func newElicitation(q *inbox.Question) *fields {
	send := "Send"
	if len(q.Form.Fields) == 0 {
		send = "Yes"
	}
	f := &fields{form: newForm(q.Form, send, "Decline", "Decline all"), title: "Server " + sanitize.Line(q.Server) + " asks you"}
	f.Base = Base{q, AsksYou(q)}
	f.above = func(width int, st *look.Look) []string {
		out := st.Prose(nil, q.Elicitation.Message, width, st.Text.Render)
		out = st.Prose(out, q.Form.Description, width, st.Dim.Render)
		if f.form.Empty() {
			return out
		}
		return append(st.Prose(out, "Your answer goes to the server "+q.Server+": no passwords or keys.", width, st.Dim.Render), "")
	}
	f.hint = func(width int, st *look.Look) string {
		switch {
		case f.leaving:
			return st.Longest(width-2, "esc again throws away what you wrote, and leaves it unanswered", "esc again throws it away")
		case f.form.Button() == 2:
			hint := "declines whatever " + look.CutMiddle(sanitize.Line(q.Server), 20) + " asks"
			return st.Longest(width-2, hint+", until aloud is started again", hint)
		}
		return st.Longest(width-2, "tab next · space chooses · enter · esc leaves it unanswered", "tab next · enter · esc leaves it")
	}
	f.escape = func() (done bool, cmd tea.Cmd) {
		f.leaving = !f.leaving && f.form.Touched()
		if !f.leaving {
			q.Answer(inbox.Answer{Action: mcpclient.Cancel})
		}
		return !f.leaving, nil
	}
	f.press = func(button int, values map[string]any) (done bool, cmd tea.Cmd) {
		q.Answer([]inbox.Answer{
			{Action: mcpclient.Accept, Content: values}, {Action: mcpclient.Decline}, {Action: mcpclient.Decline, Session: true},
		}[button])
		return true, nil
	}
	return f
}
