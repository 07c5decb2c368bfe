package screen

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"
	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/vt"
)

// pieces are parts of random rows: text of all widths, styles and links.
var pieces = []string{
	"a", "word ", "  ", "日本", "語", "한글", "🙂", "—", "█", "long text that goes on ", "\x1b[1m", "\x1b[31m", "\x1b[48;5;22m",
	"\x1b[0m",
	"\x1b]8;;https://example.com\x1b\\link\x1b]8;;\x1b\\",
}

// joined are pieces that are wider on terminals that do not join letters. The emulator joins them, except marks after
// ASCII.
var joined = []string{"👍🏽", "👩‍👩‍👧", "é\u0323", "ह\u093f"}

func randomRow(random *rand.Rand, width int, method ansi.Method) string {
	from := pieces
	if method == ansi.GraphemeWidth {
		from = slices.Concat(pieces, joined)
	}
	var b strings.Builder
	for range random.IntN(width/2 + 2) {
		b.WriteString(from[random.IntN(len(from))])
	}
	return method.Truncate(b.String(), width, "") + "\x1b[0m\x1b]8;;\x1b\\"
}

// cells returns the cells of a row as text, with their styles.
func cells(width, y int, at func(x, y int) *uv.Cell) string {
	var b strings.Builder
	for x := 0; x < width; {
		c := at(x, y)
		if c == nil || c.Content == "" {
			c = &uv.EmptyCell
		}
		style := c.Style
		if c.Content == " " {
			style = uv.Style{Bg: style.Bg} // blank cells show only the background
		}
		b.WriteString(style.String())
		b.WriteString(c.Content)
		x += max(1, c.Width)
	}
	return b.String()
}

// TestFrames draws random frames, as changes of the one before, and reads the screen of an emulator.
func TestFrames(t *testing.T) {
	for _, method := range []ansi.Method{ansi.WcWidth, ansi.GraphemeWidth} {
		random := rand.New(rand.NewPCG(1, 2))
		width, height := 40, 12
		emu := vt.NewEmulator(width, height)
		go func() { _, _ = io.Copy(io.Discard, emu) }()
		d, err := newDisplay(Terminal{Out: emu, Width: width, Height: height, Colors: colorprofile.TrueColor,
			Env: []string{"TERM=xterm-256color"}})
		if err != nil {
			t.Fatal(err)
		}
		if err := d.enter(); err != nil {
			t.Fatal(err)
		}
		if method == ansi.GraphemeWidth {
			d.report(tea.ModeReportMsg{Mode: ansi.ModeUnicodeCore, Value: ansi.ModeReset})
			d.report(tea.ModeReportMsg{Mode: ansi.ModeSynchronizedOutput, Value: ansi.ModeReset})
		}
		rows := make([]string, height)
		for n := range 3000 {
			switch random.IntN(20) {
			case 0:
				width, height = 1+random.IntN(60), 1+random.IntN(20)
				emu.Resize(width, height)
				d.resize(width, height)
				rows = make([]string, height)
				fallthrough
			case 1:
				for y := range rows {
					rows[y] = randomRow(random, width, method)
				}
			case 2:
				copy(rows, rows[1:]) // scrolls
			case 3:
				copy(rows[1:], rows)
			default:
				rows[random.IntN(height)] = randomRow(random, width, method)
			}
			d.draw(tea.View{Content: strings.Join(rows, "\n")})
			want := uv.NewScreenBuffer(width, height)
			want.Method = method
			uv.NewStyledString(strings.Join(rows, "\n")).Draw(want, want.Bounds())
			for y := range height {
				if got, want := cells(width, y, emu.CellAt), cells(width, y, want.CellAt); got != want {
					t.Fatalf("width method %d, frame %d of %d by %d, row %d:\n%q\nnot\n%q\nfor %q", method, n, width, height, y, got,
						want, rows[y])
				}
			}
		}
		_ = emu.Close()
	}
}

// page is a model that shows its text and counts the calls of View.
type page struct {
	text  string
	views int
	panic bool
}

type textMsg string

func (p *page) Init() tea.Cmd { return nil }

func (p *page) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	switch msg := msg.(type) {
	case textMsg:
		p.text = string(msg)
	case tea.PasteMsg:
		p.text += "<" + msg.Content + ">"
	case tea.KeyPressMsg:
		if p.panic {
			panic("a fault")
		}
		if msg.Text == "" {
			p.text += "<" + msg.String() + ">"
		}
		p.text += msg.Text
	}
	return p, nil
}

func (p *page) View() tea.View {
	p.views++
	return tea.View{Content: p.text, WindowTitle: "page", MouseMode: tea.MouseModeCellMotion}
}

// output keeps each write.
type output struct {
	mu     sync.Mutex
	writes []string
}

func (o *output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.writes = append(o.writes, string(p))
	return len(p), nil
}

func (o *output) take() []string {
	o.mu.Lock()
	defer o.mu.Unlock()
	writes := o.writes
	o.writes = nil
	return writes
}

// show runs a page in a terminal without colours, on fake time.
func show(t *testing.T, m *page, story func(p *Program, out *output, keys io.Writer)) (err error) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		in, keys := io.Pipe()
		out := &output{}
		ctx, cancel := context.WithCancel(t.Context())
		p := NewProgram(m, Terminal{In: in, Out: out, Width: 20, Height: 3, Colors: colorprofile.ASCII})
		done := make(chan error)
		go func() { done <- p.Run(ctx) }()
		time.Sleep(time.Second)
		synctest.Wait()
		story(p, out, keys)
		synctest.Wait()
		cancel()
		err = <-done
		keys.Close()
		time.Sleep(time.Minute) // goroutines that wait for input end
	})
	return err
}

func TestNothingIsWrittenUnlessTheViewChanges(t *testing.T) {
	m := &page{text: "one"}
	err := show(t, m, func(p *Program, out *output, _ io.Writer) {
		if first := strings.Join(out.take(), ""); !strings.Contains(first, "one") ||
			!strings.HasPrefix(first, ansi.WindowOp(22, windowTitle)+ansi.SetModeAltScreenSaveCursor) {
			t.Errorf("the first frame is %q", first)
		}
		p.Send(textMsg("one"))
		time.Sleep(time.Hour)
		synctest.Wait()
		if more := out.take(); len(more) > 0 {
			t.Errorf("an unchanged view writes %q", more)
		}
		p.Send(textMsg("two"))
		synctest.Wait()
		if now := out.take(); len(now) != 1 || !strings.Contains(now[0], "two") {
			t.Errorf("a change is not drawn at once, in one write: %q", now)
		}
	})
	if !errors.Is(err, tea.ErrProgramKilled) {
		t.Error(err)
	}
}

func TestBurstIsOneFrame(t *testing.T) {
	m := &page{}
	_ = show(t, m, func(p *Program, out *output, _ io.Writer) {
		out.take()
		before := m.views
		for n := range 100 {
			p.Send(textMsg(fmt.Sprint("text ", n)))
		}
		time.Sleep(2 * frameGap)
		synctest.Wait()
		if writes := out.take(); len(writes) != 2 || m.views != before+2 {
			t.Errorf("a hundred messages are %d frames in %d writes", m.views-before, len(writes))
		}
	})
}

func TestKeyDoesNotWaitForFrame(t *testing.T) {
	m := &page{}
	_ = show(t, m, func(p *Program, out *output, keys io.Writer) {
		out.take()
		p.Send(textMsg("some text "))
		for range 100 {
			_, _ = io.WriteString(keys, "x")
		}
		synctest.Wait()
		if writes := out.take(); len(writes) != 2 || !strings.HasSuffix(m.text, "x") {
			t.Errorf("a text and a key are drawn in %d writes before %q", len(writes), m.text)
		}
		time.Sleep(2 * frameGap)
		synctest.Wait()
		if writes := out.take(); len(writes) != 1 {
			t.Errorf("quick keys are drawn in %d writes", len(writes))
		}
	})
}

// The terminal is restored, however the program ends.
func TestTerminalRestored(t *testing.T) {
	restored := ansi.PopKittyKeyboard(1) + leaveModes + ansi.WindowOp(23, windowTitle)
	for name, end := range map[string]func(p *Program, keys io.Writer){
		"quit":    func(p *Program, _ io.Writer) { p.Send(tea.Quit()) },
		"context": func(*Program, io.Writer) {},
		"panic":   func(_ *Program, keys io.Writer) { _, _ = io.WriteString(keys, "x") },
		"panic of work": func(p *Program, _ io.Writer) {
			p.Send(Work(func(context.Context, func(tea.Msg)) { panic("a fault") }))
		},
	} {
		t.Run(name, func(t *testing.T) {
			var out *output
			err := show(t, &page{panic: true}, func(p *Program, o *output, keys io.Writer) {
				out = o
				end(p, keys)
			})
			if wrote := strings.Join(out.take(), ""); !strings.HasSuffix(wrote, ansi.SetWindowTitle("")+mouseOff+restored) {
				t.Errorf("at the end there is %q", wrote)
			}
			if errors.Is(err, tea.ErrProgramPanic) != strings.HasPrefix(name, "panic") || (err == nil) != (name == "quit") {
				t.Errorf("it ends with %v", err)
			}
		})
	}
}

// Each mode that is reset was set, even without a frame in between.
func TestLeaveBeforeAFrame(t *testing.T) {
	out := &output{}
	d, err := newDisplay(Terminal{Out: out, Width: 20, Height: 3, Colors: colorprofile.ASCII})
	if err := errors.Join(err, d.enter(), d.leave()); err != nil {
		t.Fatal(err)
	}
	if wrote := strings.Join(out.take(), ""); !strings.Contains(wrote, enterModes) {
		t.Errorf("it leaves with %q", wrote)
	}
}

// TestRelease runs another program on the normal screen.
func TestRelease(t *testing.T) {
	_ = show(t, &page{text: "one"}, func(p *Program, out *output, _ io.Writer) {
		out.take()
		var before []string
		failed := errors.New("failed")
		p.Send(Release(func() error { before = out.take(); return failed }, func(err error) tea.Msg {
			if !errors.Is(err, failed) {
				t.Errorf("the error is %v", err)
			}
			return nil
		})())
		time.Sleep(time.Second)
		synctest.Wait()
		if !strings.Contains(strings.Join(before, ""), ansi.ResetModeAltScreenSaveCursor) {
			t.Errorf("before, the terminal was sent %q", before)
		}
		if after := strings.Join(out.take(), ""); !bytes.Contains([]byte(after), []byte(ansi.SetModeAltScreenSaveCursor)) ||
			!strings.Contains(after, "one") {
			t.Errorf("after, the terminal was sent %q", after)
		}
	})
}

func TestLinkWithSemicolonIsDrawn(t *testing.T) {
	const address = "https://example.com/a;b=c;d"
	var out bytes.Buffer
	d, err := newDisplay(Terminal{Out: &out, Width: 40, Height: 4, Colors: colorprofile.TrueColor,
		Env: []string{"TERM=xterm-256color"}})
	if err != nil {
		t.Fatal(err)
	}
	d.draw(tea.View{Content: "\x1b]8;;" + address + "\x1b\\link\x1b]8;;\x1b\\"})
	if !strings.Contains(out.String(), "]8;;"+address) {
		t.Errorf("it writes %q", out.String())
	}
}
