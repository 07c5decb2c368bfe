package loop_test

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aloudchat/aloud/mcpclient"
	"github.com/aloudchat/aloud/provider"
	"github.com/aloudchat/aloud/provider/event"
	"github.com/aloudchat/aloud/provider/pace"
	"github.com/aloudchat/aloud/provider/providertest"
	"github.com/aloudchat/aloud/status"
)

// measured returns the last chunk of a reply with the measurements of a server.
func measured(prompt, answer int, read, wrote time.Duration) step {
	usage := provider.Usage{PromptTokens: prompt, AnswerTokens: answer, Prompt: read, Answer: wrote}
	return step{Done: "stop", Usage: usage}
}

func TestLaps(t *testing.T) {
	loads := measured(2000, 30, 4*time.Second, time.Second)
	loads.Usage.Load = 9 * time.Second
	reads := step{Phase: provider.PhaseReading}
	model := script(replies{
		{{Phase: provider.PhaseLoading, Wait: 9 * time.Second}, reads, calls("read_file", "read_wall"), loads},
		{reads, {Text: "Done."}, measured(2100, 12, 200*time.Millisecond, 400*time.Millisecond)},
	})
	c := chat(model, toolbox{{"read_file", takes(3*time.Second, "text")}, {"read_wall", fails("hard")}})
	_, ended := askFast(t, c, "Go")
	var got []string
	for _, lap := range ended.Result.Timing.Steps {
		got = append(got, fmt.Sprintf("%d %s", lap.Round, status.LapLine(lap)))
	}
	want := []string{
		"0 load 9s", "0 read 2k tok 4s", "0 30 tok at 30/s · 1s", "1 Read Wall · 0s · error", "1 Read File · 3s",
		"1 read about 100 tok 0.2s", "1 12 tok at 30/s · 0.4s",
	}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("the laps are\n%q, not\n%q", got, want)
	}
	const receipt = "✓ 2 tools, 1 failed · load 9s · read about 2.1k tok 4s · 42 tok at 30/s · 12s"
	if got := status.Receipt(ended.Result); got != receipt {
		t.Errorf("the receipt is %q", got)
	}
}

// Servers report a few milliseconds for a model that is in memory, which does not count as a load. A load without
// events counts.
func TestLoadedModelHasNoLoadLap(t *testing.T) {
	for load, want := range map[time.Duration]string{
		90 * time.Millisecond: "✓ 10 tools · 11 tok at 10/s",
		2 * time.Second:       "✓ 10 tools · load 22s · 11 tok at 10/s",
	} {
		synctest.Test(t, func(t *testing.T) {
			model := script(append(reads(10), reply{{Text: "Done."}}))
			for i := range model.Replies {
				step := measured(0, 1, 0, 100*time.Millisecond)
				step.Usage.Load = load
				model.Replies[i] = append(model.Replies[i], step)
			}
			c := chat(model, toolbox{{"read_page", says("page")}})
			c.Limits.Iterations = 20
			_, ended := ask(t, c, "Go")
			if receipt := status.Receipt(ended.Result); !strings.HasPrefix(receipt, want) {
				t.Errorf("the receipt is %q, not %q", receipt, want)
			}
		})
	}
}

// Another program evicted the conversation from the server's cache.
func TestUnexpectedReadingIsALap(t *testing.T) {
	model := script(replies{
		{calls("read_page"), measured(2000, 3, time.Second, time.Second)},
		{{Text: "Done."}, measured(2000, 3, 7*time.Second, time.Second)},
	})
	_, ended := askFast(t, chat(model, toolbox{{"read_page", says("page")}}), "Go")
	var took int64
	for _, lap := range ended.Result.Timing.Steps {
		if lap.Kind == event.LapRead {
			took += lap.MS
		}
	}
	if took != 8000 {
		t.Errorf("the laps of reading took %d ms", took)
	}
}

// Estimates are the times that the model took before. Without any there is no estimate.
func TestEstimates(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		book := pace.Open("", "http://here")
		last := measured(4000, 2, 8*time.Second, time.Second)
		last.Usage.Load = 14 * time.Second
		model := &providertest.Script{Forever: true, Replies: replies{{
			{Phase: provider.PhaseLoading}, {Wait: 14 * time.Second, Phase: provider.PhaseReading},
			{Wait: 8 * time.Second, Text: "Done."}, last,
		}}}
		expected := func(question string) (load, read time.Duration) {
			c := chat(model, nil)
			c.Pace = book
			for ev := range events(t, c.Send(t.Context(), provider.Conversation{}, question)) {
				switch e := ev.(type) {
				case event.Loading:
					load = e.Expected
				case event.Reading:
					read = e.Expected
				}
			}
			return load, read
		}
		long := string(make([]byte, 16_000))
		if load, read := expected(long); load != 0 || read != 0 {
			t.Errorf("before anything was seen it expects %v and %v", load, read)
		}
		load, read := expected(long)
		if load != 14*time.Second {
			t.Errorf("after a load of 14 s it expects %v", load)
		}
		if read < 6*time.Second || read > 12*time.Second {
			t.Errorf("after 4,000 tokens in 8 s it expects %v for about as many", read)
		}
	})
}

// The start of a lap counts from the beginning of the turn, without the time that you took to answer.
func TestLapsHaveTheirStart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		loads := measured(2000, 30, 4*time.Second, time.Second)
		loads.Usage.Load = 9 * time.Second
		loads.Wait = time.Second
		wrote := measured(2100, 12, 200*time.Millisecond, 400*time.Millisecond)
		wrote.Wait = 600 * time.Millisecond
		model := script(replies{
			{{Phase: provider.PhaseLoading}, {Wait: 9 * time.Second, Phase: provider.PhaseReading}, {Wait: 4 * time.Second},
				calls("delete_file"), loads},
			{{Text: "Done."}, wrote},
		})
		c := chat(model, toolbox{{"delete_file", takes(3*time.Second, "text")}})
		c.Interactive, c.Policy = true, mcpclient.NewPolicy(mcpclient.ApprovalAsk, nil, nil, nil)
		var got []string
		asked := false
		for ev := range events(t, c.Send(t.Context(), provider.Conversation{}, "Go")) {
			switch e := ev.(type) {
			case event.Asked:
				asked = true
				time.Sleep(time.Minute)
				e.Answer(event.Decision{Allow: true})
			case event.Ended:
				for _, lap := range e.Result.Timing.Steps {
					got = append(got, fmt.Sprintf("%s %d+%d", lap.Kind, lap.StartMS, lap.MS))
				}
			}
		}
		const want = "[load 0+9000 read 9000+4000 write 13000+1000 tool 14000+3000 read 17000+200 write 17200+400]"
		if fmt.Sprint(got) != want || !asked {
			t.Errorf("the laps are\n%v, not\n%v", got, want)
		}
	})
}
