package loop_test

import (
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aloudchat/aloud/provider"
	"github.com/aloudchat/aloud/provider/event"
	"github.com/aloudchat/aloud/provider/loop"
	"github.com/aloudchat/aloud/provider/pace"
	"github.com/aloudchat/aloud/provider/providertest"
	"github.com/aloudchat/aloud/status"
)

// served is a reply with the counts of a server. It takes 10 ms for each of read tokens.
func served(prompt, answer, read int, steps ...step) reply {
	took := time.Duration(read) * 10 * time.Millisecond
	done := measured(prompt, answer, took, time.Second)
	begin := reply{{Phase: provider.PhaseReading}, {Wait: took}}
	return append(append(begin, steps...), done)
}

// loads is a reply for which the model is loaded first.
func loads(r reply) reply {
	return append(reply{{Phase: provider.PhaseLoading}, {Wait: time.Second}}, r...)
}

// reports adds what a server reports that it read.
func reports(r reply, read int) reply {
	r = slices.Clone(r)
	r[len(r)-1].Usage.ReadTokens = read
	return r
}

// readAs runs a turn and returns what the line and the receipt's laps say about reading.
func readAs(t *testing.T, c *loop.Chat, conv provider.Conversation, text string) (string, provider.Conversation) {
	t.Helper()
	var said []string
	var ended event.Ended
	for ev, err := range observedWithErrors(t, c, c.Send(t.Context(), conv, text)) {
		switch e := ev.(type) {
		case status.State:
			if e.Phase == status.Reading && (len(said) == 0 || said[len(said)-1] != e.Text) {
				said = append(said, e.Text)
			}
		case event.Ended:
			if ended = e; (err == nil) != (e.Err == nil) {
				t.Errorf("the turn failed: %v", err)
			}
		}
	}
	for _, lap := range ended.Result.Timing.Steps {
		if lap.Kind == event.LapRead {
			said = append(said, status.LapLine(lap))
		}
	}
	return strings.Join(said, ", "), ended.Conversation
}

// The second of two turns asks a short question after a long answer. Only what the server is known to have in its cache
// is subtracted.
func TestWhatWasRead(t *testing.T) {
	const long = 2800 // bytes of the first answer
	answer := step{Text: strings.Repeat("word ", long/5)}
	thinks := step{Thinking: "Hm."}
	first, short := served(900, 960, 900, answer), step{Text: "Yes."}
	uncut := provider.Info{Name: "test:1b", Context: 32768, Uncut: true}
	for name, test := range map[string]struct {
		info          provider.Info
		first, second reply
		begin, end    string
	}{
		"a server that may have it in its cache": {first: first, second: served(1874, 3, 15, short),
			begin: "Reading the prompt…, read up to 900 tok 9s", end: "read about 15 tok 0.2s"},
		"a loaded model": {first: loads(first), second: served(1874, 3, 15, short),
			begin: "Reading about 1.1k tokens…, read 900 tok 9s", end: "read about 15 tok 0.2s"},
		"a model that is loaded again": {first: first, second: loads(served(1875, 3, 1875, short)),
			begin: "Reading the prompt…, read up to 900 tok 9s", end: "Reading about 1.9k tokens…, read 1.9k tok 19s"},
		"a sliding window": {info: uncut, first: loads(first), second: served(1875, 3, 1875, short),
			begin: "Reading about 1.1k tokens…, read 900 tok 9s", end: "Reading up to 3.2k tokens…, read up to 1.9k tok 19s"},
		"a model that thinks": {first: loads(served(900, 960, 900, thinks, answer)), second: served(1500, 3, 600, short),
			begin: "Reading about 1.1k tokens…, read 900 tok 9s", end: "Reading up to 3.2k tokens…, read up to 1.5k tok 6s"},
		"a server that reports it": {first: reports(first, 40), second: reports(served(1875, 3, 700, short), 700),
			begin: "Reading the prompt…, read 40 tok 9s", end: "read 700 tok 7s"},
		"an older server that excludes what it had": {first: first, second: served(15, 3, 15, short),
			begin: "Reading the prompt…, read up to 900 tok 9s", end: "read up to 15 tok 0.2s"},
		"an older server, with a long question": {first: first, second: served(910, 3, 910, short),
			begin: "Reading the prompt…, read up to 900 tok 9s", end: "read up to 910 tok 9s"},
		"another program in between": {first: loads(first), second: served(1875, 3, 1875, short),
			begin: "Reading about 1.1k tokens…, read 900 tok 9s", end: "read up to 1.9k tok 19s"},
		"an answer that was cut off": {first: reply{answer, {Cut: true}}, second: served(1875, 3, 1875, short),
			begin: "", end: "Reading the prompt…, read up to 1.9k tok 19s"},
	} {
		synctest.Test(t, func(t *testing.T) {
			if test.info.Name == "" {
				test.info = unthinking[0]
			}
			model := &providertest.Script{Models: []provider.Info{test.info}, Replies: replies{test.first, test.second}}
			c := chat(model, nil)
			c.Repair = nil // asks again for an answer that was cut off
			begin, conv := readAs(t, c, provider.Conversation{}, strings.Repeat("word ", 700))
			end, _ := readAs(t, c, conv, "And now?")
			if begin != test.begin || end != test.end {
				t.Errorf("%s: it says\n%s\n%s, not\n%s\n%s", name, begin, end, test.begin, test.end)
			}
		})
	}
}

// The results are new, and the call, which a template does not write as the model did.
func TestWhatARoundRead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		last := served(650, 4, 100, step{Text: "Ok."})
		model := &providertest.Script{Models: unthinking, Replies: replies{
			loads(served(500, 20, 500, calls("read_page"))), served(600, 20, 90, calls("read_page")), last}}
		said, _ := readAs(t, chat(model, toolbox{{"read_page", says("page")}}), provider.Conversation{}, "Read")
		const want = "read 500 tok 5s, read about 100 tok 0.9s, read about 50 tok 1s"
		if said != want {
			t.Errorf("it says\n%s, not\n%s", said, want)
		}
	})
}

// Another model may share the cache of the first, as with two names of the same weights.
func TestReadingAfterModelSwitch(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ok := step{Text: "Ok."}
		model := &providertest.Script{Replies: replies{
			loads(served(500, 5, 500, ok)), served(520, 5, 520, ok), served(540, 5, 540, ok), served(560, 5, 17, ok)}}
		model.Models = []provider.Info{{Name: "a", Context: 8192}, {Name: "b", Context: 8192}}
		c := chat(model, nil)
		var conv provider.Conversation
		var all []string
		for _, c.Name = range []string{"a", "b", "a", "a"} {
			var said string
			said, conv = readAs(t, c, conv, "Hi")
			all = append(all, said)
		}
		if got := strings.Join(all, "; "); got != "read 500 tok 5s; read up to 520 tok 5s; "+
			"Reading up to 638 tokens…, read up to 540 tok 5s; read about 16 tok 0.2s" {
			t.Errorf("it says %s", got)
		}
	})
}

// Tools are at the beginning of the prompt.
func TestChangedToolsAreReadAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		model := &providertest.Script{Models: unthinking, Replies: replies{
			loads(served(500, 20, 500, step{Text: "Ok."})), served(600, 20, 600, step{Text: "Ok."})}}
		c := chat(model, toolbox{{"read_page", says("page")}})
		_, conv := readAs(t, c, provider.Conversation{}, "Read")
		c.Tools = toolbox{{"read_file", says("file")}}
		if said, _ := readAs(t, c, conv, "And?"); said != "Reading the prompt…, read up to 600 tok 6s" {
			t.Errorf("it says %s", said)
		}
	})
}

// The bound must hold for text of which every character is a token, and for words in another language.
func TestUpperBound(t *testing.T) {
	for text, least := range map[string]int{
		strings.Repeat("1234567890", 100):        1000,
		strings.Repeat("{}[]<>()", 100):          800,
		strings.Repeat("字", 300):                 300,
		strings.Repeat("a b c d ", 100):          400,
		strings.Repeat("QxZvKwJy", 100):          600,
		strings.Repeat("unbelievably ", 100):     300,
		strings.Repeat("line\n\t\"quoted\"", 90): 360,
		strings.Repeat("x 1,", 300):              1199,
		strings.Repeat("xkqjzvwpfhbm", 84):       1000,
		strings.Repeat("<&>", 100):               1800, // as a template may escape them
	} {
		synctest.Test(t, func(t *testing.T) {
			uncut := provider.Info{Name: "test:1b", Context: 32768, Uncut: true}
			model := &providertest.Script{Models: []provider.Info{uncut}, Replies: replies{
				loads(served(900, 5, 900, step{Text: "Ok."})), served(2000, 5, 2000, step{Text: "Ok."})}}
			c := chat(model, nil)
			_, conv := readAs(t, c, provider.Conversation{}, strings.Repeat("word ", 700))
			for ev := range events(t, c.Send(t.Context(), conv, text)) {
				if e, ok := ev.(event.Reading); ok && (e.Mark != event.UpTo || e.Tokens < 905+least) {
					t.Errorf("the bound for %q is %+v", text[:10], e)
				}
			}
		})
	}
}

// Only a reading of which it is known how much was cached shows how fast the model reads.
func TestSpeedsComeFromCertainReadings(t *testing.T) {
	for _, test := range []struct {
		replies replies
		want    time.Duration
	}{
		{replies{served(1000, 5, 10, step{Text: "Ok."})}, 0},
		{replies{loads(served(1000, 5, 1000, step{Text: "Ok."}))}, 10 * time.Second},
		{replies{reports(served(1000, 5, 300, step{Text: "Ok."}), 300)}, 10 * time.Second},
		{replies{served(1000, 5, 10, step{Text: "Ok."}), served(1404, 5, 400, step{Text: "Ok."})}, 0},
		{replies{served(3000, 5, 3000, step{Text: "Ok."}), served(3300, 5, 3300, step{Text: "Ok."})}, 0},
		{replies{loads(served(1000, 5, 1000, step{Text: "Ok."})), served(1404, 5, 400, step{Text: "Ok."})}, 10 * time.Second},
	} {
		synctest.Test(t, func(t *testing.T) {
			c := chat(&providertest.Script{Models: unthinking, Replies: test.replies}, nil)
			c.Pace = pace.Open("", "http://here")
			conv := provider.Conversation{}
			for range test.replies {
				_, conv = readAs(t, c, conv, strings.Repeat("word ", 100))
			}
			if got := c.Pace.Read(c.Name, 1000); got != test.want {
				t.Errorf("1,000 tokens are expected to take %v, not %v", got, test.want)
			}
		})
	}
}

// The server will refuse or truncate it, unless the estimate is wrong.
func TestPromptThatMayNotFitHasNoNumber(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tooLong := &provider.Error{Kind: provider.KindTooLong, Text: "the input length exceeds the context length"}
		model := &providertest.Script{Replies: replies{{{Phase: provider.PhaseReading}, {Err: tooLong}}}, Forever: true,
			Models: []provider.Info{{Name: "test:1b", Tools: true, Context: 4096}}}
		said, _ := readAs(t, chat(model, nil), provider.Conversation{}, strings.Repeat("word ", 10_000))
		if said != "Reading the prompt…" {
			t.Errorf("it says %s", said)
		}
	})
}

// Other text has fewer tokens than estimated. A conversation is compacted by what the server counted.
func TestCompactionFollowsServerCount(t *testing.T) {
	for _, test := range []struct {
		counted int // of about 5,200 estimated tokens
		compact bool
	}{{3900, false}, {5300, true}} {
		synctest.Test(t, func(t *testing.T) {
			answer := step{Text: strings.Repeat("word ", 700)}
			model := &providertest.Script{Models: []provider.Info{{Name: "test:1b", Context: 8192}}, Replies: replies{
				loads(served(test.counted, 800, test.counted, answer)), {answer}}}
			c := chat(model, nil)
			_, conv := readAs(t, c, talked(4, 2500), strings.Repeat("word ", 1050))
			story, _ := tell(t, c.Send(t.Context(), conv, "And?"), nil)
			if got := strings.Contains(story, "ompact"); got != test.compact {
				t.Errorf("after a count of %d the story is\n%s", test.counted, story)
			}
		})
	}
}

// Some templates write the tools only while the question is the last message.
func TestPromptThatShrinks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ok := step{Text: "Ok."}
		model := &providertest.Script{Models: unthinking, Replies: replies{loads(served(553, 20, 553, calls("read_page"))),
			served(165, 4, 60, ok), served(606, 20, 450, calls("read_page")), served(230, 4, 60, ok)}}
		c := chat(model, toolbox{{"read_page", says("page")}})
		c.Pace = pace.Open("", "http://here")
		first, conv := readAs(t, c, provider.Conversation{}, "Read")
		second, _ := readAs(t, c, conv, "And the next?")
		const want = "read 553 tok 6s, read up to 165 tok 0.6s; " +
			"Reading the prompt…, read up to 606 tok 5s, read up to 230 tok 0.6s"
		if got := first + "; " + second; got != want {
			t.Errorf("it says\n%s, not\n%s", got, want)
		}
		if took := c.Pace.Read(c.Name, 553); took != 5530*time.Millisecond {
			t.Errorf("553 tokens are expected to take %v", took)
		}
	})
}

// The context in use has no mark only if the server counted both the prompt and the answer.
func TestContextInUseIsMarked(t *testing.T) {
	called := served(553, 20, 553, calls("read_page"))
	for name, test := range map[string]struct {
		last      reply
		used      int
		estimated bool
	}{
		"counted":               {served(700, 4, 10, step{Text: "Ok."}), 704, false},
		"a prompt that shrinks": {served(165, 4, 60, step{Text: "Ok."}), 169, false},
		"an uncounted answer":   {reply{{Text: "Ok."}, measured(700, 0, 0, 0)}, 0, true},
		"an uncounted prompt":   {reply{{Text: "Ok."}, measured(0, 4, 0, 0)}, 0, true},
	} {
		synctest.Test(t, func(t *testing.T) {
			model := &providertest.Script{Models: unthinking, Replies: replies{called, test.last}}
			_, ended := tell(t, chat(model, toolbox{{"read_page", says("page")}}).Send(t.Context(), talked(1, 9), "Read"), nil)
			u := ended.Result.Usage
			if u.ContextEstimated != test.estimated || test.used > 0 && u.ContextUsed != test.used {
				t.Errorf("%s: the usage is %+v", name, u)
			}
		})
	}
}

// A server that reads 2,000 tokens a second was in use before. Until a speed is certain, only a reading that is short
// even if the slowest so far was of a whole prompt shows that the server had the rest in its cache.
func TestReadingWithoutCertainSpeed(t *testing.T) {
	took := func(prompt int, read time.Duration) reply {
		return reply{{Text: "Ok."}, measured(prompt, 5, read, time.Second)}
	}
	synctest.Test(t, func(t *testing.T) {
		model := &providertest.Script{Models: unthinking, Replies: replies{took(3000, 1500*time.Millisecond),
			took(3300, 1650*time.Millisecond), took(3320, 40*time.Millisecond), took(3400, 300*time.Millisecond)}}
		c := chat(model, nil)
		c.Pace = pace.Open("", "http://here")
		var conv provider.Conversation
		var all []string
		for range model.Replies {
			var said string
			said, conv = readAs(t, c, conv, "Hi")
			all = append(all, said[max(0, strings.LastIndex(said, "read")):])
		}
		const want = "read up to 3k tok 2s; read up to 3.3k tok 2s; read about 16 tok 0s; read up to 3.4k tok 0.3s"
		if got := strings.Join(all, "; "); got != want {
			t.Errorf("it says %s, not %s", got, want)
		}
		if took := c.Pace.Read(c.Name, 3000); took != 0 {
			t.Errorf("3,000 tokens are expected to take %v", took)
		}
	})
}

// A new process asks a server that has the conversation in its cache. Its speed is known.
func TestReadingWithSpeedOfEarlierRun(t *testing.T) {
	for read, want := range map[int]string{30: "read about 26 tok 0.3s", 2030: "read up to 2k tok 20s"} {
		synctest.Test(t, func(t *testing.T) {
			ok := step{Text: "Ok."}
			model := &providertest.Script{Models: unthinking, Replies: replies{
				served(2000, 5, 1, ok), served(2030, 5, read, ok)}}
			c := chat(model, nil)
			c.Pace = pace.Open("", "http://here")
			c.Pace.NoteRead(c.Name, 2000, 20*time.Second)
			_, conv := readAs(t, c, provider.Conversation{}, "Hi")
			if said, _ := readAs(t, c, conv, "And?"); said != want {
				t.Errorf("it says %s, not %s", said, want)
			}
		})
	}
}

// The model was unloaded in the moment before the request, or had to wait for another one to be loaded.
func TestReadingAfterUnexpectedLoad(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ok := step{Text: "Ok."}
		loaded := served(520, 5, 10, ok)
		loaded[len(loaded)-1].Usage.Load = 2 * time.Second
		model := &providertest.Script{Models: unthinking, Replies: replies{loads(served(500, 5, 500, ok)), loaded}}
		c := chat(model, nil)
		_, conv := readAs(t, c, provider.Conversation{}, "Hi")
		if said, _ := readAs(t, c, conv, "And?"); said != "read up to 520 tok 0.1s" {
			t.Errorf("it says %s", said)
		}
	})
}

// After a failure it is unknown what the server has read of a prompt, unless it refused it.
func TestReadingAfterFailure(t *testing.T) {
	ok := step{Text: "Ok."}
	gone := step{Err: &provider.Error{Kind: provider.KindFailed, Text: "the server stopped"}}
	tooLong := step{Err: &provider.Error{Kind: provider.KindTooLong, Text: "too long", Tokens: 9000, Window: 16384}}
	for name, test := range map[string]struct {
		first reply
		want  string
	}{
		"it failed":  {loads(reply{{Phase: provider.PhaseReading}, gone}), "read up to 520 tok 5s"},
		"it refused": {loads(reply{{Phase: provider.PhaseReading}, tooLong}), "read 520 tok 5s"},
	} {
		for _, repaired := range []bool{true, false} {
			synctest.Test(t, func(t *testing.T) {
				model := &providertest.Script{Models: unthinking, Replies: replies{test.first, served(520, 5, 520, ok), {ok}}}
				c := chat(model, nil)
				if !repaired {
					c.Repair = nil
				}
				said, conv := readAs(t, c, provider.Conversation{}, "Hi")
				if !strings.Contains(said, "read ") {
					said, _ = readAs(t, c, conv, "Hi")
				}
				if !strings.HasSuffix(said, test.want) {
					t.Errorf("%s: it says %s, not %s", name, said, test.want)
				}
			})
		}
	}
}

// The text of another conversation may have more tokens than that of the one before.
func TestContextOfAnotherConversation(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		model := &providertest.Script{Models: unthinking, Replies: replies{
			loads(served(1500, 5, 1500, step{Text: "Ok."})), {{Text: "Ok."}}}}
		c := chat(model, nil)
		readAs(t, c, provider.Conversation{}, strings.Repeat("word ", 2000))
		_, ended := tell(t, c.Send(t.Context(), provider.Conversation{}, strings.Repeat("wörd ", 1600)), nil)
		if u := ended.Result.Usage; u.ContextUsed < 2700 || !u.ContextEstimated {
			t.Errorf("the context in use of about 2,800 tokens is %+v", u)
		}
	})
}
