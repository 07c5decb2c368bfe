package ui

import (
	"errors"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/aloudchat/aloud/mcpclient"
	"github.com/aloudchat/aloud/provider/desk"
	"github.com/aloudchat/aloud/sanitize"
	"github.com/aloudchat/aloud/ui/look"
	"github.com/aloudchat/aloud/ui/screen"
	"github.com/aloudchat/aloud/ui/transcript"
)

// outing asks whether a page may be opened to which a server sends the person.
type outing struct {
	question *desk.Question
	open     func(address string) error // nil: there is no browser
	drawn    look.Memo[callRows, []string]
	look.Scroller
}

func newOuting(q *desk.Question, open func(string) error) *outing {
	return &outing{question: q, open: open}
}

func (v *outing) about() *desk.Question    { return v.question }
func (v *outing) takes(letter string) bool { return strings.Contains("ynx", letter) }
func (v *outing) waits() string            { return asksYou(v.question) }

func (v *outing) update(msg tea.Msg) (done bool, cmd tea.Cmd) {
	k, ok := msg.(tea.KeyPressMsg)
	if !ok || v.Scroll(k.String()) {
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
		return noticeMsg{transcript.Warn, sanitize.Line(err.Error()) + ": open " + v.question.Visit.Address}
	}
	return screen.Flash{Text: "Your browser shows the page of " + v.question.Visit.Host}
}

func (v *outing) view(width, height int, st *look.Look) []string {
	title := "Server " + sanitize.Line(v.question.Server) + " sends you to a page"
	return askRows(&v.Scroller, title, v.drawn.Of(callRows{width, *st}, func() []string { return v.body(width, st) }),
		lit(st, "y open it", "n decline", "x decline whatever it asks", "esc leaves it unanswered"), width, height, st)
}

// body draws the whole address, so that a long message cannot push its host out of view, and then what the server says.
func (v *outing) body(width int, st *look.Look) []string {
	p := v.question.Visit
	out := append(visitRows(p, "  ", width, st), "")
	out = prose(out, v.question.Elicitation.Message, width, st, st.Text.Render)
	return prose(out, "Go there only if you know "+p.Host+" and expected this.", width, st, st.Dim.Render)
}

// visitRows draws an address with its host lit, and says when that can be taken for another.
func visitRows(p desk.Visit, indent string, width int, st *look.Look) []string {
	var out []string
	row := max(8, width-2-len(indent))
	from, to := len(p.Before), len(p.Before)+len(p.Host)
	for at := 0; at < len(p.Address); at += row {
		end := min(at+row, len(p.Address))
		a, b := max(at, min(from, end)), max(at, min(to, end))
		out = append(out, indent+st.Dim.Render(p.Address[at:a])+st.Chosen.Render(p.Address[a:b])+st.Dim.Render(p.Address[b:end]))
	}
	if p.Looks != "" {
		out = prose(out, "Its host is written with letters that can look like others: "+p.Looks+" is "+p.Host+".", width, st, st.Warn.Render)
	}
	return out
}

// askRows draws a question with a text that may be longer than the screen: the answers are what must be seen.
func askRows(s *look.Scroller, title string, body, answers []string, width, height int, st *look.Look) []string {
	foot := packed(answers, width, st)
	if height > 12 {
		foot = append([]string{""}, foot...)
	}
	var out []string
	if room := height - 1 - len(foot); room > 0 {
		rows, where := s.Window(body, room)
		if where != "" {
			where = scrolls + where
		}
		out = append([]string{titleAt(title, where, width, st)}, rows...)
	}
	out = append(out, foot...)
	return out[max(0, len(out)-height):]
}
