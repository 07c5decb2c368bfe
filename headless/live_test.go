package headless_test

import (
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aloudchat/aloud/headless"
	"github.com/aloudchat/aloud/mcpclient"
	"github.com/aloudchat/aloud/provider"
	"github.com/aloudchat/aloud/provider/loop"
	"github.com/aloudchat/aloud/provider/providertest"
	"github.com/aloudchat/aloud/status"
)

// screen is a terminal of one column of lines. It supports only the escape sequences that the live line uses, and
// rejects all others.
type screen struct {
	t      *testing.T
	mu     sync.Mutex
	lines  []string // above the current line
	line   []rune
	at     int // column of the cursor
	bytes  int
	writes []string
}

func (s *screen) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.bytes += len(p)
	s.writes = append(s.writes, string(p))
	for text := string(p); text != ""; {
		switch {
		case strings.HasPrefix(text, "\x1b[K"), strings.HasPrefix(text, "\x1b[J"):
			s.line, text = s.line[:min(s.at, len(s.line))], text[3:]
			continue
		case strings.HasPrefix(text, "\x1b[2m"):
			text = text[4:]
			continue
		case strings.HasPrefix(text, "\x1b[22m"):
			text = text[5:]
			continue
		case text[0] == '\x1b':
			s.t.Errorf("an escape sequence that no terminal was promised: %q", text)
		}
		r := []rune(text)[0]
		text = text[len(string(r)):]
		switch r {
		case '\r':
			s.at = 0
		case '\n':
			s.lines, s.line, s.at = append(s.lines, string(s.line)), nil, 0
		default:
			if s.at < len(s.line) {
				s.line[s.at] = r
			} else {
				s.line = append(s.line, r)
			}
			s.at++
		}
	}
	return len(p), nil
}

// shows returns the last line.
func (s *screen) shows() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return string(s.line)
}

// watch runs a turn with both streams on a terminal, and reads its last line after each duration.
func watch(t *testing.T, o headless.Options, reply providertest.Reply, times ...time.Duration) (s *screen,
	seen []string) {
	t.Helper()
	s = &screen{t: t}
	o.Chat.Model, o.Chat.Name = &providertest.Script{Replies: []providertest.Reply{reply}}, "m"
	o.Stdout, o.StdoutTTY, o.Stderr = s, true, s
	if o.StatusWidth == nil {
		o.StatusWidth = cells(80)
	}
	done := make(chan struct{})
	go func() {
		headless.Answer(t.Context(), o, "hi")
		close(done)
	}()
	for _, d := range times {
		time.Sleep(d)
		synctest.Wait()
		seen = append(seen, s.shows())
	}
	<-done
	return s, seen
}

func TestLiveLineClocks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := headless.Options{Parts: parts(loop.Chat{Pace: steady(14 * time.Second)}), Motion: status.MotionReduced}
		reply := providertest.Reply{{Phase: provider.PhaseLoading}, {Wait: 9500 * time.Millisecond, Thinking: "Hm."},
			{Wait: 20 * time.Second, Text: "Noon."}}
		s, seen := watch(t, o, reply, 9*time.Second, time.Second, 12*time.Second)
		for i, want := range []string{"Loading m · 9s of about 14s", "Thinking… · 0s", "no output for 12s"} {
			if !strings.Contains(seen[i], want) || !strings.HasSuffix(seen[i], "ctrl+c stops") {
				t.Errorf("the line is %q, not %q", seen[i], want)
			}
		}
		if s.line != nil || len(s.lines) != 2 || s.lines[0] != "Noon." || !strings.HasPrefix(s.lines[1], "✓ ") {
			t.Errorf("what stays is %q %q", s.lines, string(s.line))
		}
	})
}

// A line with seconds is written sixty times a minute. A spinner adds eight cells a second.
func TestLiveLineWritesOnlyChanges(t *testing.T) {
	for motion, most := range map[status.Motion]int{status.MotionReduced: 90 * 60, "": 150 * 60} {
		synctest.Test(t, func(t *testing.T) {
			s, _ := watch(t, headless.Options{Motion: motion}, providertest.Reply{{Wait: time.Minute, Thinking: "Hm."}})
			writes := len(s.writes) - 5
			if s.bytes > most || motion == status.MotionReduced && writes > 60 || writes > 60*9 {
				t.Errorf("motion %q: %d bytes in %d writes", motion, s.bytes, len(s.writes))
			}
			for i, w := range s.writes[1:] {
				if w == s.writes[i] {
					t.Errorf("%q is written twice", w)
				}
			}
		})
	}
}

// A thousand tokens a second are drawn ten times a second.
func TestLiveLineFrameRate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var reply providertest.Reply
		for range 5000 {
			reply = append(reply, providertest.Step{Thinking: "Hm."}, providertest.Step{Text: "So."},
				providertest.Step{Wait: time.Millisecond, Thinking: "Well."})
		}
		s, _ := watch(t, headless.Options{Format: headless.FormatJSON}, reply)
		if len(s.writes) > 5*12 {
			t.Errorf("%d drawings in five seconds", len(s.writes))
		}
	})
}

func TestLiveLineFollowsWidth(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var width atomic.Int32
		width.Store(80)
		go func() {
			time.Sleep(5500 * time.Millisecond)
			width.Store(20)
			time.Sleep(5 * time.Second)
			width.Store(60)
		}()
		o := headless.Options{StatusWidth: func() int { return int(width.Load()) }}
		_, seen := watch(t, o, providertest.Reply{{Wait: 30 * time.Second, Text: "Noon."}}, 5*time.Second, 2*time.Second,
			5*time.Second)
		if narrow := len([]rune(seen[1])); narrow > 19 || len([]rune(seen[0])) < 30 || len([]rune(seen[2])) < 30 {
			t.Errorf("the line is %q", seen)
		}
	})
}

// The status line is erased while text streams to the terminal.
func TestLiveLineIsErased(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var reply providertest.Reply
		for range 100 {
			reply = append(reply, providertest.Step{Wait: 100 * time.Millisecond, Text: "A line.\n"})
		}
		reply = append(reply, providertest.Step{Wait: 20 * time.Second, Text: "The last."})
		s, seen := watch(t, headless.Options{}, reply, 5*time.Second, 18*time.Second)
		if seen[0] != "" || seen[1] != "" {
			t.Errorf("the last line is %q", seen)
		}
		if want := strings.Repeat("A line.\n", 100) + "The last."; strings.Join(s.lines[:101], "\n") != want ||
			len(s.lines) != 102 {
			t.Errorf("the screen has %q", s.lines)
		}
	})
}

func TestLiveLineAfterUnfinishedText(t *testing.T) {
	for _, plain := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			var reply providertest.Reply
			for range 10 {
				reply = append(reply, providertest.Step{Wait: 300 * time.Millisecond, Text: "word "})
			}
			reply = append(reply, providertest.Step{Wait: 20 * time.Second, Text: "end."})
			_, seen := watch(t, headless.Options{Plain: plain}, reply, 2900*time.Millisecond, 18*time.Second)
			if seen[0] != strings.Repeat("word ", 9) || seen[1] != strings.Repeat("word ", 10) {
				t.Errorf("plain %v: the last line is %q", plain, seen)
			}
		})
	}
}

func TestNoticeAboveLiveLine(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := headless.Options{Parts: parts(loop.Chat{Interactive: true, Limits: loop.Limits{Silence: 5 * time.Second}})}
		reply := providertest.Reply{{Thinking: "Hm."}, {Wait: 20 * time.Second, Text: "Noon."}}
		s, seen := watch(t, o, reply, 12*time.Second)
		if !strings.Contains(seen[0], "Thinking…") || !strings.HasPrefix(s.lines[0], "The model sent nothing for 5s") ||
			s.lines[1] != "Noon." {
			t.Errorf("the line is %q, the screen has %q", seen, s.lines)
		}
	})
}

// Steps that end at once are not drawn, and a drawn step stays for a while.
func TestLiveLineWithoutShortSteps(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const ms = time.Millisecond
		reply := providertest.Reply{{Phase: provider.PhaseLoading}, {Wait: 200 * ms, Thinking: "Hm."},
			{Wait: 3 * time.Second, Phase: provider.PhaseReading, Text: "Noon."}}
		_, seen := watch(t, headless.Options{Motion: status.MotionReduced}, reply, 140*ms, 40*ms, 200*ms, 120*ms, 600*ms)
		for i, want := range []string{"", "Loading m… · 0s", "Loading m… · 0s", "Thinking… · 0s", "Thinking… · 0s"} {
			if !strings.HasPrefix(seen[i], want) || want == "" && seen[i] != "" {
				t.Errorf("the line is %q, not %q", seen[i], want)
			}
		}
	})
}

// A call writes nothing, so the line stays. Only another state replaces it.
func TestLiveLineStaysAtCalls(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const ms = time.Millisecond
		s := &screen{t: t}
		slow := func(string) (mcpclient.Result, error) {
			time.Sleep(time.Second)
			return mcpclient.Result{Text: "12:00"}, nil
		}
		think := providertest.Step{Wait: 500 * ms, Thinking: "Hm."}
		now := providertest.Step{Wait: 500 * ms, Calls: call("clock__now", "{}").Calls}
		says := providertest.Step{Wait: time.Second, Text: "Noon."}
		model := &providertest.Script{Replies: []providertest.Reply{{think, now}, {think, says}}}
		o := headless.Options{
			Parts:  parts(loop.Chat{Model: model, Name: "m", Tools: tools{"clock__now": slow}}),
			Stdout: s, StdoutTTY: true, Stderr: s, StatusWidth: cells(80), Motion: status.MotionReduced,
		}
		headless.Answer(t.Context(), o, "hi")
		drawn := slices.DeleteFunc(s.writes, func(w string) bool { return strings.HasPrefix(w, "\r") && w[1] != '\x1b' })
		if want := []string{"\r\x1b[J", "Noon.", "\n"}; len(drawn) != 4 || !slices.Equal(drawn[:3], want) {
			t.Errorf("apart from the line, the terminal gets %q", drawn)
		}
	})
}
