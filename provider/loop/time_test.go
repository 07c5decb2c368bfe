package loop_test

import (
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aloudchat/aloud/provider"
	"github.com/aloudchat/aloud/provider/event"
	"github.com/aloudchat/aloud/status"
)

// speaks is a reply with a token every 200 ms, the speed of a CPU.
func speaks(tokens int, step step) reply {
	step.Wait = 200 * time.Millisecond
	reply := make(reply, tokens)
	for i := range reply {
		reply[i] = step
	}
	return reply
}

// reading is the time a CPU takes to read a prompt.
func reading(tokens int) step {
	return step{Wait: time.Duration(tokens) * time.Second / 40}
}

func TestOrdinaryTurnOnSlowCPU(t *testing.T) {
	hm, word := step{Thinking: "Hm. "}, step{Text: "word "}
	first := append(reply{{Phase: provider.PhaseReading}, reading(4000)}, append(speaks(600, hm), calls("read_page"))...)
	answer := append(speaks(400, hm), speaks(800, word)...)
	second := append(reply{{Phase: provider.PhaseReading}, reading(2000)}, answer...)
	synctest.Test(t, func(t *testing.T) {
		model := script(replies{first, second})
		c := chat(model, toolbox{{"read_page", takes(5*time.Second, "page")}})
		c.Interactive = false
		_, ended := ask(t, c, "Read")
		if r := ended.Result; r.Stop.Reason != event.Done {
			t.Errorf("after %d s it ended as %+v", r.Timing.Total/1000, r.Stop)
		}
	})
}

func TestReadingCountsAsWorkFromTheSecondRound(t *testing.T) {
	loading, reading := step{Phase: provider.PhaseLoading}, step{Phase: provider.PhaseReading}
	long := step{Wait: 5 * time.Minute}
	for _, test := range []struct {
		replies replies
		want    event.Reason
	}{
		{replies{{reading, long, {Text: "Done."}}}, event.Done},
		{replies{{long, {Text: "Done."}}}, event.Done}, // from a server that does not report PhaseReading
		{replies{{loading, long, reading, long, {Text: "Done."}}}, event.Done},
		{replies{{calls("read_page")}, {reading, long, {Text: "Late."}}, {{Text: "Done."}}}, event.Time},
	} {
		synctest.Test(t, func(t *testing.T) {
			c := chat(script(test.replies), toolbox{{"read_page", says("page")}})
			c.Limits.TotalTime = time.Minute
			_, ended := ask(t, c, "Read")
			if r := ended.Result; r.Stop.Reason != test.want || r.Answer != "Done." {
				t.Errorf("it ended as %+v with %q", r.Stop, r.Answer)
			}
		})
	}
}

func TestServerNeverAnswers(t *testing.T) {
	for name, reply := range map[string]reply{
		"says nothing": {{Block: true}},
		"reads":        {{Phase: provider.PhaseReading}, {Block: true}},
		"loads and reads": {
			{Phase: provider.PhaseLoading}, {Wait: 9 * time.Minute, Phase: provider.PhaseReading}, {Block: true},
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c := chat(script(replies{reply}), nil)
				c.Interactive = false
				_, ended := ask(t, c, "Hi")
				hasAll(t, ended.Result.Stop.Detail, "did not start to answer within 10m")
				var e *provider.Error
				if !errors.As(ended.Err, &e) || e.Kind != provider.KindUnavailable {
					t.Errorf("it ended as %+v", ended)
				}
			})
		})
	}
}

func TestAnswerIsFinishedAfterTimeLimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := chat(script(replies{speaks(600, step{Text: "word "})}), nil)
		c.Limits.TotalTime = 5 * time.Second
		var left []time.Duration
		for ev := range observed(t, c, c.Send(t.Context(), provider.Conversation{}, "Hi")) {
			switch e := ev.(type) {
			case status.State:
				if !e.Ends.IsZero() {
					left = append(left, time.Until(e.Ends))
					if e.Text != "Finishing…" || e.Phase != status.Formulating {
						t.Fatalf("with %v left the line is %+v", left, e)
					}
				}
			case event.Ended:
				want := "[Unable to complete task: 5s of work used (limits.total_time = 5s)]"
				if e.Result.Stop.Detail != want || !strings.HasPrefix(e.Result.Answer, "word ") {
					t.Errorf("it says %q", e.Result.Stop.Detail)
				}
			}
		}
		if len(left) < 10 || left[0] != 30*time.Second || left[len(left)-1] > time.Second {
			t.Errorf("there were %v left", left)
		}
	})
}

func TestFinalAnswerCutOff(t *testing.T) {
	c := chat(script(append(reads(1), speaks(600, step{Text: "word "}))), toolbox{{"read_page", takes(time.Hour, "page")}})
	_, ended := askFast(t, c, "Read")
	if r := ended.Result; !strings.Contains(r.Stop.Detail, "; the final answer was cut off after 30s") || r.Answer == "" {
		t.Errorf("it ended as %+v with %q", r.Stop, r.Answer)
	}
}

func TestSuspendedTimeIsNoWork(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := chat(rounds([][]string{{"read_page"}}), toolbox{{"read_page", takes(20*time.Second, "page")}})
		c.Limits.TotalTime = 10 * time.Second
		time.AfterFunc(2*time.Second, func() {
			resume := c.Shared.Suspend()
			time.AfterFunc(15*time.Second, resume)
			time.AfterFunc(10*time.Second, func() {
				if got := c.Shared.Clock().Suspended; got != 10*time.Second {
					t.Errorf("before it is resumed, it was suspended for %v", got)
				}
			})
		})
		_, ended := ask(t, c, "Read")
		if r := ended.Result; r.Stop.Reason != event.Done || r.Timing.Total != 5000 {
			t.Errorf("after %d ms it ended as %+v", r.Timing.Total, r.Stop)
		}
		c.Shared.Suspend()() // without a turn
	})
}
