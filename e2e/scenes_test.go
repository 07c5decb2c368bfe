//go:build e2e && unix

package e2e

import (
	"strings"
	"testing"
	"time"
)

// seeNot fails if the screen contains one of these texts now.
func (s *screen) seeNot(texts ...string) {
	s.t.Helper()
	for _, text := range texts {
		if screen := s.term.Screen(); strings.Contains(screen, text) {
			s.t.Errorf("the screen shows %q:\n%s", text, screen)
		}
	}
}

// The tape has a glyph for what was observed, and none for what was not.
func TestScreenTapeShowsWhatWasObserved(t *testing.T) {
	model := newScripted(t)
	model.loads = make(chan struct{})
	s := model.scene(t, 100, 34)
	s.enter("how are you?")
	s.see("Loading " + scriptedModel)
	s.see("━━━●──")
	s.seeNot("┅", "═", "╌", "▓")
	model.loads <- struct{}{}
	s.see("┅┅┅●──")
	s.seeNot("═", "╌", "▓")
	model.text("Fine, ")
	s.see("═══●──")
	s.seeNot("╌", "▓")
	model.text("thanks.").done(timing{read: time.Second})
	s.see("✓ ")
	s.see("Fine, thanks.")
	s.seeNot("╌", "●", "▓")
	s.quit()
}

// What earlier runs make likely is dashed, with the times that the server reported.
func TestScreenTapeExpectsEarlierTimes(t *testing.T) {
	model := newScripted(t)
	model.loads = make(chan struct{}, 2)
	model.loads <- struct{}{}
	model.text("One.").done(timing{load: 9 * time.Second})
	s := model.scene(t, 100, 34)
	s.enter("one")
	s.see("✓ load 9s")
	s.quit()
	s = model.scene(t, 100, 34)
	s.enter("two")
	s.see("━●╌╌╌")
	s.see("more")
	model.loads <- struct{}{}
	model.text("Two.").done(timing{})
	s.see("Two.")
	s.quit()
}

func TestScreenCopyTape(t *testing.T) {
	model := newScripted(t)
	s := model.scene(t, 100, 34)
	s.enter("/copy tape")
	s.see("No turn has ended yet")
	model.text("Fine.").done(timing{read: 2 * time.Second, write: 3 * time.Second})
	s.enter("how are you?")
	s.see("✓ ")
	s.enter("/copy tape")
	s.see("Copied ")
	s.quit()
}

func TestScreenReceiptUnfolds(t *testing.T) {
	model := newScripted(t)
	model.text("Fine.").done(timing{read: 2 * time.Second, write: 3 * time.Second})
	s := model.scene(t, 100, 34)
	s.enter("how are you?")
	s.see("✓ ")
	s.press("\x0f") // ctrl+o
	s.see("40 tok at 13/s · 3s")
	s.see("read up to 100 tok 2s  ")
	s.quit()
}

// The whole change must be on the screen before a key allows it.
func TestScreenApprovalOnSmallScreen(t *testing.T) {
	model := newScripted(t)
	s := model.scene(t, 40, 15)
	model.call("files__edit_file", map[string]any{"path": "todo.md", "old_text": "- buy milk\n",
		"new_text": strings.Repeat("- buy oat milk\n", 20)}).done(timing{})
	s.enter("change it")
	s.read("more rows")
	s.press("y")
	s.see("Read the call to its end first")
	for range 5 {
		s.press("\x1b[6~")
	}
	s.see("the end", func(screen string) bool { return !strings.Contains(screen, "more rows") })
	s.press("n")
	s.see("Stopped")
	s.quit()
}

func TestScreenWhyWhileBusy(t *testing.T) {
	model := newScripted(t)
	s := model.scene(t, 100, 34)
	s.enter("go")
	model.text("Half")
	s.see("Half")
	s.press("?")
	s.see("Why this takes long")
	s.see("Prompt  tools")
	s.press("\x1b")
	s.see("› ")
	model.text(" and whole.").done(timing{})
	s.see("Half and whole.")
	s.quit()
}

func TestScreenCopyCode(t *testing.T) {
	model := newScripted(t)
	model.text("Do this:\n\n```sh\nls -l\n```\n").done(timing{})
	s := model.scene(t, 100, 34)
	s.enter("what now?")
	s.see("✓ ")
	s.enter("/copy code")
	s.see("Copied ")
	s.press("\x1bc") // alt+c
	s.see("Copied ")
	s.quit()
}

func TestScreenPinsQuestion(t *testing.T) {
	model := newScripted(t)
	model.text(strings.Repeat("one line\n\n", 60) + "the end").done(timing{})
	s := model.scene(t, 80, 24)
	s.enter("tell me all of it")
	s.see("✓ ")
	s.press("\x1b[5~") // page up
	s.see("↑ tell me all of it")
	s.see("scrolled up")
	s.press("\x1b[1;5F") // ctrl+end
	s.see("the end")
	s.seeNot("↑ tell", "scrolled up")
	s.quit()
}

func TestScreenWelcomeQuestions(t *testing.T) {
	s := newScripted(t).scene(t, 100, 34)
	s.see("summarise todo.md")
	s.press("\t")
	s.see("› summarise todo.md")
	s.press("\t")
	s.see("another question", func(screen string) bool { return !strings.Contains(screen, "› summarise todo.md") })
	s.quit()
}

// foreground returns the colour of the first cell of a text.
func (s *screen) foreground(text string) string {
	s.t.Helper()
	for _, row := range s.term.Cells() {
		line := ""
		for _, cell := range row {
			line += cell.Text
		}
		if before, _, found := strings.Cut(line, text); found {
			return row[len([]rune(before))].Foreground
		}
	}
	s.t.Fatalf("there is no %q:\n%s", text, s.term.Screen())
	return ""
}

func TestScreenThemePreview(t *testing.T) {
	s := newScripted(t).scene(t, 100, 34)
	s.enter("/theme")
	s.see("high-contrast")
	before := s.foreground("Themes")
	for range 3 {
		s.press("\x1b[B") // down
	}
	s.see("another colour", func(string) bool { return s.foreground("Themes") != before })
	s.press("\x1b")
	s.see("Ask anything")
	s.enter("/theme")
	s.see("the colour of before", func(screen string) bool {
		return strings.Contains(screen, "Themes") && s.foreground("Themes") == before
	})
	s.press("\x1b")
	s.see("› Ask anything")
	s.quit()
}

func TestScreenFoldsThinking(t *testing.T) {
	model := newScripted(t)
	s := model.scene(t, 100, 34)
	s.enter("how are you?")
	model.think("**Choosing words**\n\nShort ones ")
	s.see("Thinking… · 2s")
	model.think("will ")
	s.see("about 2 tok")
	model.think("do.")
	s.see("Short ones will do.")
	model.text("Fine.").done(timing{})
	s.see("✓ ")
	s.see("Thought for 2s · Choosing words")
	s.seeNot("Short ones will do.")
	s.press("\x0f") // ctrl+o
	s.see("Short ones will do.")
	s.quit()
}

// Without colours, addresses and footnotes are text.
func TestScreenWithoutColours(t *testing.T) {
	model := newScripted(t)
	model.text("See [the page](https://example.org/a).[^1]\n\n[^1]: By Hoare.\n").done(timing{})
	s := model.scene(t, 100, 34, "NO_COLOR=1")
	s.enter("where?")
	s.see("https://example.org/a")
	s.see("By Hoare.")
	s.see("✓ ")
	for _, row := range s.term.Cells() {
		for _, cell := range row {
			if cell.Foreground+cell.Background != "" {
				t.Fatalf("a cell has colours: %+v", cell)
			}
		}
	}
	s.quit()
}

func TestScreenOnTwentyByFive(t *testing.T) {
	model := newScripted(t)
	s := model.scene(t, 20, 5)
	s.enter("well?")
	model.text("All is well today.")
	s.see("today.")
	model.done(timing{})
	s.see("✓ ")
	s.press("\x1b[1~") // home
	s.see("▌ well?")
	s.quit()
}

func TestScreenResizedInTheMiddle(t *testing.T) {
	model := newScripted(t)
	s := model.scene(t, 100, 34)
	s.enter("go")
	model.text("The first half, ")
	s.see("The first half,")
	must(t, s.term.Resize(40, 15))
	s.see("40 columns", func(screen string) bool {
		return strings.Contains(screen, "The first half,") && strings.Count(screen, "\n") == 15
	})
	model.text("and the second.").done(timing{})
	s.see("and the second.")
	must(t, s.term.Resize(200, 50))
	s.see("The first half, and the second.")
	s.see("› Ask anything")
	s.quit()
}

func TestScreenWithoutServer(t *testing.T) {
	model := newScripted(t)
	model.Close()
	s := model.scene(t, 100, 34)
	s.see("Look on this machine")
	s.read("Try the demo")
	s.press("\r")
	s.see("Model servers") // what it finds depends on the machine
	s.press("\x1b")
	s.read("Try again")
	s.press("\x1b")
	s.see("› Ask anything")
	s.quit()
}

func TestScreenListsNoModelThatOnlyEmbeds(t *testing.T) {
	s := newScripted(t).scene(t, 100, 34)
	s.see("model   " + scriptedModel)
	s.enter("/model")
	s.see("› ● " + scriptedModel)
	s.seeNot("embed:1b")
	s.press("\x1b")
	s.see("› Ask anything")
	s.quit()
}
