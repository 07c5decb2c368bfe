package dialog

import (
	"errors"

	tea "charm.land/bubbletea/v2"

	"github.com/aloudchat/aloud/internal/sanitize"
	"github.com/aloudchat/aloud/mcpclient/elicit"
	"github.com/aloudchat/aloud/ui/look"
	"github.com/aloudchat/aloud/ui/markdown"
	"github.com/aloudchat/aloud/ui/screen"
)

// NewQuestion returns the dialog for a server's question. open opens your browser; it may be nil.
func NewQuestion(q *elicit.Question, open func(address string) error) Dialog {
	if q.URL == "" {
		return newElicitation(q)
	}
	return newVisit(q, open)
}

// AsksYou returns the text that announces a server's question.
func AsksYou(q *elicit.Question) string { return "Server " + look.Short(q.Server) + " asks for input" }

// newVisit returns a page that asks whether to open an address.
func newVisit(q *elicit.Question, open func(string) error) *page {
	draw := func(width int, st *look.Look) []string {
		// The whole address comes first, so that a long message cannot push its host out of view.
		out := append(visitRows(q.Visit, "  ", width, st), "")
		out = st.Prose(out, q.Elicitation.Message, width, st.Text.Render)
		return st.Prose(out, "Open it only if you know "+q.Visit.Host+" and expected this.", width, st.Dim.Render)
	}
	respond := func(action elicit.Action) func() tea.Msg {
		return func() tea.Msg {
			q.Answer(elicit.Response{Action: action})
			return nil
		}
	}
	title := "Server " + sanitize.Line(q.Server) + " asks to open a page"
	return &page{title: title, asker: q, notice: AsksYou(q), draw: draw, answers: []answer{
		{"y", "open", func() tea.Msg {
			q.Answer(elicit.Response{Action: elicit.Accept})
			return visit(q.Visit, open)
		}},
		{"n", "decline", respond(elicit.Decline)},
		{"x", "decline all", func() tea.Msg {
			q.DeclineAll()
			return nil
		}},
		{"esc", "to dismiss", respond(elicit.Cancel)},
	}}
}

// visit opens a page, or shows its address.
func visit(v elicit.Visit, open func(string) error) tea.Msg {
	err := errors.New("no browser is available")
	if open != nil {
		err = open(v.Address)
	}
	if err != nil {
		return Warning{Sentence(err) + " Open the address yourself: " + v.Address}
	}
	return screen.Flash{Text: "Opened " + v.Host + " in your browser"}
}

// visitRows draws an address with its host highlighted, and warns about letters that resemble others.
func visitRows(v elicit.Visit, indent string, width int, st *look.Look) []string {
	var out []string
	address := st.Dim.Render(v.Before) + st.Chosen.Render(v.Host) + st.Dim.Render(v.After)
	for _, row := range markdown.Chop(address, max(8, width-2-len(indent)), st.Method) {
		out = append(out, indent+row)
	}
	if v.Looks != "" {
		words := "The host name uses letters that can look like others: " + v.Looks + " is " + v.Host + "."
		out = st.Prose(out, words, width, st.Warn.Render)
	}
	return out
}

// newElicitation returns the form of a server.
func newElicitation(q *elicit.Question) *form {
	send := "Send"
	if len(q.Form.Fields) == 0 {
		send = "Yes"
	}
	whatever := "declines all requests of " + sanitize.CutMiddle(sanitize.Line(q.Server), 20) + " until you restart aloud"
	f := newForm(q.Form, button{name: send}, button{name: "Decline"}, button{"Decline all", whatever})
	f.title, f.asker, f.notice = "Server "+sanitize.Line(q.Server)+" asks for input", q, AsksYou(q)
	f.keys = []string{"tab to move · space to choose · enter · esc to dismiss", "tab to move · enter · esc to dismiss"}
	f.above = func(width int, st *look.Look) []string {
		out := st.Prose(nil, q.Elicitation.Message, width, st.Text.Render)
		out = st.Prose(out, q.Form.Description, width, st.Dim.Render)
		if len(q.Form.Fields) == 0 {
			return out
		}
		note := "Your answer is sent to server " + q.Server + ". Do not enter passwords or keys."
		return append(st.Prose(out, note, width, st.Dim.Render), "")
	}
	f.leave = func() tea.Cmd {
		q.Answer(elicit.Response{Action: elicit.Cancel})
		return nil
	}
	f.press = func(button int, values map[string]any) tea.Cmd {
		switch button {
		case 0:
			q.Answer(elicit.Response{Action: elicit.Accept, Content: values})
		case 1:
			q.Answer(elicit.Response{Action: elicit.Decline})
		default:
			q.DeclineAll()
		}
		return nil
	}
	return f
}
