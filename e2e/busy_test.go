//go:build e2e && unix

package e2e

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/charmbracelet/x/vt"
	"github.com/creack/pty"

	"github.com/aloudchat/aloud/e2e/tinymodel"
)

var busyFor = flag.Duration("busy", time.Minute, "how long BenchmarkBusy looks at each line of its table")

// BenchmarkBusy tells what the line costs while a tool runs, and what the program costs when nothing happens: CPU time and bytes for the terminal.
//
//	go test -tags e2e ./e2e -run '^$' -bench Busy -benchtime 1x
func BenchmarkBusy(b *testing.B) {
	server := serverWith(b, busyScripts()).URL
	for _, size := range [][2]int{{80, 24}, {200, 60}} {
		for _, above := range []string{"latin", "chinese"} {
			for _, motion := range []string{"full", "reduced", "none"} {
				b.Run(fmt.Sprintf("%dx%d/%s/%s", size[0], size[1], above, motion), func(b *testing.B) {
					for range b.N {
						watchBusyLine(b, server, size, above, motion)
					}
				})
			}
		}
	}
}

// watchBusyLine has twenty lines on the screen, then a tool that does not end, and looks away from the window for the last part.
func watchBusyLine(b *testing.B, server string, size [2]int, above, motion string) {
	stage := newStage(b, b.TempDir())
	m := startMeter(b, stage.command(b, server, "status.motion = \""+motion+"\"\n"), size[0], size[1])
	m.see("Ask anything")
	m.press("[[" + above + "]] please\r")
	m.see("20 of 20")
	time.Sleep(time.Second)
	idle := m.watch(*busyFor / 6)
	m.press("[[index]] please\r")
	m.see("Index")
	call := stage.call()
	time.Sleep(time.Second)
	busy := m.watch(*busyFor)
	m.press("\x1b[O") // the focus goes to another window
	time.Sleep(time.Second)
	away := m.watch(*busyFor / 6)
	call.end("indexed")
	m.see("It is indexed.")

	for name, used := range map[string]usage{"busy": busy, "idle": idle, "unfocused": away} {
		b.ReportMetric(used.cpu.Seconds()/used.wall.Seconds()*60, name+"-cpu-s/min")
		b.ReportMetric(float64(used.bytes)/used.wall.Seconds(), name+"-B/s")
	}
	b.ReportMetric(0, "ns/op") // says nothing
}

func busyScripts() map[string]tinymodel.Script {
	var latin, chinese strings.Builder
	for n := 1; n < 20; n++ {
		fmt.Fprintf(&latin, "%d. Line number %d of the long list of items.\n", n, n)
		fmt.Fprintf(&chinese, "%d. 这是第%d行文字，写得比较长一些，这样屏幕上就有很多宽字符。\n", n, n)
	}
	scripts := stageScripts()
	scripts["latin"] = tinymodel.Script{{Text: latin.String() + "20. And 20 of 20.\n"}}
	scripts["chinese"] = tinymodel.Script{{Text: chinese.String() + "20. 最后一行, 20 of 20.\n"}}
	return scripts
}

// usage is what a program used in a while.
type usage struct {
	wall, cpu time.Duration
	bytes     int64 // that it sent to the terminal
}

// A meter is a terminal that counts what it is sent.
type meter struct {
	t      testing.TB
	cmd    *exec.Cmd
	master *os.File

	mu      sync.Mutex
	screen  *vt.Emulator
	sent    int64
	changed chan struct{} // closed at the next output
}

func startMeter(t testing.TB, cmd *exec.Cmd, width, height int) *meter {
	t.Helper()
	master, err := pty.StartWithSize(cmd, &pty.Winsize{Cols: uint16(width), Rows: uint16(height)})
	if err != nil {
		t.Fatal(err)
	}
	m := &meter{t: t, cmd: cmd, master: master, screen: vt.NewEmulator(width, height), changed: make(chan struct{})}
	var done sync.WaitGroup
	done.Go(m.show)
	done.Go(func() { _, _ = io.Copy(master, m.screen) }) // ends when the screen is closed
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		master.Close()
		if answers, ok := m.screen.InputPipe().(io.Closer); ok {
			answers.Close()
		}
		done.Wait()
	})
	return m
}

// show keeps the screen up to date. It says of itself that it can take a frame at once, as most terminals do.
func (m *meter) show() {
	buf := make([]byte, 64<<10)
	for {
		n, err := m.master.Read(buf)
		m.mu.Lock()
		m.sent += int64(n)
		_, _ = m.screen.Write(buf[:n])
		close(m.changed)
		m.changed = make(chan struct{})
		m.mu.Unlock()
		if err != nil {
			return
		}
		if bytes.Contains(buf[:n], []byte("\x1b[?2026$p")) {
			m.press("\x1b[?2026;2$y")
		}
	}
}

func (m *meter) press(keys string) {
	if _, err := io.WriteString(m.master, keys); err != nil {
		m.t.Error(err)
	}
}

func (m *meter) text() string {
	var b strings.Builder
	for y := range m.screen.Height() {
		for x := range m.screen.Width() {
			if c := m.screen.CellAt(x, y); c != nil && c.Content != "" {
				b.WriteString(c.Content)
			} else if c == nil || c.Width != 0 {
				b.WriteByte(' ')
			}
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// see waits until the screen shows words.
func (m *meter) see(words string) string {
	m.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	for {
		m.mu.Lock()
		screen, changed := m.text(), m.changed
		m.mu.Unlock()
		if strings.Contains(screen, words) {
			return screen
		}
		select {
		case <-changed:
		case <-ctx.Done():
			m.t.Fatalf("the screen does not show %q:\n%s", words, screen)
		}
	}
}

// watch looks for a while at what the program uses.
func (m *meter) watch(d time.Duration) usage {
	m.t.Helper()
	began, cpu, bytes := time.Now(), m.cpu(), m.bytes()
	time.Sleep(d)
	return usage{time.Since(began), m.cpu() - cpu, m.bytes() - bytes}
}

func (m *meter) bytes() int64 {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.sent
}

// cpu is the time that the program has computed so far, in all its threads.
func (m *meter) cpu() (sum time.Duration) {
	m.t.Helper()
	threads, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/schedstat", m.cmd.Process.Pid))
	if runtime.GOOS == "linux" && (err != nil || len(threads) == 0) { // elsewhere nothing tells how much a running program has computed
		m.t.Fatalf("nothing tells how much the program has computed: %v", err)
	}
	for _, thread := range threads {
		text, _ := os.ReadFile(thread) // a thread may end
		nanoseconds, _, _ := strings.Cut(string(text), " ")
		n, _ := strconv.ParseInt(nanoseconds, 10, 64)
		sum += time.Duration(n)
	}
	return sum
}
