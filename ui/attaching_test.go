package ui

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/aloudchat/aloud/mcpclient"
	"github.com/aloudchat/aloud/mcpclient/builtin"
	"github.com/aloudchat/aloud/provider"
	"github.com/aloudchat/aloud/provider/attach"
	"github.com/aloudchat/aloud/provider/providertest"
)

// inFolder returns the options of a chat in a folder with these files.
func inFolder(t *testing.T, model provider.Model, files map[string]string) (o Options, dir string) {
	t.Helper()
	dir = filepath.Join(t.TempDir(), "here")
	files["todo.md"] = "buy milk\n"
	for name, text := range files {
		name = filepath.Join(dir, filepath.FromSlash(name))
		if err := errors.Join(os.MkdirAll(filepath.Dir(name), 0o700), os.WriteFile(name, []byte(text), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	folder, err := builtin.OpenFolder(builtin.Options{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { folder.Close() })
	o = with(model)
	o.Files = folder
	return o, dir
}

// sent returns the last message that the model read.
func sent(t *testing.T, model *providertest.Script) string {
	t.Helper()
	requests := model.Requests()
	if len(requests) == 0 {
		t.Fatal("nothing was sent")
	}
	messages := requests[len(requests)-1].Messages
	return messages[len(messages)-1].Text
}

func TestAttachFile(t *testing.T) {
	model := says(chunks(0, "Milk."), chunks(0, "Two."))
	o, dir := inFolder(t, model, map[string]string{"src/main.go": "one\ntwo\nthree\n", "two words.md": "x", ".hidden": "x",
		"skip.log": "x", ".gitignore": "*.log\n"})
	drive(t, 80, 24, o, func(d *driver) {
		d.sees("/ commands · @ files")
		d.typeText("what is in @").wait(100 * time.Millisecond)
		d.sees("› @src/", `@"two words.md"`, "@src/main.go", "1 of 4 · tab completes")
		d.seesNot("hidden", "skip.log")
		d.typeText("tdo").wait(100 * time.Millisecond)
		d.press("enter").wait(100 * time.Millisecond)
		d.sees("› what is in @todo.md", "  @todo.md about 31 tok · room for 13.1k more")
		if err := os.WriteFile(filepath.Join(dir, "todo.md"), []byte("buy bread\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		d.press("enter").wait(2 * time.Second)
		d.sees("▌ what is in @todo.md\n▌ @todo.md · about 31 tok", "Milk.")
		if got := sent(t, model); !strings.Contains(got, "Attached: @todo.md.") || !strings.Contains(got, "buy bread") {
			t.Errorf("sent %q", got)
		}
		d.typeText("and @src/main.go:2 or @\"two words.md\"").wait(100 * time.Millisecond)
		d.golden("attach")
		d.press("enter").wait(2 * time.Second)
		d.sees("▌ @src/main.go:2 · about", "▌ @two words.md · about", "Two.")
		d.seesNot("room for")
		if got := sent(t, model); !strings.Contains(got, "```\ntwo\n```") || strings.Contains(got, "three") {
			t.Errorf("sent %q", got)
		}
		d.typeText("@.h").wait(100 * time.Millisecond)
		d.sees("› @.hidden")
	})
}

func TestWordThatNamesNoFileIsText(t *testing.T) {
	model := says(chunks(0, "Fine."))
	o, _ := inFolder(t, model, map[string]string{})
	drive(t, 80, 24, o, func(d *driver) {
		d.typeText("ask @bob\n").wait(2 * time.Second)
		d.sees("▌ ask @bob", "Fine.")
		if got := sent(t, model); got != "ask @bob" {
			t.Errorf("sent %q", got)
		}
	})
}

func TestPastedMentionIsText(t *testing.T) {
	model := says(chunks(0, "Fine."))
	o, _ := inFolder(t, model, map[string]string{})
	drive(t, 80, 24, o, func(d *driver) {
		d.typeText("read ")
		d.send(tea.PasteMsg{Content: "it in @todo.md"})
		d.wait(100 * time.Millisecond)
		d.seesNot("room for")
		d.press("enter").wait(2 * time.Second)
		if got := sent(t, model); got != "read it in @todo.md" {
			t.Errorf("sent %q", got)
		}
	})
}

func TestFileThatDoesNotFitIsNotSent(t *testing.T) {
	model := says(chunks(0, "Fine."))
	o, _ := inFolder(t, model, map[string]string{"big.log": strings.Repeat("line\n", 100_000), "x.zip": "PK\x03\x04\x00"})
	drive(t, 80, 24, o, func(d *driver) {
		d.typeText("why @big.log ").wait(100 * time.Millisecond)
		d.golden("attach-too-large")
		d.press("enter").wait(2 * time.Second)
		d.sees("! The attachments have about 143k tokens, but only about 13.1k fit.", "› why @big.log")
		d.clear()
		d.typeText("why @big.log:1-10 ").wait(100 * time.Millisecond)
		d.sees("@big.log:1-10 about ")
		d.clear()
		d.typeText("what @x.zip ").wait(100 * time.Millisecond)
		d.sees(`! Cannot attach @x.zip: "x.zip" is not text (application/zip)`)
		d.press("enter").wait(2 * time.Second)
		d.sees("› what @x.zip")
		if n := len(model.Requests()); n > 0 {
			t.Errorf("%d requests", n)
		}
	})
}

func TestSecretAndOutsideFilesAreAskedFor(t *testing.T) {
	model := says(chunks(0, "Fine."))
	o, dir := inFolder(t, model, map[string]string{".env": "KEY=1", "../out.txt": "outside"})
	real, err := filepath.EvalSymlinks(filepath.Dir(dir))
	if err != nil {
		t.Fatal(err)
	}
	drive(t, 200, 24, o, func(d *driver) {
		d.typeText("compare @.env with @../out.txt ").wait(100 * time.Millisecond)
		d.sees(string(filepath.Separator)+".env asks first", string(filepath.Separator)+"out.txt asks first", "room for ")
		d.press("enter").wait(time.Second)
		d.sees(filepath.Join(real, "here", ".env"), "It usually holds secrets.", "y to attach and send")
		d.press("esc").wait(2 * time.Second)
		d.sees("› compare @.env with @../out.txt")
		d.press("enter").wait(2 * time.Second)
		d.press("y").wait(2 * time.Second)
		d.sees(filepath.Join(real, "out.txt"), "It is outside the current folder.")
		if n := len(model.Requests()); n > 0 {
			t.Fatalf("%d requests before you agreed", n)
		}
		d.press("y").wait(2 * time.Second)
		d.sees("Fine.", "@"+filepath.Join(real, "out.txt")+" · about")
		if got := sent(t, model); !strings.Contains(got, "KEY=1") || !strings.Contains(got, "outside") {
			t.Errorf("sent %q", got)
		}
	})
}

func TestListOfFilesGrowsWhileYouChoose(t *testing.T) {
	o, _ := inFolder(t, says(), map[string]string{"a/two.md": "", "b/to/deep.md": ""})
	drive(t, 80, 24, o, func(d *driver) {
		d.typeText("@to").wait(100 * time.Millisecond)
		d.press("down")
		d.sees("› @b/to/\n")
		d.send(filesMsg{list: d.m.attaching.lists, names: []string{"to.md", "tomorrow.md"}})
		d.sees("› @b/to/\n", "@to.md", "@tomorrow.md")
		d.send(filesMsg{list: d.m.attaching.lists - 1, first: true, names: []string{"old.md"}})
		d.sees("@to.md")
	})
}

func TestAttachedRowFitsEverySize(t *testing.T) {
	o, _ := inFolder(t, says(), map[string]string{"src/main.go": "x", "a long name of a file \u202e.md": "x"})
	for _, size := range [][2]int{{1, 1}, {20, 5}, {40, 15}, {200, 50}} {
		drive(t, size[0], size[1], o, func(d *driver) {
			d.typeText(`see @todo.md @src/ @src/main.go @"a long name`).wait(100 * time.Millisecond)
			for row := range strings.Lines(d.screen()) {
				if len([]rune(strings.TrimSpace(row))) > size[0] || strings.Contains(row, "\u202e") {
					t.Errorf("%v: %q", size, row)
				}
			}
			if size[0] == 40 {
				d.sees("  3 files about ")
			}
		})
	}
}

func TestFileWhoseNameBeginsWithTheTypedTextComesFirst(t *testing.T) {
	o, _ := inFolder(t, says(), map[string]string{"src/deep/Main.go": "", "a/domain": ""})
	drive(t, 80, 24, o, func(d *driver) {
		d.typeText("@m").wait(100 * time.Millisecond)
		d.sees("› @src/deep/Main.go\n  @todo.md\n  @a/domain\n")
	})
}

func TestResourceOfTheFolderIsListedAfterItsServer(t *testing.T) {
	o, dir := inFolder(t, says(), map[string]string{})
	f := newFair()
	uri := (&url.URL{Scheme: "file", Path: "/" + strings.TrimPrefix(filepath.ToSlash(dir), "/") + "/todo.md"}).String()
	f.resources = []mcpclient.Resource{{Server: "files", URI: uri, Name: "todo.md"}, {Server: "files", URI: "demo://todo"}}
	o.Offers = f
	drive(t, 200, 24, o, func(d *driver) {
		d.typeText("@todo").wait(100 * time.Millisecond)
		d.sees("@todo.md", "@files:demo://todo")
		d.seesNot("@files:file://")
		d.typeText(" @files:todo").wait(100 * time.Millisecond)
		d.sees("@files:file://")
	})
}

// endless is a folder with files that take forever to read.
type endless struct {
	attach.Files
	reading *atomic.Int32
}

func (s endless) Read(ctx context.Context, _ string, _, _ int) (string, []byte, error) {
	s.reading.Add(1)
	defer s.reading.Add(-1)
	<-ctx.Done()
	return "", nil, ctx.Err()
}

func TestFileThatIsNoLongerMentionedIsNotRead(t *testing.T) {
	o, _ := inFolder(t, says(), map[string]string{})
	var reading atomic.Int32
	o.Files = endless{o.Files, &reading}
	drive(t, 80, 24, o, func(d *driver) {
		d.typeText("see @todo.md:1234").wait(second)
		if n := reading.Load(); n != 1 {
			t.Errorf("%d are being read", n)
		}
		d.clear()
		d.wait(second)
		if n := reading.Load(); n != 0 {
			t.Errorf("%d are being read for an empty draft", n)
		}
		d.seesNot("ontext canceled")
	})
}

// Some systems put narrow spaces into the names of screenshots.
func TestFileWithOtherSpacesIsCompletedInQuotes(t *testing.T) {
	model := says(chunks(0, "Fine."))
	o, _ := inFolder(t, model, map[string]string{"at\u202f9.txt": "nine"})
	drive(t, 80, 24, o, func(d *driver) {
		d.typeText("see @at").wait(100 * time.Millisecond)
		d.press("tab").wait(100 * time.Millisecond)
		d.press("enter").wait(second)
		if got := sent(t, model); !strings.Contains(got, "nine") {
			t.Errorf("sent %q", got)
		}
	})
}

func TestFullContextHasNoRoom(t *testing.T) {
	o, _ := inFolder(t, says(), map[string]string{})
	drive(t, 80, 24, o, func(d *driver) {
		d.m.footer.fill.Tokens = 32_760
		d.typeText("see @todo.md ").wait(100 * time.Millisecond)
		d.sees("@todo.md about 31 tok · room for 0 more")
	})
}

func BenchmarkMentionIn100000Files(b *testing.B) {
	o := with(says())
	m := newModel(o)
	m.Update(tea.WindowSizeMsg{Width: 80, Height: 24})
	names := make([]string, 100_000)
	for i := range names {
		names[i] = fmt.Sprintf("internal/package%d/file_%d_test.go", i%100, i)
	}
	m.prompt.AddFiles(names, true)
	for b.Loop() {
		for _, key := range []string{"@", "p", "k", "f", "7", "1"} {
			m.Update(keyPress(key))
			m.View()
		}
		m.prompt.Clear()
	}
}
