//go:build e2e && unix

package e2e

import (
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
)

// handKeys are the bytes that a terminal sends for keys.
var handKeys = map[string]string{
	"enter": "\r", "esc": "\x1b", "tab": "\t", "backspace": "\x7f", "delete": "\x1b[3~", "space": " ",
	"up": "\x1b[A", "down": "\x1b[B", "right": "\x1b[C", "left": "\x1b[D", "home": "\x1b[H", "end": "\x1b[F",
	"pgup": "\x1b[5~", "pgdown": "\x1b[6~", "shift+left": "\x1b[1;2D", "shift+right": "\x1b[1;2C", "ctrl+_": "\x1f",
}

// bytesOf returns the bytes of a key by its name.
func bytesOf(t *testing.T, name string) string {
	t.Helper()
	if keys, ok := handKeys[name]; ok {
		return keys
	}
	if letter, ok := strings.CutPrefix(name, "ctrl+"); ok && len(letter) == 1 {
		return string(letter[0] & 0x1f)
	}
	if letter, ok := strings.CutPrefix(name, "alt+"); ok && len(letter) == 1 {
		return "\x1b" + letter
	}
	if len(name) != 1 {
		t.Fatalf("unknown key %q", name)
	}
	return name
}

// TestHands types the stories of testdata/hands.txtar into the program. Each step is a line:
//
//	say TEXT     the model's next answer
//	type TEXT    type it and wait until the screen shows it
//	send TEXT    type it, and enter
//	press KEYS   press keys by their names; a step that waits must follow esc
//	paste TEXT   paste it
//	see TEXT     wait until the screen shows it
//	read TEXT    wait until the screen has shown it for a second
//	gone TEXT    wait until the screen does not show it
//	not TEXT     fail if the screen shows it now
//	again        leave the program and start it again
func TestHands(t *testing.T) {
	stories, err := txtar.ParseFile("testdata/hands.txtar")
	must(t, err)
	for _, story := range stories.Files {
		t.Run(story.Name, func(t *testing.T) {
			t.Parallel()
			model := newScripted(t)
			play(t, story, func() *screen { return model.scene(t, 100, 34) },
				func(text string) { model.text(text).done(timing{}) })
		})
	}
}

// inTmux are the stories of testdata/hands.txtar that are also played in tmux.
var inTmux = []string{
	"undo takes back a word at a time", "alt+y brings an older kill", "ctrl+w takes the word before the cursor",
	"a typed letter replaces the selection", "a cleared draft comes back", "esc leaves the search with the draft",
	"an unknown command stays with a suggestion", "letters in order find a command",
}

// TestHandsInTmux types some of the stories, and those of testdata/demo.txtar, into the demo in tmux, which has its own
// ways with keys and with what is drawn.
func TestHandsInTmux(t *testing.T) {
	hands, err := txtar.ParseFile("testdata/hands.txtar")
	must(t, err)
	demo, err := txtar.ParseFile("testdata/demo.txtar")
	must(t, err)
	all := demo.Files
	for _, story := range hands.Files {
		if slices.Contains(inTmux, story.Name) {
			all = append(all, story)
		}
	}
	if len(all) < 12 {
		t.Errorf("only %d stories", len(all))
	}
	for _, story := range all {
		t.Run(story.Name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.removeConfig()
			w.write("tmux.conf", "set -g status off\nset -sg escape-time 20\nset -g default-terminal tmux-256color\n")
			w.write("todo.md", "# Todo\n\n- buy milk\n")
			play(t, story, func() *screen {
				socket := filepath.Join(t.TempDir(), "s")                                         // another one may still end
				t.Cleanup(func() { _ = exec.Command("tmux", "-S", socket, "kill-server").Run() }) // after a failure
				cmd := w.command(t.Context())
				cmd.Args = []string{"tmux", "-S", socket, "-f", filepath.Join(w.home, "tmux.conf"), "new-session",
					parts.aloud, "--demo"}
				cmd.Path, err = exec.LookPath("tmux")
				must(t, err)
				s := w.openTerminal(cmd, 100, 34)
				s.see("Ask anything")
				return s
			}, nil)
		})
	}
}

// play types a story into the program that open starts. say adds an answer of the model; nil for the demo.
func play(t *testing.T, story txtar.File, open func() *screen, say func(text string)) {
	t.Helper()
	s := open()
	for line := range strings.Lines(string(story.Data)) {
		verb, text, _ := strings.Cut(strings.TrimSpace(line), " ")
		switch verb {
		case "say":
			if say != nil {
				say(text)
			}
		case "type":
			s.press(text)
			s.see(text)
		case "send":
			s.enter(text)
		case "press":
			for key := range strings.FieldsSeq(text) {
				s.press(bytesOf(t, key))
			}
		case "paste":
			s.press("\x1b[200~" + text + "\x1b[201~")
		case "see":
			s.see(text)
		case "read":
			s.read(text)
		case "gone":
			s.see("no more "+text, func(screen string) bool { return !strings.Contains(screen, text) })
		case "not":
			s.seeNot(text)
		case "again":
			s.quit()
			s = open()
		case "":
		default:
			t.Fatalf("unknown step %q", line)
		}
	}
	s.quit()
}
