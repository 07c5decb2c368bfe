package loop_test

import (
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aloudchat/aloud/provider"
	"github.com/aloudchat/aloud/provider/providertest"
	"github.com/aloudchat/aloud/status"
)

// speaks is a reply of so many tokens, one every 200 ms: what a processor without a GPU writes.
func speaks(tokens int, step providertest.Step) providertest.Reply {
	step.Wait = 200 * time.Millisecond
	reply := make(providertest.Reply, tokens)
	for i := range reply {
		reply[i] = step
	}
	return reply
}

// reading is how long such a processor takes for so many tokens of a prompt.
func reading(tokens int) providertest.Step {
	return providertest.Step{Wait: time.Duration(tokens) * time.Second / 40}
}

func TestAnOrdinaryChatOnASlowProcessorIsNotStopped(t *testing.T) {
	hm, word := providertest.Step{Thinking: "Hm. "}, providertest.Step{Text: "word "}
	first := append(providertest.Reply{{Phase: provider.PhaseReading}, reading(4000)}, append(speaks(600, hm), calls("read_page"))...)
	second := append(providertest.Reply{{Phase: provider.PhaseReading}, reading(2000)}, append(speaks(400, hm), speaks(800, word)...)...)
	synctest.Test(t, func(t *testing.T) {
		model := &providertest.Script{Replies: []providertest.Reply{first, second}}
		c := chat(model, toolbox{{"read_page", takes(5*time.Second, "page")}})
		c.Interactive = false
		_, ended := tell(t, c.Send(t.Context(), provider.Conversation{}, "Read"), nil)
		if r := ended.Result; r.Stop.Reason != provider.Done {
			t.Errorf("after %d s it ended as %+v", r.Timing.Total/1000, r.Stop)
		}
	})
}

func TestReadingCountsAsWorkFromTheSecondRound(t *testing.T) {
	long := providertest.Step{Wait: 5 * time.Minute}
	for _, test := range []struct {
		replies []providertest.Reply
		want    provider.Reason
	}{
		{[]providertest.Reply{{{Phase: provider.PhaseReading}, long, {Text: "Done."}}}, provider.Done},
		{[]providertest.Reply{{long, {Text: "Done."}}}, provider.Done}, // of a server that does not tell that it reads
		{[]providertest.Reply{{{Phase: provider.PhaseLoading}, long, {Phase: provider.PhaseReading}, long, {Text: "Done."}}}, provider.Done},
		{[]providertest.Reply{{calls("read_page")}, {{Phase: provider.PhaseReading}, long, {Text: "Late."}}, {{Text: "Done."}}}, provider.Time},
	} {
		synctest.Test(t, func(t *testing.T) {
			c := chat(&providertest.Script{Replies: test.replies}, toolbox{{"read_page", says("page")}})
			c.Limits.TotalTime = time.Minute
			_, ended := tell(t, c.Send(t.Context(), provider.Conversation{}, "Read"), nil)
			if r := ended.Result; r.Stop.Reason != test.want || r.Answer != "Done." {
				t.Errorf("it ended as %+v with %q", r.Stop, r.Answer)
			}
		})
	}
}

func TestAServerThatNeverBeginsToAnswer(t *testing.T) {
	for name, reply := range map[string]providertest.Reply{
		"says nothing":    {{Block: true}},
		"reads":           {{Phase: provider.PhaseReading}, {Block: true}},
		"loads and reads": {{Phase: provider.PhaseLoading}, {Wait: 9 * time.Minute, Phase: provider.PhaseReading}, {Block: true}},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c := chat(&providertest.Script{Replies: []providertest.Reply{reply}}, nil)
				c.Interactive = false
				_, ended := tell(t, c.Send(t.Context(), provider.Conversation{}, "Hi"), nil)
				var e *provider.Error
				if r := ended.Result; r.Stop.Reason != provider.Failed || !errors.As(ended.Err, &e) || e.Kind != provider.KindUnavailable ||
					!strings.Contains(r.Stop.Detail, "did not start to answer within 10m") {
					t.Errorf("after %d s it ended as %+v", r.Timing.Total/1000, r.Stop)
				}
			})
		})
	}
}

func TestAnAnswerMayBeFinishedAfterTheLimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := chat(&providertest.Script{Replies: []providertest.Reply{speaks(600, providertest.Step{Text: "word "})}}, nil)
		c.Limits.TotalTime = 5 * time.Second
		var left []time.Duration
		for event := range observed(t, c, c.Send(t.Context(), provider.Conversation{}, "Hi")) {
			switch e := event.(type) {
			case status.State:
				if !e.Ends.IsZero() {
					left = append(left, time.Until(e.Ends))
					if e.Text != "Finishing…" || e.Phase != status.Formulating {
						t.Fatalf("with %v left the line is %+v", left, e)
					}
				}
			case provider.Ended:
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

func TestTheLastAnswerSaysThatItWasCutOff(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := chat(&providertest.Script{Replies: append(reads(1), speaks(600, providertest.Step{Text: "word "}))}, toolbox{{"read_page", takes(time.Hour, "page")}})
		_, ended := tell(t, c.Send(t.Context(), provider.Conversation{}, "Read"), nil)
		if r := ended.Result; !strings.Contains(r.Stop.Detail, "; the final answer was cut off after 30s") || r.Answer == "" {
			t.Errorf("it ended as %+v with %q", r.Stop, r.Answer)
		}
	})
}

func TestSuspendedTimeIsNoWork(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := chat(&providertest.Script{Replies: []providertest.Reply{{calls("read_page")}, {{Text: "Done."}}}}, toolbox{{"read_page", takes(20*time.Second, "page")}})
		c.Limits.TotalTime = 10 * time.Second
		time.AfterFunc(2*time.Second, func() {
			resume := c.Suspend()
			time.AfterFunc(15*time.Second, resume)
		})
		_, ended := tell(t, c.Send(t.Context(), provider.Conversation{}, "Read"), nil)
		if r := ended.Result; r.Stop.Reason != provider.Done || r.Timing.Total != 5000 {
			t.Errorf("after %d ms it ended as %+v", r.Timing.Total, r.Stop)
		}
		c.Suspend()() // without a turn
	})
}
