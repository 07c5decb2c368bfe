//go:build e2e && unix

package e2e

import (
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
//	again        leave the program and start it anew
func TestHands(t *testing.T) {
	stories, err := txtar.ParseFile("testdata/hands.txtar")
	must(t, err)
	for _, story := range stories.Files {
		t.Run(story.Name, func(t *testing.T) {
			t.Parallel()
			model := newScripted(t)
			s := model.scene(t, 100, 34)
			for line := range strings.Lines(string(story.Data)) {
				verb, text, _ := strings.Cut(strings.TrimSpace(line), " ")
				switch verb {
				case "say":
					model.text(text).done(timing{})
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
					s = model.scene(t, 100, 34)
				case "", "#":
				default:
					t.Fatalf("unknown step %q", line)
				}
			}
			s.quit()
		})
	}
}
