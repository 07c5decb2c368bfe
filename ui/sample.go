package ui

import (
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/aloudchat/aloud/mcpclient"
	"github.com/aloudchat/aloud/provider/desk"
	"github.com/aloudchat/aloud/sanitize"
	"github.com/aloudchat/aloud/status"
	"github.com/aloudchat/aloud/ui/look"
)

// sample asks whether the model may write something for a server, and afterwards whether that may go there.
type sample struct {
	question *desk.Question
	drawn    look.Memo[callRows, []string]
	look.Scroller
}

func newSample(q *desk.Question) *sample { return &sample{question: q} }

func (s *sample) about() *desk.Question { return s.question }
func (s *sample) waits() string         { return asksYou(s.question) }

func (s *sample) reviews() bool { return s.question.Kind == desk.Review }

func (s *sample) takes(letter string) bool {
	return strings.Contains("yn", letter) || strings.Contains("sx", letter) && !s.reviews()
}

func (s *sample) update(msg tea.Msg) (done bool, cmd tea.Cmd) {
	k, ok := msg.(tea.KeyPressMsg)
	if !ok || s.Scroll(k.String()) {
		return false, nil
	}
	switch key := k.String(); {
	case key == "y":
		s.question.Answer(desk.Answer{Action: mcpclient.Accept})
	case key == "s" && !s.reviews():
		s.question.Answer(desk.Answer{Action: mcpclient.Accept, Session: true})
	case key == "x" && !s.reviews():
		s.question.Answer(desk.Answer{Action: mcpclient.Decline, Session: true})
	case key == "esc":
		s.question.Answer(desk.Answer{Action: mcpclient.Cancel})
	case key == "n":
		s.question.Answer(desk.Answer{Action: mcpclient.Decline})
	default:
		return false, nil
	}
	return true, nil
}

func (s *sample) view(width, height int, st *look.Look) []string {
	server := sanitize.Line(s.question.Server)
	title := "Server " + server + " wants your model"
	answers := lit(st, "y let it write", "s for this session", "n no", "x no, whatever it asks")
	draw := s.wanted
	if s.reviews() {
		title, answers, draw = "Server "+server+" is to get this", lit(st, "y send it", "n do not send it"), s.written
	}
	body := s.drawn.Of(callRows{width, *st}, func() []string { return draw(width, st) })
	return askRows(&s.Scroller, title, body, answers, width, height, st)
}

// wanted draws everything that the model would get.
func (s *sample) wanted(width int, st *look.Look) []string {
	q := s.question.Sampling
	facts := []string{sanitize.Line(s.question.Model), fmt.Sprintf("writes up to %s tokens", status.Count(s.question.MaxTokens))}
	if len(q.Hints) > 0 {
		facts = append(facts, "the server would like "+st.Clip(sanitize.Line(strings.Join(q.Hints, ", ")), 60))
	}
	look.Paint(facts, st.Dim)
	out := packed(facts, width, st)
	out = prose(out, "What it writes goes to the server once you have seen it; with s at once.", width, st, st.Dim.Render)
	part := func(who, text string, images int) {
		out = append(out, "", "  "+st.Strong.Render(who))
		out = prose(out, text, width, st, st.Text.Render)
		if images > 0 {
			out = append(out, "  "+st.Dim.Render("with "+look.Plural(images, "image")))
		}
	}
	if q.System != "" {
		part("instructions", q.System, 0)
	}
	for _, m := range q.Messages {
		who := "asks"
		if m.Role == "assistant" {
			who = "answer so far"
		}
		part(who, m.Text, len(m.Images))
		for _, kind := range m.Other {
			out = prose(out, "with "+sanitize.Line(kind)+", which the model does not get", width, st, st.Dim.Render)
		}
	}
	if len(q.Stop) > 0 {
		out = append(out, "")
		out = prose(out, "It ends before: "+desk.Sequences(q.Stop), width, st, st.Dim.Render)
	}
	return out
}

// written draws what the model wrote.
func (s *sample) written(width int, st *look.Look) []string {
	out := prose(nil, s.question.Model+" wrote:", width, st, st.Dim.Render)
	return prose(append(out, ""), s.question.Written, width, st, st.Text.Render)
}
