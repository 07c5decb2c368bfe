package loop_test

import (
	"context"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aloudchat/aloud/mcpclient"
	"github.com/aloudchat/aloud/provider"
	"github.com/aloudchat/aloud/provider/event"
	"github.com/aloudchat/aloud/status"
)

// the user is away
type asker struct {
	mu      sync.Mutex
	now     string
	changed chan struct{}
}

func (a *asker) Asking() (string, <-chan struct{}) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.changed == nil {
		a.changed = make(chan struct{})
	}
	return a.now, a.changed
}

func (a *asker) want(now string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.now = now
	if a.changed != nil {
		close(a.changed)
		a.changed = nil
	}
}

func TestClockStopsDuringElicitation(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		model := script(replies{{calls("do_it")}, {{Text: "Done."}}})
		var inbox asker
		ask := func(_ context.Context, _ string, progress func(mcpclient.Progress)) (mcpclient.Result, error) {
			time.Sleep(2 * time.Second)
			inbox.want("box")
			time.Sleep(time.Hour) // you are at lunch
			progress(mcpclient.Progress{Done: 1, Total: 2})
			inbox.want("")
			time.Sleep(3 * time.Second)
			return mcpclient.Result{Text: "done"}, nil
		}
		c := chat(model, toolbox{{"do_it", ask}})
		c.Asker = &inbox
		var worked time.Duration
		var paused []string
		for ev := range observed(t, c, c.Send(t.Context(), provider.Conversation{}, "Go")) {
			switch ev := ev.(type) {
			case status.State:
				worked = ev.Elapsed(time.Now())
				if ev.Paused {
					paused = append(paused, string(ev.Phase)+": "+ev.Words())
				}
			case event.Ended:
				if took := ev.Result.ToolCalls[0].DurationMS; took != 5000 || ev.Result.Timing.Tools != 5000 {
					t.Errorf("the tool took %d ms, all tools %d: what was asked is not their time", took, ev.Result.Timing.Tools)
				}
				if ev.Result.Stop.Reason != event.Done {
					t.Errorf("the turn ended as %v", ev.Result.Stop)
				}
			}
		}
		if worked != 5*time.Second {
			t.Errorf("the turn worked for %v, want the 5s of the tool", worked)
		}
		if got := strings.Join(paused, "\n"); got != "approval: Box asks for input" {
			t.Errorf("while the clock stood still the line said\n%s", got)
		}
	})
}
