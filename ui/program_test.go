package ui

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/vt"

	"github.com/aloudchat/aloud/provider/event"
	"github.com/aloudchat/aloud/provider/providertest"
	"github.com/aloudchat/aloud/session"
	"github.com/aloudchat/aloud/ui/screen"
)

// terminal is the whole program with its renderer, in a terminal emulator on fake time.
type terminal struct {
	t    *testing.T
	emu  *vt.SafeEmulator
	keys *io.PipeWriter
	raw  *record
	prog *screen.Program
	left strings.Builder // output after leaving the screen
	done chan error
	end  func(cause error) // cancels the context of the program
}

// record records the output of the program, and the rows that it wrote.
type record struct {
	mu   sync.Mutex
	all  bytes.Buffer
	next io.Writer
	ghost
}

func (r *record) Write(p []byte) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.all.Write(p)
	r.haunt(p)
	return r.next.Write(p)
}

func (r *record) String() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.all.String()
}

// program runs a story with the program in a terminal.
func program(t *testing.T, width, height int, o Options, story func(term *terminal)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		if o.shell != nil {
			o.shell.Continued = make(chan os.Signal, 1) // synctest needs a channel of this bubble
		}
		emu := vt.NewSafeEmulator(width, height)
		in, keys := io.Pipe()
		ctx, cancel := context.WithCancelCause(t.Context())
		term := &terminal{t: t, end: func(cause error) { cancel(cause); synctest.Wait() }, emu: emu,
			keys: keys, raw: &record{next: emu, ghost: newGhost(width, height)},
			done: make(chan error, 1)}
		go func() { _, _ = io.Copy(keys, emu) }() // replies of the terminal to queries
		go func() {
			term.done <- run(ctx, o, &term.left, screen.Terminal{In: in, Out: term.raw,
				Env:   []string{"TERM=xterm-256color"},
				Width: width, Height: height, Colors: colorprofile.TrueColor}, func(p *screen.Program) { term.prog = p })
		}()
		term.wait(100 * time.Millisecond)
		story(term)
		if err := <-term.done; err != nil {
			t.Error(err)
		}
		keys.Close()
		in.Close()
		emu.Close()
		term.raw.ghost.emu.Close()
		term.wait(time.Hour) // timers of commands expire
		cancel(nil)
	})
}

func (t *terminal) wait(d time.Duration) {
	time.Sleep(d)
	synctest.Wait()
}

func (t *terminal) types(keys string) *terminal {
	io.WriteString(t.keys, keys)
	t.wait(50 * time.Millisecond)
	return t
}

// screen returns the visible text.
func (t *terminal) screen() string {
	t.raw.mu.Lock() // the emulator does not hold its lock while a cell is read
	defer t.raw.mu.Unlock()
	var b strings.Builder
	for y := range t.emu.Height() {
		var row strings.Builder
		for x := range t.emu.Width() {
			switch c := t.emu.CellAt(x, y); {
			case c != nil && c.Content != "":
				row.WriteString(c.Content)
			case c == nil || c.Width > 0:
				row.WriteByte(' ')
			}
		}
		b.WriteString(strings.TrimRight(row.String(), " ") + "\n")
	}
	return b.String()
}

func (t *terminal) sees(texts ...string) {
	t.t.Helper()
	for _, text := range texts {
		if s := t.screen(); !strings.Contains(s, text) {
			t.t.Errorf("the screen does not show %q:\n%s", text, s)
		}
	}
}

func (t *terminal) resize(width, height int) {
	t.stretch(width, height)
	t.learns(width, height)
}

// stretch resizes the window. The program learns of it later.
func (t *terminal) stretch(width, height int) {
	t.raw.mu.Lock()
	defer t.raw.mu.Unlock()
	t.emu.Resize(width, height)
	t.raw.ghost.emu.Resize(width, height)
}

func (t *terminal) learns(width, height int) {
	t.prog.Send(tea.WindowSizeMsg{Width: width, Height: height})
	t.wait(100 * time.Millisecond)
}

const (
	ctrlC = "\x03"
	ctrlD = "\x04"
	esc   = "\x1b"
	enter = "\r"
)

func TestProgram(t *testing.T) {
	words := strings.Fields("the answer comes in many small words so that there is time to change the size " +
		"of the window while it is written down")
	var reply providertest.Reply
	for _, w := range words {
		reply = append(reply, providertest.Step{Wait: 50 * time.Millisecond, Text: w + " "})
	}
	o := with(says(calls("files__delete_file", `{"path":"notes.txt"}`), reply,
		append(chunks(0, "Half"), providertest.Step{Block: true})))
	program(t, 80, 24, o, func(term *terminal) {
		term.sees("aloud 0.1.0", "› Ask anything", "test:8b")
		term.types("delete my notes" + enter).wait(time.Second)
		term.sees("▌ delete my notes", "Waiting for your approval", "Allow this call?")
		term.types("y").wait(500 * time.Millisecond)
		term.sees("Using Delete File…", "esc stops")
		term.wait(time.Second)
		term.sees("✓ Delete File", "the answer comes")
		term.resize(40, 10)
		term.sees("Formulating respon", "› Ask anything")
		term.wait(2 * time.Second)
		term.resize(80, 24)
		term.sees("▌ delete my notes", "while it is written down")

		term.types("\x1b[200~" + strings.Repeat("one of the lines of a paste of 100 kB\r\n", 2700) + "\x1b[201~")
		term.sees("[Pasted text #1 · 2,700 lines]")
		term.types(enter).wait(200 * time.Millisecond)
		term.sees("Half")
		term.types(esc).wait(200 * time.Millisecond)
		term.sees("Stopped by you", "Half", "/continue goes on")

		term.types(ctrlC)
		term.sees("Press ctrl+c again to quit")
		term.types(ctrlC).wait(time.Second)
		if got := term.left.String(); !strings.Contains(got, "delete my notes") || !strings.Contains(got, "Half") {
			t.Errorf("on leaving there is printed:\n%s", got)
		}
	})
}

// A question is saved even if the keys that quit were waiting behind it.
func TestQuitRightAfterQuestion(t *testing.T) {
	o := with(says(chunks(0, "Hello.")))
	o.Recorder = session.Open(t.TempDir()).New()
	program(t, 80, 24, o, func(term *terminal) {
		term.types("hi" + enter + ctrlD).wait(time.Second)
		for _, want := range []string{"▌ hi", "■ Stopped by you", "aloud --resume"} {
			if got := ansi.Strip(term.left.String()); !strings.Contains(got, want) {
				t.Errorf("on leaving, %q is not printed:\n%s", want, got)
			}
		}
	})
}

func TestProgramStoppedBySignal(t *testing.T) {
	o := with(says(append(chunks(0, "Half"), providertest.Step{Block: true})))
	program(t, 80, 24, o, func(term *terminal) {
		term.types("hi" + enter).wait(time.Second)
		term.sees("Half")
		term.end(event.BySignal)
		if got := term.left.String(); !strings.Contains(got, "■ Stopped by a signal") {
			t.Errorf("on leaving there is printed:\n%s", got)
		}
	})
}

// Output before the program learns of a larger window sets the scrolling region of the smaller one.
func TestProgramScrollsWhileTheWindowGrows(t *testing.T) {
	var reply providertest.Reply
	for i := range 200 {
		reply = append(reply, providertest.Step{Wait: 20 * time.Millisecond,
			Text: fmt.Sprintf("- line %d of the answer\n", i)})
	}
	program(t, 80, 24, with(says(reply)), func(term *terminal) {
		term.types("hi" + enter).wait(time.Second)
		term.sees("of the answer", "› Ask anything")
		term.stretch(100, 40)
		term.wait(200 * time.Millisecond)
		term.learns(100, 40)
		if rows := strings.Split(term.screen(), "\n"); !strings.Contains(rows[38], "› Ask anything") ||
			!strings.Contains(rows[39], "test:8b") {
			t.Errorf("the prompt is not at the bottom:\n%s", term.screen())
		}
		term.leave()
	})
}

// The text printed on leaving shows where the turn stopped, on screens of all sizes.
func TestLeavingInTheMiddle(t *testing.T) {
	for _, c := range []struct {
		width, height int
		reply         providertest.Reply
		want          string
	}{
		{80, 20, append(chunks(0, "Half"), providertest.Step{Block: true}), "Half\n\n  ■ Stopped by you"},
		{80, 20, calls("files__read_file", `{"path":"notes.txt"}`), callRow("– Read File     notes.txt", "stopped", 80)},
		{20, 5, append(chunks(0, "Half"), providertest.Step{Block: true}), "Half"},
		{10, 3, append(chunks(0, "Half"), providertest.Step{Block: true}), "Half"},
		{1, 1, calls("files__read_file", `{}`), ""},
	} {
		o := with(says(c.reply))
		o.Tools.(*toolbox).takes = time.Hour
		program(t, c.width, c.height, o, func(term *terminal) {
			term.types("hi" + enter).wait(time.Second)
			if c.width >= 10 {
				term.sees("›")
			}
			term.leave()
			if got := ansi.Strip(term.left.String()); !strings.Contains(got, c.want) {
				t.Errorf("%d by %d: on the normal screen stays %q, without %q", c.width, c.height, got, c.want)
			}
		})
	}
}

// Text from a model, a tool or a server reaches the terminal only as text, colours and links.
func TestProgramAgainstAttacks(t *testing.T) {
	attack := "A\x1b]0;owned\x07B\x1b[2JC\u009b31mD\x1b]52;c;b3duZWQ=\x07E\u202eF\rG&#27;[2JH\x1b]8;;file:///etc\x1b\\I"
	reply := chunks(10*time.Millisecond, strings.Split(attack, "")...)
	reply = append(reply, providertest.Step{Thinking: attack})
	arguments, err := json.Marshal(map[string]string{attack: attack})
	if err != nil {
		t.Fatal(err)
	}
	o := with(says(append(reply, calls("evil__tool", string(arguments))...), chunks(0, attack)))
	tools := o.Tools.(*toolbox)
	evil := &tools.tools[0]
	evil.Name, evil.Title, evil.Server, evil.ReadOnly = "evil__tool", attack, attack, false
	o.Chat.Name = "model" + attack
	program(t, 100, 30, o, func(term *terminal) {
		term.types("hi" + enter).wait(2 * time.Second)
		term.sees("Allow this call?")
		term.types("y").wait(3 * time.Second)
		term.types("/tools" + enter + esc).wait(time.Second)
		term.types(ctrlC + ctrlC).wait(time.Second)
		raw := term.raw.String() + term.left.String()
		for _, bad := range []string{"\x1b]0;", "\x1b]2;owned", "\x1b]52", "\u009b", "\u202e", "\x1b]8;;file", "\x1b[31m",
			"\x1b]12;"} {
			if i := strings.Index(raw, bad); i >= 0 {
				t.Errorf("the terminal was sent %q in %q", bad, raw[max(0, i-40):min(len(raw), i+40)])
			}
		}
		// The program clears the screen only when it begins and ends.
		if n := strings.Count(term.raw.String(), "\x1b[2J"); n > 2 {
			t.Errorf("the screen was cleared %d times", n)
		}
	})
}

func TestDrawnAfterFirstFrame(t *testing.T) {
	o, drawn := with(says()), 0
	o.Drawn = func() { drawn++ }
	program(t, 80, 24, o, func(term *terminal) {
		term.sees("Ask anything")
		if drawn != 1 {
			t.Errorf("Drawn was called %d times with the first frame", drawn)
		}
		term.resize(90, 24)
		term.types("\x04")
	})
	if drawn != 1 {
		t.Errorf("Drawn was called %d times in all", drawn)
	}
}
