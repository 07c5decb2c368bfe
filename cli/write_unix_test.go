//go:build unix

package cli_test

import (
	"bytes"
	"context"
	"fmt"
	"image"
	"image/png"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/aloudchat/aloud/e2e/terminal"
)

// A desk is a terminal with the chat in it, and a home with programs.
type desk struct {
	*testing.T
	*terminal.Terminal
	home string
}

// sit starts the chat with the demo model, the programs, which are shell scripts, and the variables. "~" is the home.
func sit(t *testing.T, programs map[string]string, variables ...string) *desk {
	t.Helper()
	home := t.TempDir()
	temporary := filepath.Join(home, "tmp")
	for _, dir := range []string{"my bin", "tmp"} {
		if err := os.Mkdir(filepath.Join(home, dir), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	for name, script := range programs {
		file := filepath.Join(home, "my bin", name)
		if err := os.WriteFile(file, []byte("#!/bin/sh\n"+script+"\n"), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.Command("aloud", "--demo")
	cmd.Dir = home
	cmd.Env = []string{"HOME=" + home, "TMPDIR=" + temporary, "TERM=xterm-256color",
		"PATH=" + filepath.Join(home, "my bin") + ":" + os.Getenv("PATH")}
	for _, v := range variables {
		cmd.Env = append(cmd.Env, strings.ReplaceAll(v, "~", home))
	}
	term, err := terminal.Start(cmd, 80, 24)
	if err != nil {
		t.Fatal(err)
	}
	d := &desk{t, term, home}
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		defer cancel()
		term.Close(ctx)
		if left, err := os.ReadDir(temporary); err != nil || len(left) > 0 {
			t.Errorf("temporary files are left: %v, %v", left, err)
		}
	})
	d.sees("Ask anything")
	return d
}

func (d *desk) types(keys string) {
	d.Helper()
	if err := d.Type(keys); err != nil {
		d.Fatal(err)
	}
}

// sees waits until the screen shows all texts.
func (d *desk) sees(texts ...string) {
	d.Helper()
	ctx, cancel := context.WithTimeout(d.Context(), time.Minute)
	defer cancel()
	for _, text := range texts {
		if screen, ok := d.WaitFor(ctx, func(s string) bool { return strings.Contains(s, text) }); !ok {
			d.Fatalf("the screen does not show %q:\n%s", text, screen)
		}
	}
}

// file returns a file of the home.
func (d *desk) file(name string) string {
	d.Helper()
	data, err := os.ReadFile(filepath.Join(d.home, name))
	if err != nil {
		d.Fatal(err)
	}
	return string(data)
}

const (
	undo   = "\x1f" // ctrl+_
	pasted = "\x1b[200~"
	over   = "\x1b[201~"
)

func TestEditorChangesDraftInOneStep(t *testing.T) {
	d := sit(t, map[string]string{"pad": `test "$1" = --wait || exit 9
ls -l "$2" | cut -c 1-10 >~/mode; basename "$2" >~/name; cat "$2" >~/draft
printf 'A plan\nfor Friday\n' >"$2"`}, `VISUAL="~/my bin/pad" --wait`, "EDITOR=false")
	d.types("a plan\x07")
	d.sees("› A plan\n", "  for Friday\n")
	if got := d.file("mode") + d.file("name") + d.file("draft"); got != "-rw-------\ndraft.md\na plan" {
		t.Errorf("the editor got %q", got)
	}
	d.types(undo)
	d.sees("› a plan\n")
}

func TestEditorByChordOfReadline(t *testing.T) {
	d := sit(t, map[string]string{"pad": `printf '!' >>"$1"`}, "EDITOR=pad")
	d.types("one\x18etwo\x18\x05")
	d.sees("› onetwo!\n")
}

func TestFailedEditorLeavesDraft(t *testing.T) {
	for editor, why := range map[string]string{
		"gone --wait":  `there is no editor "gone --wait": set EDITOR to yours`,
		`pad "open`:    `there is no editor "pad \"open": set EDITOR to yours`,
		"pad exit 3 #": "pad failed: exit status 3 · your draft is unchanged",
		`pad ": >"`:    "pad left no text · your draft is unchanged",
		`pad "rm"`:     "pad left no text · your draft is unchanged",
		"pad kill $$":  "pad failed: signal: terminated · your draft is unchanged",
	} {
		t.Run(editor, func(t *testing.T) {
			d := sit(t, map[string]string{"pad": `eval "$* "`}, "EDITOR="+editor)
			d.types("a plan\x07")
			d.sees(why, "› a plan\n")
		})
	}
}

func TestEditorKeepsPastes(t *testing.T) {
	d := sit(t, map[string]string{"pad": `cat "$1" >~/draft; sed -i -e 's/^/Explain /' "$1"`}, "EDITOR=pad")
	d.types(pasted + strings.Repeat("a line of a log\r", 30) + over + "\x07")
	d.sees("› Explain [Pasted text #1 · 30 lines]\n")
	if got := d.file("draft"); got != "[Pasted text #1 · 30 lines]" {
		t.Errorf("the editor got %q", got)
	}
	d.types("\r")
	d.sees("▌ Explain a line of a log\n")
}

func TestTurnGoesOnWhileEditorRuns(t *testing.T) {
	d := sit(t, map[string]string{"pad": `until grep -qs '"stop"' ~/.local/state/aloud/sessions/*; do sleep 0.1; done
printf 'after that' >"$1"`}, "EDITOR=pad")
	d.types("hello\r")
	d.sees("▌ hello")
	d.types("next\x07")
	d.sees("› after that\n", "✓")
}

// ctrl+c in a program that reads no keys itself is a signal for all programs in the terminal.
func TestInterruptedEditorLeavesDraft(t *testing.T) {
	d := sit(t, map[string]string{"pad": `echo waiting; exec cat`}, "EDITOR=pad")
	d.types("a plan\x07")
	d.sees("waiting")
	d.types("\x03")
	d.sees("pad failed: signal: interrupt · your draft is unchanged", "› a plan\n")
}

// paint writes an image of some pixels into the home, and returns how a draft describes it.
func (d *desk) paint(name string, side int) (about string) {
	d.Helper()
	var b bytes.Buffer
	if err := png.Encode(&b, image.NewGray(image.Rect(0, 0, side, side))); err != nil {
		d.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(d.home, name), b.Bytes(), 0o600); err != nil {
		d.Fatal(err)
	}
	return fmt.Sprintf("%s %d bytes]", name, b.Len())
}

// drops pastes a text, in which "~" is the home, as a terminal does for files that you drop on it.
func (d *desk) drops(text string) {
	d.Helper()
	d.types(pasted + strings.ReplaceAll(text, "~", d.home) + over)
}

func TestDroppedImageIsSentWithMessage(t *testing.T) {
	d := sit(t, nil)
	photo := d.paint("my photo.PNG", 3)
	d.types("see ")
	d.drops(`'~/my photo.PNG' `)
	d.sees("› see [image 1: " + photo)
	d.types("what is it?\r")
	d.sees("▌ see [image 1: "+photo+" what is it?\n", "PNG image · 3×3 · ", "✓")
}

func TestDroppedImageIsDeletedAsWhole(t *testing.T) {
	d := sit(t, nil)
	about := d.paint("a.png", 2)
	d.types("see ")
	d.drops(`~/a.png`)
	d.sees("› see [image 1: " + about)
	d.types("\x7f\x7f")
	d.sees("› see\n")
	d.types(undo)
	d.sees("› see [image 1: " + about)
}

func TestSeveralDroppedImages(t *testing.T) {
	d := sit(t, nil)
	a, c := d.paint("a.png", 2), d.paint("c d.jpeg", 3) // the content counts
	d.drops(`~/a.png file://~/c%20d.jpeg` + "\r" + `~/c\ d.jpeg "~/a.png"`)
	d.sees("› [image 1: "+a+" [image 2: "+c+" [image 3: ", " [image 4: "+a+"\n")
}

func TestDroppedFileThatIsNoImageIsText(t *testing.T) {
	d := sit(t, nil)
	if err := os.WriteFile(filepath.Join(d.home, "a.png"), []byte("text"), 0o600); err != nil {
		t.Fatal(err)
	}
	d.drops(`~/a.png`)
	d.sees(`cannot attach "a.png": it is not a PNG, JPEG, GIF or WebP image`, "› "+d.home[:20])
	d.types(" and ")
	d.drops("/srv/none.png")
	d.sees("/srv/none.png\n")
}

func TestImageFromClipboard(t *testing.T) {
	d := sit(t, map[string]string{"wl-paste": "exit 1", "xclip": "exec cat ~/clipboard"})
	d.types("\x16")
	d.sees("no image in the clipboard")
	about := d.paint("clipboard", 4)
	d.types("see \x1bv")
	d.sees("› see [image 1: " + about)
}

func TestEditorKeepsImages(t *testing.T) {
	d := sit(t, map[string]string{"pad": `sed -i -e 's/^/What is /; s/$/?/' "$1"`}, "EDITOR=pad")
	about := d.paint("a.png", 2)
	d.drops("~/a.png")
	d.sees("› [image 1: " + about)
	d.types("\x07")
	d.sees("› What is [image 1: " + about + " ?\n")
	d.types("\r")
	d.sees("PNG image · 2×2")
}
