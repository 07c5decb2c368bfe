package ui

import (
	"fmt"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/aloudchat/aloud/provider"
)

// turns returns the options of a chat that continues a conversation of n questions.
func turns(n int) Options {
	o := with(says(chunks(0, "More apples.")))
	for i := range n {
		o.Conversation = o.Conversation.With(
			provider.Message{Role: provider.RoleUser, Text: fmt.Sprint("question ", i)},
			provider.Message{Role: provider.RoleAssistant, Thinking: fmt.Sprintf("Hm.\n\nA pear of %d.\n\nWell.", i),
				Text: fmt.Sprintf("Answer %d.\n\n%s\n\nThe **apple** of %d.", i, strings.Repeat("- some words\n", 12), i)})
	}
	return o
}

const (
	ctrlS   = "\x13"
	ctrlR   = "\x12"
	altUp   = "\x1b[1;3A"
	altDown = "\x1b[1;3B"
	up      = "\x1b[A"
)

func TestFindStory(t *testing.T) {
	program(t, 80, 16, turns(5), func(term *terminal) {
		term.types("my draft")
		before := term.screen()
		term.types(ctrlS)
		term.sees("› my draft", "find ›", "enter accepts · esc back")
		term.types("apple o")
		term.sees("The apple of 4.", "› my draft",
			"  find › apple o"+strings.Repeat(" ", 29)+"5 of 5 · enter accepts · esc back") // two cells of margin
		term.types(ctrlR)
		term.sees("The apple of 3.", "4 of 5")
		term.types(ctrlS)
		term.sees("The apple of 4.", "5 of 5")
		term.types(enter + "n")
		term.sees("The apple of 0.", "find › apple o", "1 of 5", "n next · N previous · esc back")
		term.types("NN")
		term.sees("The apple of 3.", "4 of 5")
		term.types(esc).wait(time.Second)
		if after := term.screen(); after != before {
			t.Errorf("esc does not return to\n%s\nbut to\n%s", before, after)
		}
		term.types(ctrlC + "/quit" + enter).wait(time.Second)
	})
}

// TestFindKeysThatComeFirst has keys that come after the words are typed, and before they are found.
func TestFindKeysThatComeFirst(t *testing.T) {
	drive(t, 80, 16, turns(5), func(d *driver) {
		before := d.screen()
		d.press("ctrl+s", "p", "e", "a", "r", "esc")
		if after := d.screen(); after != before {
			t.Errorf("esc does not return to\n%s\nbut to\n%s", before, after)
		}
		d.press("ctrl+s", "a", "p", "p", "l", "e", "enter", "N")
		d.sees("The apple of 3.", "4 of 5", "n next")
		d.press("esc", "ctrl+s", "a", "p", "p", "l", "e", "ctrl+r", "ctrl+r")
		d.sees("The apple of 2.", "3 of 5")
		d.press("esc", "ctrl+s", "a", "p", "p", "l", "e", "pgup")
		d.sees("5 of 5")
		d.seesNot("The apple of 4.")
	})
}

func TestFindCommandAndKeysThatLeave(t *testing.T) {
	drive(t, 80, 16, turns(5), func(d *driver) {
		d.typeText("/find apple of 2\n")
		d.sees("The apple of 2.", "1 of 1", "n next")
		d.press("up")
		d.sees("▌ question 2")
		d.press("up")
		d.sees("▌ question 1")
		d.press("down", "down", "pgdown", "x")
		d.sees("› x")
		d.seesNot("find ›", "question 2\n")
		d.clear()
		d.press("ctrl+s").typeText("no").press("ctrl+u")
		d.send(tea.PasteMsg{Content: "apple\nof 3"})
		d.wait(time.Millisecond)
		d.sees("find › apple of 3", "The apple of 3.", "1 of 1")
		d.typeText("x")
		d.sees("find › apple of 3x", "not found")
		d.press("ctrl+c")
		d.seesNot("find ›")
		d.sees("The apple of 3.") // where you were
		d.typeText("/find nothing like it\n")
		d.sees("find › nothing like it", "not found")
		d.press("enter", "n", "esc")
		d.sees("› Ask anything")
	})
}

func TestFindShowsEndOfLongWords(t *testing.T) {
	drive(t, 80, 16, turns(1), func(d *driver) {
		d.typeText("/find " + strings.Repeat("apples ", 20) + "and pears\n")
		d.sees("and pears", "not found")
		d.press("esc", "ctrl+s")
		d.send(tea.PasteMsg{Content: strings.Repeat("word ", 100_000)})
		d.wait(time.Millisecond)
		d.sees("not found")
		if n := len(d.m.find.field.Value()); n > 4096 {
			t.Errorf("the words have %d bytes", n)
		}
	})
}

func TestFindInFoldedPartUnfoldsIt(t *testing.T) {
	drive(t, 80, 24, turns(3), func(d *driver) {
		d.press("ctrl+s").typeText("a pear")
		d.sees("│ A pear of 2.", "3 of 3")
		d.press("ctrl+r")
		d.sees("│ A pear of 1.", "2 of 3")
		d.seesNot("│ A pear of 2.")
		d.press("esc")
		d.seesNot("A pear of")
	})
}

func TestFindWithoutConversation(t *testing.T) {
	drive(t, 80, 24, with(says()), func(d *driver) {
		d.press("ctrl+s")
		d.sees("Nothing to find yet")
		d.press("alt+up", "alt+down")
		d.typeText("/find it\n")
		d.sees("Nothing to find yet", "› Ask anything")
	})
}

// A dialog that opens takes the keys, and the field is there again after it.
func TestDialogDuringFind(t *testing.T) {
	o := with(says(append(chunks(5*time.Second, "Let me look. "), calls("files__delete_file", `{"path":"a"}`)...),
		chunks(0, "Done.")))
	drive(t, 80, 24, o, func(d *driver) {
		d.typeText("go\n").wait(time.Second)
		d.press("ctrl+s").typeText("g").wait(9 * time.Second)
		d.sees("Allow this call?")
		d.seesNot("find ›")
		d.press("y").wait(5 * time.Second)
		d.sees("find › g", "1 of 1")
	})
}

func TestFindOnSmallScreens(t *testing.T) {
	for _, size := range [][2]int{{20, 5}, {12, 3}, {40, 15}, {3, 1}} {
		program(t, size[0], size[1], turns(3), func(term *terminal) {
			term.types(ctrlS + "apple")
			if size[1] >= 5 {
				term.sees("› apple", "3 of 3")
			}
			term.types(enter + "nN" + altUp + altDown + up + esc).wait(time.Second)
			term.types("/quit" + enter).wait(time.Second)
		})
	}
}

// In a search of earlier messages, ctrl+s goes back towards the newer ones.
func TestFindKeyInHistorySearch(t *testing.T) {
	drive(t, 80, 24, with(says(chunks(0, "Yes."))), func(d *driver) {
		for _, message := range []string{"one apple", "two apples", "three apples"} {
			d.typeText(message + "\n").wait(5 * time.Second)
		}
		d.press("ctrl+r").typeText("apple").press("ctrl+r", "ctrl+r", "ctrl+s", "enter")
		d.sees("› two apples")
		d.seesNot("find ›")
	})
}

func TestTurnKeys(t *testing.T) {
	program(t, 80, 16, turns(4), func(term *terminal) {
		term.types(altUp + altUp)
		term.sees("  ▌ question 2\n")
		term.types(altDown)
		term.sees("  ▌ question 3\n")
		term.types("/quit" + enter).wait(time.Second)
	})
}

// BenchmarkFind types a letter that is in every message, and goes to the next match, with ten thousand messages.
func BenchmarkFind(b *testing.B) {
	m := longChat(b, 10_000)
	for name, keys := range map[string][]string{
		"letter": {"ctrl+u", "w"}, "words": {"ctrl+u", "o", "f", " ", "m"}, "rare": {"ctrl+u", "9", "9", "8", "7"},
		"next": {"ctrl+s"}, "previous": {"ctrl+r"},
	} {
		b.Run(name, func(b *testing.B) {
			m.find.begin("some", m.transcript, m.prompt, m.look.Styles)
			m.find.accepted = false
			for b.Loop() {
				for _, key := range keys {
					m.Update(keyPress(key))
					m.View()
				}
			}
		})
	}
}
