//go:build e2e && unix

package e2e

import (
	"encoding/json"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/aloudchat/aloud/e2e/recording"
	"github.com/aloudchat/aloud/e2e/tinymodel"
)

// These tests check that the model server evaluates only the new part of each request. Its debug log has the numbers;
// prompt_eval_count includes the cached tokens.

func TestRoundsReuseCache(t *testing.T) {
	w := newWorld(t)
	before := serverLog(t)
	r, _ := w.ask("[[slow-chain]] please", "--model", tinymodel.Tools) // cannot think, so sentences are requested
	if r.statuses() != "ok ok ok" {
		t.Fatalf("the calls ended as %q: %+v", r.statuses(), r.ToolCalls)
	}
	reads := cacheReads(t, strings.TrimPrefix(serverLog(t), before))

	chats := w.traffic.requests()
	rounds := slices.DeleteFunc(slices.Clone(chats), (chatRequest).isSentence)
	for i := range rounds[1:] {
		checkExtends(t, &rounds[i], &rounds[i+1])
		checkCached(t, reads, &rounds[i], &rounds[i+1])
	}
	if len(rounds) == len(chats) {
		t.Error("no sentence was requested, so the test proves nothing")
	}
}

// TestRepairsReuseCache checks that repairs and one-time instructions do not change earlier messages.
func TestRepairsReuseCache(t *testing.T) {
	for _, test := range []struct {
		plays, model string
		forOnce      int // the request with instructions that are not kept, or 0
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
			w.configureForWeakModels()
			before := serverLog(t)
			w.ask("[["+test.plays+"]] please", "--model", test.model)
			reads := cacheReads(t, strings.TrimPrefix(serverLog(t), before))
			chats := w.traffic.requests()
			if test.forOnce > 0 {
				checkCached(t, reads, &chats[test.forOnce-1], &chats[test.forOnce])
				chats = slices.Delete(chats, test.forOnce, test.forOnce+1)
			}
			if len(chats) < 2 {
				t.Fatalf("%d requests, want at least 2", len(chats))
			}
			for i := range chats[1:] {
				checkExtends(t, &chats[i], &chats[i+1])
				checkCached(t, reads, &chats[i], &chats[i+1])
			}
		})
	}
}

func TestNextMessageReusesCache(t *testing.T) {
	w := newWorld(t)
	w.ask("[[chain]] count for me")
	before := serverLog(t)
	w.ask("[[answer]] and now?", "--continue")
	reads := cacheReads(t, strings.TrimPrefix(serverLog(t), before))
	chats := w.traffic.requests()
	if len(chats) != 5 {
		t.Fatalf("%d chat requests, want 4 for the first message and 1 for the second", len(chats))
	}
	checkExtends(t, &chats[3], &chats[4])
	checkCached(t, reads, &chats[3], &chats[4])
}

// TestRequestsBeginWithTheOneBefore checks that nothing you do with a conversation changes what the server has read.
func TestRequestsBeginWithTheOneBefore(t *testing.T) {
	say := func(w *world, lines ...string) {
		w.t.Helper()
		cmd := w.command(w.t.Context(), "--plain", "--continue")
		cmd.Stdin = strings.NewReader(strings.Join(lines, "\n") + "\n")
		if out, err := cmd.CombinedOutput(); err != nil {
			w.t.Fatalf("%v: %s", err, out)
		}
	}
	for name, test := range map[string]struct {
		hold  func(w *world)
		after []int // for each request after the first, the one that it continues
	}{
		"each question in a process of its own": {func(w *world) {
			w.ask("[[answer]] one")
			w.ask("[[answer]] two", "--continue")
			w.ask("[[answer]] three", "--continue")
		}, []int{0, 1}},
		"a file": {func(w *world) {
			w.write("list.txt", "milk\nbread\n")
			w.ask("[[answer]] one")
			w.ask("[[answer]] what is in @list.txt", "--continue")
			w.ask("[[answer]] three", "--continue")
		}, []int{0, 1}},
		"a branch": {func(w *world) {
			w.ask("[[answer]] one")
			w.ask("[[answer]] two", "--continue")
			w.ask("[[answer]] two again", "--continue", "--at", "2")
			w.ask("[[answer]] three", "--continue")
		}, []int{0, 0, 2}},
		"an answer asked for again": {func(w *world) {
			w.ask("[[answer]] one")
			say(w, "[[answer]] two", "/retry", "[[answer]] three")
		}, []int{0, 1, 2}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			test.hold(w)
			chats := w.traffic.requests()
			if len(chats) != len(test.after)+1 {
				t.Fatalf("%d requests, want %d", len(chats), len(test.after)+1)
			}
			for i, before := range test.after {
				checkExtends(t, &chats[before], &chats[i+1])
			}
		})
	}
}

func (c chatRequest) isSentence() bool {
	return recording.Purpose("/api/chat", c.body) == "sentence"
}

// checkExtends checks that a request begins with the whole request before it, byte for byte.
func checkExtends(t testing.TB, before, after *chatRequest) {
	t.Helper()
	first, second := renderPrompt(t, before), renderPrompt(t, after)
	if !strings.HasPrefix(second, first) {
		same := 0
		for same < min(len(first), len(second)) && first[same] == second[same] {
			same++
		}
		t.Errorf("after %d bytes the request differs from the one before:\n%q\nwas\n%q", same, second[same:], first[same:])
	}
}

// replyBegins matches the end of a prompt, where the reply begins.
var replyBegins = regexp.MustCompile(`<\|assistant\|><\|[^|]*\|>$`)

// renderPrompt returns the prompt that the server renders for a request, without the beginning of the reply.
func renderPrompt(t testing.TB, chat *chatRequest) string {
	t.Helper()
	var request map[string]any
	must(t, json.Unmarshal(chat.body, &request))
	request["_debug_render_only"] = true
	body, err := json.Marshal(request)
	must(t, err)
	_, text, err := exchangeWith(parts.server.URL+"/api/chat", http.MethodPost, body)
	must(t, err)
	var answer struct {
		Info struct {
			Prompt string `json:"rendered_template"`
		} `json:"_debug_info"`
	}
	if err := json.Unmarshal(text, &answer); err != nil || answer.Info.Prompt == "" {
		t.Fatalf("rendering a request: %s", text)
	}
	return replyBegins.ReplaceAllString(answer.Info.Prompt, "")
}

func serverLog(t testing.TB) string {
	t.Helper()
	log, err := parts.server.Log()
	must(t, err)
	return log
}

// replyTokens is the number of tokens at the end of a prompt that belong to the reply. They differ in the next prompt.
const replyTokens = 4

// checkCached checks that the tokens of the previous request were cached.
func checkCached(t testing.TB, reads []cacheRead, before, after *chatRequest) {
	t.Helper()
	read, least := readOf(t, reads, after), endOf(t, before.reply).Prompt-replyTokens
	if read.cached < least {
		t.Errorf("%d of %d tokens were cached, want at least %d", read.cached, read.prompt, least)
	}
}

// readOf returns the read of the prompt of a request, found by its number of tokens.
func readOf(t testing.TB, reads []cacheRead, chat *chatRequest) cacheRead {
	t.Helper()
	tokens := endOf(t, chat.reply).Prompt
	i := slices.IndexFunc(reads, func(r cacheRead) bool { return r.prompt == tokens })
	if i < 0 || tokens == 0 {
		t.Fatalf("no prompt of %d tokens in the log: %+v", tokens, reads)
	}
	return reads[i]
}
