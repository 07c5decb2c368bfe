package dialog

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/aloudchat/aloud/internal/quantity"
	"github.com/aloudchat/aloud/internal/sanitize"
	"github.com/aloudchat/aloud/provider"
	"github.com/aloudchat/aloud/ui/look"
	"github.com/aloudchat/aloud/ui/screen"
)

// Preview is a prompt before it is sent. A server wrote its messages, which are sent as yours and the model's.
type Preview struct {
	Name     string
	Messages []provider.Message
	Notes    []string // content that the model does not get
	Send     tea.Msg
	Leave    tea.Msg
	Edit     func(text string) tea.Msg
}

// NewPreview shows a prompt before it is sent.
func NewPreview(p Preview) Dialog {
	tokens := 0
	for _, m := range p.Messages {
		tokens += m.Tokens()
	}
	size := quantity.Plural(len(p.Messages), "message") + " · about " + quantity.Count(tokens) + " tokens"
	return &page{
		notice: look.Short(p.Name) + " is ready",
		title:  p.Name + " · " + size,
		draw:   p.draw,
		answers: []answer{
			{"enter", "to send", screen.Reply(p.Send)},
			{"e", "to edit", func() tea.Msg { return p.Edit(p.draft()) }},
			{"esc", "to cancel", screen.Reply(p.Leave)},
		},
	}
}

// draft returns the messages of the prompt that are sent as yours. Those of the model, and images, cannot be edited.
func (p Preview) draft() string {
	var texts []string
	for _, m := range p.Messages {
		if m.Role == provider.RoleUser {
			texts = append(texts, m.Text)
		}
	}
	return strings.Join(texts, "\n\n")
}

func (p Preview) draw(width int, st *look.Look) (out []string) {
	for _, note := range p.Notes {
		out = st.Prose(out, note, width, st.Warn.Render)
	}
	for _, m := range p.Messages {
		who := "sent as you"
		switch {
		case m.From == "":
			who = "your own message"
		case m.Role == provider.RoleAssistant:
			who = "sent as the model"
		}
		words := look.Dotted(who, "about "+quantity.Count(m.Tokens())+" tokens")
		if n := len(m.Images); n > 0 {
			words = look.Dotted(words, quantity.Plural(n, "image"))
		}
		out = append(out, "  "+st.Dim.Render(st.Clip(words, max(1, width-2))))
		out = st.Indent(out, strings.TrimSpace(sanitize.Text(m.Text)), "    ", width-6, st.Text.Render)
	}
	return out
}
