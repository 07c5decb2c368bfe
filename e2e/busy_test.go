//go:build e2e && unix

package e2e

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/aloudchat/aloud/e2e/tinymodel"
)

var busyFor = flag.Duration("busy", time.Minute, "how long BenchmarkBusy measures each case")

// BenchmarkBusy measures the processor time and the bytes sent to the terminal while a tool runs and while the
// program is idle.
//
//	go test -tags e2e ./e2e -run '^$' -bench Busy -benchtime 1x
func BenchmarkBusy(b *testing.B) {
	server := startScriptServer(b, busyScripts()).URL
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

// watchBusyLine measures a screen of twenty lines: idle, then while a tool runs, then without focus.
func watchBusyLine(b *testing.B, server string, size [2]int, above, motion string) {
	w, stage := worldWithStage(b, server)
	w.settings += fmt.Sprintf("status.motion = %q\n", motion)
	w.configure(w.traffic.URL, stage.table())
	s := w.openTerminal(w.command(b.Context()), size[0], size[1])
	s.see("Ask anything")
	s.press("[[" + above + "]] please\r")
	s.see("20 of 20")
	time.Sleep(time.Second)
	idle := s.watch(*busyFor / 6)
	s.press("[[index]] please\r")
	s.see("Index")
	call := stage.call()
	time.Sleep(time.Second)
	busy := s.watch(*busyFor)
	s.press("\x1b[O") // the focus goes to another window
	time.Sleep(time.Second)
	away := s.watch(*busyFor / 6)
	call.end("indexed")
	s.see("It is indexed.")

	for name, used := range map[string]usage{"busy": busy, "idle": idle, "unfocused": away} {
		b.ReportMetric(used.cpu.Seconds()/used.wall.Seconds()*60, name+"-cpu-s/min")
		b.ReportMetric(float64(used.bytes)/used.wall.Seconds(), name+"-B/s")
	}
	b.ReportMetric(0, "ns/op") // the default metric means nothing here
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

// usage is what a program used in a period of time.
type usage struct {
	wall, cpu time.Duration
	bytes     int64 // sent to the terminal
}

// watch measures the usage of the program for a time.
func (s *screen) watch(d time.Duration) usage {
	s.t.Helper()
	began, cpu, bytes := time.Now(), s.cpu(), s.term.Written()
	time.Sleep(d)
	return usage{time.Since(began), s.cpu() - cpu, s.term.Written() - bytes}
}

// cpu returns the processor time of all threads of the program. It works only on Linux; elsewhere it returns 0.
func (s *screen) cpu() (sum time.Duration) {
	s.t.Helper()
	threads, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/schedstat", s.term.Process().Pid))
	if runtime.GOOS == "linux" && (err != nil || len(threads) == 0) {
		s.t.Fatalf("cannot read the processor time: %v", err)
	}
	for _, thread := range threads {
		text, _ := os.ReadFile(thread) // the thread may have ended
		nanoseconds, _, _ := strings.Cut(string(text), " ")
		n, _ := strconv.ParseInt(nanoseconds, 10, 64)
		sum += time.Duration(n)
	}
	return sum
}
