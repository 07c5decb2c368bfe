package composer

import (
	"slices"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"github.com/aloudchat/aloud/provider/attach"
	"github.com/aloudchat/aloud/ui/look"
)

// press presses keys such as "c-w", carries out actions such as "undo", and types other words, with · for a blank.
func (p *Composer) press(t *testing.T, keys string) {
	t.Helper()
	codes := map[string]rune{"left": tea.KeyLeft, "right": tea.KeyRight, "back": tea.KeyBackspace, "del": tea.KeyDelete,
		"home": tea.KeyHome, "end": tea.KeyEnd, "space": ' '}
	for name := range strings.FieldsSeq(keys) {
		mod, word := tea.KeyMod(0), name
		for prefix, held := range map[string]tea.KeyMod{"c-": tea.ModCtrl, "a-": tea.ModAlt, "s-": tea.ModShift} {
			if rest, ok := strings.CutPrefix(word, prefix); ok {
				mod, word = held, rest
			}
		}
		code, named := codes[word]
		switch {
		case word == "undo":
			p.Undo()
		case word == "redo":
			p.Redo()
		case word == "yank":
			p.Yank()
		case word == "earlier":
			p.YankEarlier()
		case word == "newline":
			p.Newline()
		case word == "paste":
			p.Paste(strings.Repeat("log\n", 30))
		case word == "image":
			p.Attach([]attach.Image{{About: "a.png", Data: []byte("data")}})
		case word == "discard":
			p.Discard("")
		case word == "up":
			p.Earlier()
		case word == "space":
			p.Key(tea.KeyPressMsg{Code: ' ', Text: " "})
		case named:
			p.Key(tea.KeyPressMsg{Code: code, Mod: mod})
		case mod != 0:
			p.Key(tea.KeyPressMsg{Code: rune(word[0]), Mod: mod})
		default:
			for _, r := range strings.ReplaceAll(word, "·", " ") {
				p.Key(tea.KeyPressMsg{Code: r, Text: string(r)})
			}
		}
	}
}

// drawn returns the draft with the cursor.
func (p *Composer) drawn() string {
	s := p.state()
	text := s.before + "|" + s.after
	return strings.NewReplacer("[Pasted text #1 · 30 lines]", "[1]", "[Pasted text #2 · 30 lines]", "[2]",
		"[image 1: a.png]", "<1>", "[image 2: a.png]", "<2>").Replace(text)
}

func TestEditingKeys(t *testing.T) {
	for _, c := range []struct{ keys, want string }{
		{"one·two undo", "one |"},
		{"one·two undo undo", "|"},
		{"one·two undo undo undo redo", "one |"},
		{"one·two undo undo redo redo redo", "one two|"},
		{"one·two undo x redo", "one x|"},
		{"one·two back back back back back undo", "one |"},
		{"one·two back back back back back undo undo", "one two|"},
		{"one left left x undo", "o|ne"},
		{"one left x right y undo", "onxe|"},
		{"one newline two undo", "one\n|"},
		{"ab paste undo redo", "ab[1]|"},
		{"paste back undo", "[1]|"},
		{"paste home del undo", "|[1]"},
		{"one paste undo paste", "one[1]|"},
		{"one·two c-w undo", "one two|"},
		{"one·two c-w yank", "one two|"},
		{"one·two c-w c-w yank yank", "one twoone two|"},
		{"one·two home a-d a-d yank", "one two|"},
		{"one·two left c-u c-k yank", "one two|"},
		{"one·two c-w x c-u yank", "one x|"},
		{"one·two c-w x c-u yank earlier", "two|"},
		{"one·two c-w x c-u yank earlier earlier", "one x|"},
		{"one·two c-w earlier", "one |"},
		{"one·two c-w yank left earlier", "one tw|o"},
		{"one·two c-w yank undo", "one |"},
		{"one newline two c-u c-u yank", "one\ntwo|"},
		{"one·two s-left s-left c-w yank", "one two|"},
		{"one·two s-left s-left x", "one tx|"},
		{"see space paste c-w", "see |"},
		{"see space paste c-w yank", "see [2]|"},
		{"see space paste left left c-w yank", "see [2]|"},
		{"see space paste left left c-k yank", "see [2]|"},
		{"paste home a-d", "|"},
		{"see·a.b/cd a-b", "see a.b/|cd"},
		{"see·a.b/cd a-b a-b a-b a-b a-b", "|see a.b/cd"},
		{"see·a.b home a-f a-f", "see a|.b"},
		{"a.bé a-back", "a.|"},
		{"a.bé c-w", "|"},
		{"a.bé home a-d a-d yank", "a.bé|"},
		{"a newline b a-b a-b", "|a\nb"},
		{"one·two s-left s-left newline", "one t\n|"},
		{"one·two s-left s-left a-d yank", "one two|"},
		{"draft discard undo", "|"},
		{"draft discard up x undo", "draft|"},
		{"draft discard up undo", "draft|"},
		{"undo redo yank earlier", "|"},
		{"see image", "see<1> |"},
		{"image image paste", "<1> <2> [Pasted text #3 · 30 lines]|"},
		{"image undo", "|"},
		{"image back back", "|"},
		{"image back back undo", "<1>|"},
		{"image image c-a c-k yank", "<1> <2> |"},
		{"image c-a c-k yank yank", "<1> <2> |"},
		{"image c-a del image", "<1> | "},
		{"image discard up", "<1>|"},
		{"one c-a s-right image", "<1> |ne"},
	} {
		p := New(nil, nil, look.NewStyles(true))
		p.Resize(80, 9)
		p.press(t, c.keys)
		if got := p.drawn(); got != c.want {
			t.Errorf("%s: got %q, want %q", c.keys, got, c.want)
		}
	}
}

func TestYankedChipKeepsItsText(t *testing.T) {
	p := New(nil, nil, look.NewStyles(true))
	p.Resize(80, 9)
	p.press(t, "see space paste c-w")
	p.Take()
	p.press(t, "and space yank")
	want := "and " + strings.Repeat("log\n", 30)
	pasted := []attach.Span{{From: 4, Until: len(want)}}
	if in := p.input(); in.Text != want || !slices.Equal(in.Foreign, pasted) {
		t.Errorf("got %q, %v", in.Text, in.Foreign)
	}
}

// FuzzEditing checks that undoing everything returns to an empty draft, that redoing everything returns to the last
// one, and that what kill keys removed is what yank inserts.
func FuzzEditing(f *testing.F) {
	keys := []string{"a", "space", "b·c", "newline", "paste", "left", "right", "home", "end", "back", "del", "c-w", "c-u",
		"c-k", "a-d", "a-b", "a-f", "a-back", "s-left", "s-right", "yank", "earlier", "undo", "redo", "image"}
	f.Add([]byte{0, 1, 2, 3, 4, 11, 18, 19, 20, 21})
	f.Add([]byte{4, 5, 5, 13, 11, 18, 19, 12, 18, 20})
	f.Fuzz(func(t *testing.T, pressed []byte) {
		pressed = pressed[:min(len(pressed), 100)]
		p := New(nil, nil, look.NewStyles(true))
		p.Resize(80, 9)
		for _, b := range pressed {
			before, kills := p.input().Text, len(p.ring.kills)
			p.press(t, keys[int(b)%len(keys)])
			if len(p.ring.kills) == kills {
				continue
			}
			killed := p.input().Text
			if p.Yank(); p.input().Text != before {
				t.Fatalf("%q was killed to %q, and yanking made %q", before, killed, p.input().Text)
			}
			if p.Undo(); p.input().Text != killed {
				t.Fatalf("undoing made %q, want %q", p.input().Text, killed)
			}
		}
		last, steps := p.input().Text, len(p.undo.undone)
		for range steps {
			p.Undo()
		}
		if !p.Empty() {
			t.Fatalf("%q is left", p.Value())
		}
		for range steps {
			p.Redo()
		}
		if got := p.input().Text; got != last {
			t.Errorf("%q became %q", last, got)
		}
	})
}

func TestRewrittenDraft(t *testing.T) {
	const one, two = "[Pasted text #1 · 30 lines]", "[Pasted text #2 · 30 lines]"
	log := strings.Repeat("log\n", 30)
	for _, c := range []struct{ keys, text, want, draft string }{
		{"one", "one two", "one two|", "one two"},
		{"one", "one two\r\n\tthree\x1b", "one two\n\u2028   three|", "one two\n\tthree"},
		{"paste", "see " + one + "!", "see [1]!|", "see " + log + "!"},
		{"paste paste", two, "[1]|", log}, // its number is that among those in the draft
		{"paste", "nothing", "nothing|", "nothing"},
		{"paste", one + one, "[1][1]|", log + one},
		{"/cl", "/clear", "/clear|", "/clear"},
	} {
		p := New([]Command{{Name: "clear"}}, nil, look.NewStyles(true))
		p.Resize(80, 9)
		p.press(t, c.keys)
		draft := p.Value()
		p.Rewrite(draft, c.text)
		if got := p.input().Text; p.drawn() != c.want || got != c.draft || p.Listed() > 0 {
			t.Errorf("%q as %q: got %q and %q", c.keys, c.text, p.drawn(), got)
		}
		if p.Undo(); p.Value() != draft {
			t.Errorf("undoing %q made %q, not %q", c.text, p.Value(), draft)
		}
	}
}

func TestRewrittenDraftKeepsWhatWasPutBack(t *testing.T) {
	p := New(nil, nil, look.NewStyles(true))
	p.press(t, "draft")
	p.PutBack(attach.Typed("queued"))
	p.Rewrite("draft", "edited")
	if got := p.Value(); got != "queued\n\nedited" {
		t.Errorf("got %q", got)
	}
}
