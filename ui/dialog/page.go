package dialog

import (
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/aloudchat/aloud/ui/look"
)

// page shows a text that may be longer than the screen, and handles the keys for its answers.
type page struct {
	title  string
	asker  any    // see Traits
	notice string // see Traits
	// draw returns the whole text. It is called after a change of width or look.
	draw    func(width int, st *look.Look) []string
	answers []answer
	typed   func(tea.KeyPressMsg) // gets a key that is text and closes the page; may be nil
	least   int                   // rows of text to take, if there is room, so that a shorter text moves nothing

	drawn look.Memo[canvas, []string]
	look.Scroller
}

// answer is a key that answers the question on a page and closes the page.
type answer struct {
	key   string
	words string // what it does; "" if it is not shown
	act   tea.Cmd
}

// canvas is the width and look to draw rows for.
type canvas struct {
	width int
	look  look.Look
}

// newText returns a page to read.
func newText(title string, draw func(width int, st *look.Look) []string) *page {
	answers := []answer{{"esc", "to close", nil}, {"enter", "", nil}, {"q", "", nil}}
	return &page{title: title, draw: draw, answers: answers}
}

// find returns the index of the answer for a key, or -1.
func (p *page) find(key string) int {
	if key == "ctrl+c" {
		key = "esc"
	}
	return slices.IndexFunc(p.answers, func(a answer) bool { return a.key == key })
}

// Traits implements Dialog.
func (p *page) Traits() Traits {
	traits := Traits{Asker: p.asker, Notice: p.notice}
	for _, a := range p.answers {
		if len(a.key) == 1 {
			traits.Keys += a.key
		}
	}
	return traits
}

func (p *page) Update(msg tea.Msg) (done bool, cmd tea.Cmd) {
	switch msg := msg.(type) {
	case ServersChanged: // the text may be about servers
		p.drawn = look.Memo[canvas, []string]{}
	case tea.KeyPressMsg:
		if p.typed != nil && msg.Text != "" {
			p.typed(msg)
			return true, nil
		}
		if i := p.find(msg.String()); i >= 0 {
			return true, p.answers[i].act
		}
		p.Scroll(msg.String())
	}
	return false, nil
}

func (p *page) View(width, height int, st *look.Look) []string {
	return p.view(p.foot(width, height, st), width, height, st)
}

// foot draws the answers.
func (p *page) foot(width, height int, st *look.Look) []string {
	var words, keys []string
	for _, a := range p.answers {
		if a.words != "" {
			words, keys = append(words, a.key+" "+a.words), append(keys, a.key)
		}
	}
	rows := st.Packed(st.Keys(words...), width)
	if len(rows)+1 >= height { // the screen is too small
		return []string{st.Clip(" "+strings.TrimRight(strings.Join(st.Keys(keys...), ""), " "), width)}
	}
	return rows
}

// view draws the text above the answers, which are shown even if nothing else fits.
func (p *page) view(foot []string, width, height int, st *look.Look) []string {
	if height > 12 {
		foot = slices.Insert(foot, 0, "")
	}
	var out []string
	if room := height - 1 - len(foot); room > 0 {
		rows := p.drawn.Of(canvas{width, *st}, func() []string { return p.draw(width, st) })
		body, where := p.Window(rows, room)
		if where != "" {
			where = look.Scrolls + where
		}
		out = append([]string{st.Title(p.title, where, width)}, body...)
		out = append(out, make([]string, max(0, min(room, p.least)-len(body)))...)
	}
	out = append(out, foot...)
	return out[max(0, len(out)-height):]
}
