package loop_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aloudchat/aloud/internal/quantity"
	"github.com/aloudchat/aloud/provider/event"
	"github.com/aloudchat/aloud/provider/loop"
	"github.com/aloudchat/aloud/provider/pace"
	"github.com/aloudchat/aloud/status"
)

// TestRecordedTurns plays turns recorded with a real server (see e2e/record_test.go) under fake time, with the real
// client and loop. It compares the status line at every second with a golden file, which -update rewrites, and with
// rules that always hold.
func TestRecordedTurns(t *testing.T) {
	files, err := filepath.Glob("testdata/recorded/*.jsonl")
	if err != nil || len(files) == 0 {
		t.Fatalf("there are no recordings: %v", err)
	}
	met := map[status.Phase]bool{}
	var all, thinking stepsTold
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".jsonl"), func(t *testing.T) {
			r := readRecording(t, file)
			synctest.Test(t, func(t *testing.T) { r.play(t) })
			for phase := range r.rules.met {
				met[phase] = true
			}
			if r.turn.Style == status.StyleSentence {
				all.add(r.steps)
				if r.turn.Think != "" {
					thinking.add(r.steps)
				}
			}
			r.compare(t, strings.TrimSuffix(file, ".jsonl")+".golden")
		})
	}
	t.Logf("%d of %d tool steps have a sentence, %d of %d of models that can think",
		all.told, all.steps, thinking.told, thinking.steps)
	if 2*thinking.told <= thinking.steps && !t.Failed() {
		t.Error("most tool steps of models that can think have no sentence")
	}
	for _, phase := range phases {
		if !met[phase] && !t.Failed() {
			t.Errorf("no recorded turn comes to the phase %q", phase)
		}
	}
}

// stepsTold counts the rounds in which tools ran, and those with a sentence.
type stepsTold struct{ steps, told int }

func (c *stepsTold) add(steps map[int]bool) {
	for _, told := range steps {
		c.steps++
		if told {
			c.told++
		}
	}
}

// phases are all phases of the line.
var phases = []status.Phase{
	status.Idle, status.Connecting, status.Analyzing, status.Loading, status.Reading, status.Thinking, status.Selecting,
	status.UsingTool, status.Processing, status.Formulating, status.Approval, status.Retrying, status.Compacting,
	status.ToolFailed, status.Stopped,
}

// watched is a turn as you see it: the newest state, drawn once a second.
type watched struct {
	mu    sync.Mutex
	began time.Time
	state status.State
	lines strings.Builder
}

// play runs the turn and reads the line every second.
func (r *played) play(t *testing.T) {
	server := r.serve(t)
	defer server.stop()
	w := &watched{began: time.Now()}
	r.rules = newRules(t, r)
	done := make(chan struct{})
	var looking sync.WaitGroup
	looking.Go(func() {
		for second := 0; ; second++ {
			time.Sleep(time.Until(w.began.Add(time.Duration(second) * time.Second)))
			synctest.Wait() // all events of this instant are handled
			select {
			case <-done:
				return
			default:
				w.look(r.rules)
			}
		}
	})
	ended := r.run(t, server, w)
	close(done)
	looking.Wait()
	r.rules.ended(ended)
	fmt.Fprintf(&w.lines, "t=%-4s %s\n", quantity.Duration(time.Since(w.began)), w.last())
	r.told = w.lines.String() + "\n" + status.Receipt(ended.Result) + "\n"
	for _, lap := range ended.Result.Timing.Steps {
		r.told += "  " + status.LapLine(lap) + "\n"
	}
}

// look records the current line.
func (w *watched) look(rules *rules) {
	w.mu.Lock()
	defer w.mu.Unlock()
	now := time.Now()
	rules.hold(w.state, now)
	line := w.state.Line(now, status.Drawing{Width: 120, Hint: "esc stops"})
	fmt.Fprintf(&w.lines, "t=%-4s %s\n", quantity.Duration(now.Sub(w.began)), line)
}

// last returns the line after the turn.
func (w *watched) last() string {
	if w.state.Phase != status.Stopped {
		return "(done)"
	}
	return w.state.Line(time.Now(), status.Drawing{Width: 120})
}

func (w *watched) show(s status.State, rules *rules) {
	w.mu.Lock()
	defer w.mu.Unlock()
	rules.change(w.state, s, time.Now())
	w.state = s
}

// run runs the turn.
func (r *played) run(t *testing.T, server *player, w *watched) (ended event.Ended) {
	ctx := t.Context()
	if r.turn.Stop > 0 {
		stopped, cancel := withCancelAfter(t, time.Duration(r.turn.Stop))
		defer cancel()
		ctx = stopped
	}
	chat := r.chat()
	chat.Model, chat.Tools = server.client(t), r.tools()
	line := &status.Observer{Style: r.turn.Style, Clock: chat.Shared.Clock, Show: func(s status.State) {
		w.show(s, r.rules)
		r.noteStep(s)
	}}
	for ev := range chat.Send(ctx, r.turn.Conversation(), r.turn.Question) {
		line.Observe(ctx, ev)
		if _, ok := ev.(event.Activity); !ok {
			r.rules.happened(ev)
		}
		switch e := ev.(type) {
		case event.Asked:
			time.Sleep(time.Duration(r.turn.Answers))
			e.Answer(event.Decision{Allow: !r.turn.Refuses})
		case event.Ended:
			ended = e
		}
	}
	return ended
}

// noteStep records whether the line has a sentence in a round in which tools run.
func (r *played) noteStep(s status.State) {
	if s.Phase == status.UsingTool {
		r.steps[s.Round] = r.steps[s.Round] || s.Quote != ""
	}
}

// chat returns the chat of the turn, without model and tools.
func (r *played) chat() *loop.Chat {
	chat := r.turn.Chat(1)
	chat.Pace = pace.Open("", "")
	chat.Pace.NoteLoad(chat.Name, time.Duration(r.turn.Load))
	chat.Pace.NoteRead(chat.Name, 1000, time.Duration(r.turn.Read))
	return chat
}

// compare compares the lines with the golden file.
func (r *played) compare(t *testing.T, golden string) {
	t.Helper()
	if flag.Lookup("update").Value.String() == "true" {
		must(t, os.WriteFile(golden, []byte(r.told), 0o644))
		return
	}
	want, err := os.ReadFile(golden)
	must(t, err)
	if r.told != string(want) {
		t.Errorf("the line differs from %s; if it is better, use -update. It says\n%s", golden, r.told)
	}
}
