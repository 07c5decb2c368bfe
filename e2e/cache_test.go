//go:build e2e && unix

package e2e

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/aloudchat/aloud/e2e/tinymodel"
)

// These tests hold what makes long turns quick on a slow machine: the server reads of each request only what it has not read before.
// The counts of its replies do not tell (prompt_eval_count has the whole prompt), its debug log does.

func TestEachRoundReadsOnlyWhatIsNew(t *testing.T) {
	w := newWorld(t)
	before := serverLog(t)
	r, _ := w.ask("[[slow-chain]] please", "--model", tinymodel.Tools) // which cannot think, and is asked for sentences
	if r.statuses() != "ok ok ok" {
		t.Fatalf("the calls ended as %q: %+v", r.statuses(), r.ToolCalls)
	}
	reads := readings(t, strings.TrimPrefix(serverLog(t), before))

	chats := w.traffic.requests()
	rounds := slices.DeleteFunc(slices.Clone(chats), (chatRequest).isSentence)
	for i := range rounds[1:] {
		grows(t, &rounds[i], &rounds[i+1])
		onlyNew(t, reads, &rounds[i], &rounds[i+1])
	}
	if len(rounds) == len(chats) {
		t.Error("no sentence was asked for: nothing shows that those leave the cache as it is")
	}
}

// TestMistakesLeaveTheCacheAsItIs: what is mended, and what is said to the model for once only, does not change what was said before.
func TestMistakesLeaveTheCacheAsItIs(t *testing.T) {
	for _, test := range []struct {
		plays, model string
		forOnce      int // the request with words that are not kept; 0: there is none
	}{
		{plays: "think-tool", model: tinymodel.Full},
		{plays: "missing-argument", model: tinymodel.Full},
		{plays: "thrice", model: tinymodel.Full},
		{plays: "one-for-list", model: tinymodel.Full},
		{plays: "name-in-capitals", model: tinymodel.Loose},
		{plays: "printed-two", model: tinymodel.Raw},
		{plays: "name-swallowed", model: tinymodel.Full, forOnce: 1},
	} {
		t.Run(test.plays, func(t *testing.T) {
			w := newWorld(t)
			w.forWeakModels()
			before := serverLog(t)
			w.ask("[["+test.plays+"]] please", "--model", test.model)
			reads := readings(t, strings.TrimPrefix(serverLog(t), before))
			chats := w.traffic.requests()
			if test.forOnce > 0 {
				onlyNew(t, reads, &chats[test.forOnce-1], &chats[test.forOnce])
				chats = slices.Delete(chats, test.forOnce, test.forOnce+1)
			}
			if len(chats) < 2 {
				t.Fatalf("there were %d requests, want several", len(chats))
			}
			for i := range chats[1:] {
				grows(t, &chats[i], &chats[i+1])
				onlyNew(t, reads, &chats[i], &chats[i+1])
			}
		})
	}
}

func TestTheNextQuestionReadsOnlyWhatIsNew(t *testing.T) {
	w := newWorld(t)
	w.ask("[[chain]] count for me")
	before := serverLog(t)
	w.ask("[[answer]] and now?", "--continue")
	reads := readings(t, strings.TrimPrefix(serverLog(t), before))
	chats := w.traffic.requests()
	if len(chats) != 5 {
		t.Fatalf("there were %d chat requests, want 4 for the first question and 1 for the second", len(chats))
	}
	grows(t, &chats[3], &chats[4])
	onlyNew(t, reads, &chats[3], &chats[4])
}

func (c chatRequest) isSentence() bool {
	const begins = "You are now running the tool"
	return c.asks(begins) || c.asks("(still running)\n\n"+begins)
}

// grows checks that a request says again, byte for byte, what the one before said.
func grows(t *testing.T, before, after *chatRequest) {
	t.Helper()
	first, second := rendered(t, before), rendered(t, after)
	if !strings.HasPrefix(second, first) {
		same := 0
		for same < min(len(first), len(second)) && first[same] == second[same] {
			same++
		}
		t.Errorf("after %d bytes the request says something else than the one before it:\n%q\nwas\n%q", same, second[same:], first[same:])
	}
}

// replyBegins is what the template puts at the end of a prompt: where the reply will be.
var replyBegins = regexp.MustCompile(`<\|assistant\|><\|[^|]*\|>$`)

// rendered is the prompt that the server makes of a request, without the beginning of the reply.
func rendered(t *testing.T, chat *chatRequest) string {
	t.Helper()
	var request map[string]any
	if err := json.Unmarshal(chat.body, &request); err != nil {
		t.Fatal(err)
	}
	request["_debug_render_only"] = true
	body, err := json.Marshal(request)
	if err != nil {
		t.Fatal(err)
	}
	resp, err := http.Post(parts.server.URL+"/api/chat", "application/json", bytes.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	var answer struct {
		Info struct {
			Prompt string `json:"rendered_template"`
		} `json:"_debug_info"`
	}
	if err := json.Unmarshal(text, &answer); err != nil || answer.Info.Prompt == "" {
		t.Fatalf("the server does not render a request: %s", text)
	}
	return replyBegins.ReplaceAllString(answer.Info.Prompt, "")
}

// A reading is what the server did with one prompt, in tokens.
type reading struct{ prompt, cached int }

var readingLine = regexp.MustCompile(`msg="loading cache slot".* prompt=(\d+) used=(\d+) `)

// readings are the prompts in a piece of the server's log.
func readings(t *testing.T, log string) []reading {
	t.Helper()
	var list []reading
	for _, found := range readingLine.FindAllStringSubmatch(log, -1) {
		prompt, _ := strconv.Atoi(found[1]) // digits
		cached, _ := strconv.Atoi(found[2])
		list = append(list, reading{prompt, cached})
	}
	if len(list) == 0 {
		t.Fatalf("the server's log does not say what it read:\n%s", log)
	}
	return list
}

func serverLog(t *testing.T) string {
	t.Helper()
	log, err := parts.server.Log()
	if err != nil {
		t.Fatal(err)
	}
	return log
}

// promptTokens is how many tokens the server says a request had, those in its cache included.
func (c *chatRequest) promptTokens(t *testing.T) int {
	t.Helper()
	lines := bytes.Split(bytes.TrimSpace(c.reply), []byte("\n"))
	var last struct {
		Tokens int `json:"prompt_eval_count"`
	}
	if err := json.Unmarshal(lines[len(lines)-1], &last); err != nil || last.Tokens == 0 {
		t.Fatalf("the reply does not end with counts: %s", c.reply)
	}
	return last.Tokens
}

// ownEnd is how many tokens at the end of a prompt belong to the reply: they are others in the next one.
const ownEnd = 4

// onlyNew checks that the server had all of a request in its cache that the one before had told it.
func onlyNew(t *testing.T, reads []reading, before, after *chatRequest) {
	t.Helper()
	tokens, least := after.promptTokens(t), before.promptTokens(t)-ownEnd
	for _, read := range reads {
		if read.prompt == tokens {
			if read.cached < least {
				t.Errorf("of a prompt of %d tokens the server had %d in its cache, want at least the %d it was told before", tokens, read.cached, least)
			}
			return
		}
	}
	t.Errorf("the server read no prompt of %d tokens: %+v", tokens, reads)
}
