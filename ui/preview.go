package ui

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/aloudchat/aloud/provider"
	"github.com/aloudchat/aloud/provider/attach"
	"github.com/aloudchat/aloud/sanitize"
	"github.com/aloudchat/aloud/status"
	"github.com/aloudchat/aloud/ui/look"
	"github.com/aloudchat/aloud/ui/markdown"
)

// preview shows the messages of a prompt before they are said: a server wrote them, in the person's name and the model's.
type preview struct {
	question
	tokens int
	drawn  look.Memo[callRows, []string]
	look.Scroller
}

// newPreview shows what came of a prompt.
func newPreview(q question) *preview {
	p := &preview{question: q}
	for _, m := range p.messages {
		p.tokens += m.Tokens()
	}
	return p
}

func (p *preview) takes(letter string) bool { return letter == "e" }
func (p *preview) waits() string            { return cutMiddle(sanitize.Line(p.call.Name()), 40) + " is ready" }

func (p *preview) update(msg tea.Msg) (done bool, cmd tea.Cmd) {
	k, ok := msg.(tea.KeyPressMsg)
	if !ok || p.Scroll(k.String()) {
		return false, nil
	}
	switch k.String() {
	case "enter":
		return true, reply(onwardMsg{p.question})
	case "e":
		return true, reply(editMsg{attach.Typed(p.draft())})
	case "esc":
		return true, reply(leftMsg{p.input})
	}
	return false, nil
}

// draft is what the prompt says in the person's name.
func (p *preview) draft() string {
	var texts []string
	for _, m := range p.messages {
		if m.Role == provider.RoleUser {
			texts = append(texts, m.Text)
		}
	}
	return strings.Join(texts, "\n\n")
}

// keys says what can be done, in as many words as fit. An edited prompt is the person's own text: of what the prompt says in the model's name,
// and of its images, nothing is left.
func (p *preview) keys(where string, width int, st *look.Look) string {
	edit := "e edits it"
	for _, m := range p.messages {
		switch {
		case m.Role != provider.RoleUser:
			edit = "e edits your part alone"
		case len(m.Images) > 0 && edit == "e edits it":
			edit = "e edits the words alone"
		}
	}
	if where != "" {
		where = "↑↓ " + where + " · "
	}
	return st.Longest(width-2, where+"enter sends it · "+edit+" · esc leaves it", where+"enter sends · e edits · esc leaves", "enter sends · e edits · esc leaves", "enter · e · esc")
}

func (p *preview) view(width, height int, st *look.Look) []string {
	name, said, size := sanitize.Line(p.call.Name()), look.Plural(len(p.messages), "message"), status.Count(p.tokens)+" tokens"
	out := []string{titleRow(st.Longest(width-titleFrame, dotted([]string{name, said, size}), dotted([]string{name, size}), name), width, st)}
	rows := p.drawn.Of(callRows{width, *st}, func() []string { return p.draw(width, st) })
	body, where := p.Window(rows, max(1, height-3))
	return withHint(append(out, body...), p.keys(where, width, st), width, height, st)
}

func (p *preview) draw(width int, st *look.Look) (out []string) {
	for _, note := range p.notes {
		out = prose(out, note, width, st, st.Warn.Render)
	}
	for _, m := range p.messages {
		words := []string{"said as you", status.Count(m.Tokens()) + " tokens"}
		switch {
		case m.From == "":
			words[0] = "your own words"
		case m.Role == provider.RoleAssistant:
			words[0] = "said as the model"
		}
		if len(m.Images) > 0 {
			words = append(words, look.Plural(len(m.Images), "image"))
		}
		out = append(out, "  "+st.Dim.Render(st.Clip(dotted(words), max(1, width-2))))
		for line := range strings.SplitSeq(strings.TrimSpace(sanitize.Text(m.Text)), "\n") {
			for _, row := range markdown.Wrap(line, look.Reading(width-6), st.Method) {
				out = append(out, "    "+row)
			}
		}
	}
	return out
}
