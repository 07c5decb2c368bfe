//go:build e2e && unix

package e2e

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aloudchat/aloud/e2e/ollama"
	"github.com/aloudchat/aloud/e2e/recording"
	"github.com/aloudchat/aloud/e2e/tinymodel"
	"github.com/aloudchat/aloud/mcpclient"
	"github.com/aloudchat/aloud/provider"
	"github.com/aloudchat/aloud/provider/event"
	"github.com/aloudchat/aloud/provider/loop"
	client "github.com/aloudchat/aloud/provider/ollama"
	"github.com/aloudchat/aloud/provider/repair"
	"github.com/aloudchat/aloud/status"
)

// These tests check against a real server that sentences for the status line cost nothing, and that only sentences
// are shown.

// lookUpTool is the only tool of these turns.
const lookUpTool = "box__look_up"

func lookUpCall(what string) string {
	return fmt.Sprintf("<tool_call>\n{\"name\": %q, \"arguments\": {\"what\": %q}}\n</tool_call>", lookUpTool, what)
}

// tenRounds returns a script of ten calls, with thoughts before each if the model is asked to think.
func tenRounds(name string) tinymodel.Script {
	var script tinymodel.Script
	for n := range 10 {
		script = append(script, tinymodel.Step{
			Think: fmt.Sprintf("Thought %d of %s leads further.", n, name),
			Text:  lookUpCall(fmt.Sprintf("part %d of %s", n, name)),
		})
	}
	return append(script, tinymodel.Step{Text: fmt.Sprintf("All ten parts of %s were found.\n", name)})
}

// withoutThoughts returns the same script without thoughts.
func withoutThoughts(name string) tinymodel.Script {
	script := tenRounds(name)
	for n := range script {
		script[n].Think = ""
	}
	return script
}

// lookUpTools implements the tool.
type lookUpTools struct {
	duration time.Duration
	waitFor  <-chan struct{} // if not nil, the call waits for it
}

func (b lookUpTools) Tools() []mcpclient.Tool {
	return []mcpclient.Tool{{
		Name: lookUpTool, Server: "box", ServerTool: "look_up", Description: "Looks something up.",
		Trusted: true, ReadOnly: true,
		Schema: json.RawMessage(`{"type":"object","properties":{"what":{"type":"string"}},"required":["what"]}`),
	}}
}

func (b lookUpTools) Call(ctx context.Context, _ mcpclient.Call, _ func(mcpclient.Progress)) (
	mcpclient.Result, error,
) {
	if b.waitFor != nil {
		select {
		case <-b.waitFor:
		case <-time.After(waitLimit):
		}
	}
	select {
	case <-time.After(b.duration):
		return mcpclient.Result{Text: "found it on page 12, third line"}, nil
	case <-ctx.Done():
		return mcpclient.Result{}, ctx.Err()
	}
}

// A sentenceTest plays turns on a server.
type sentenceTest struct {
	t      testing.TB
	server *ollama.Server
}

// play plays a turn at an address. It returns the texts of the status line while the tool ran, and the result.
func (p sentenceTest) play(address string, chat *loop.Chat, style status.Style, question string) (
	shown []string, result event.Result,
) {
	p.t.Helper()
	if chat.Model == nil {
		chat.Model = p.client(address)
	}
	chat.Context, chat.Interactive = 8192, true
	chat.Limits = loop.Limits{Iterations: 20}
	line := &status.Observer{Style: style, Clock: chat.Shared.Clock, Show: func(s status.State) {
		if s.Phase == status.UsingTool && !slices.Contains(shown, s.Words()) {
			shown = append(shown, s.Words())
		}
	}}
	for ev, err := range chat.Send(p.t.Context(), provider.Conversation{}, question) {
		line.Observe(p.t.Context(), ev)
		if e, ok := ev.(event.Ended); ok {
			if result = e.Result; result.Stop.Reason != event.Done {
				p.t.Errorf("%s: the turn ended as %q: %v", question, result.Stop.Reason, err)
			}
		}
	}
	return shown, result
}

func (p sentenceTest) client(address string) *client.Client {
	p.t.Helper()
	c, err := client.New(address)
	must(p.t, err)
	return c
}

// unloadModel unloads a model and its cache.
func (p sentenceTest) unloadModel(model string) {
	post(p.t, p.server.URL+"/api/generate", map[string]any{"model": model, "keep_alive": 0})
}

// templateEdits are replacements in a model's template.
type templateEdits [][2]string

var (
	// thinkMarks leaves out earlier thoughts, and puts a mark for thinking after the last message of the user.
	marks = templateEdits{
		{"{{- range .Messages }}{{ $text", "{{- $asked := 0 }}{{ range $i, $m := .Messages }}" +
			"{{ if eq $m.Role \"user\" }}{{ $asked = $i }}{{ end }}{{ end }}\n" +
			"{{- range $at, $_ := .Messages }}{{ $text"},
		{"<|user|>{{ $text }}<|end|>", "<|user|>{{ $text }}{{ if and $.IsThinkSet (eq $at $asked) }}" +
			"{{ if $.Think }} /think{{ else }} /no_think{{ end }}{{ end }}<|end|>"},
		{"{{- if .Thinking }}<think>", "{{- if and .Thinking (gt $at $asked) }}<think>"},
	}
	// lateTools puts the tools into the last message if it is the user's.
	lateTools = templateEdits{
		{"{{- range .Messages }}{{ $text", "{{- range $at, $_ := .Messages }}{{ $text"},
		{"{{- if .Tools }}\n# Tools\n{{ range .Tools }}{{ json . }}\n{{ end }}{{ end }}", ""},
		{"<|user|>{{ $text }}<|end|>", "<|user|>{{ if and $.Tools (eq (len (slice $.Messages $at)) 1) }}" +
			"{{ range $.Tools }}{{ json . }}\n{{ end }}{{ end }}{{ $text }}<|end|>"},
	}
)

// addVariant adds a variant of a model with an edited template.
func (p sentenceTest) addVariant(name, like string, edits templateEdits) string {
	p.t.Helper()
	variants := tinymodel.Variants()
	text := variants[slices.IndexFunc(variants, func(v tinymodel.Variant) bool { return v.Name == like })].Template
	for _, change := range edits {
		if strings.Count(text, change[0]) != 1 {
			p.t.Fatalf("the template does not contain %q once", change[0])
		}
		text = strings.Replace(text, change[0], change[1], 1)
	}
	post(p.t, p.server.URL+"/api/create", map[string]any{"model": name, "from": like, "template": text, "stream": false})
	return name
}

func TestSentencesReuseCache(t *testing.T) {
	p := sentenceTest{t, startScriptServer(t, map[string]tinymodel.Script{
		"decade": tenRounds("the decade"), "year": withoutThoughts("one year"),
		"status": {{Text: "Looking up what was asked for"}},
	})}
	marks, late := p.addVariant("marks:8b", tinymodel.Full, marks), p.addVariant("late:8b", tinymodel.Tools, lateTools)
	for _, test := range []struct {
		name, model string
		think       provider.Think
		script      string
		requested   bool // sentences must be requested; otherwise they may be
	}{
		{name: "no thinking", model: worker, script: "decade", requested: true},
		{name: "tools in the last message", model: late, script: "decade", requested: true},
		{name: "thinking on", model: thinker, think: provider.ThinkOn, script: "decade"},
		{name: "thinking off", model: thinker, think: provider.ThinkOff, script: "decade", requested: true},
		{name: "marks, thinking on", model: marks, think: provider.ThinkOn, script: "decade"},
		{name: "marks, thinking off", model: marks, think: provider.ThinkOff, script: "decade", requested: true},
		{name: "marks, thinking auto", model: marks, script: "decade"},
		{name: "auto without thoughts", model: thinker, script: "year"},
		{name: "marks, auto without thoughts", model: marks, script: "year"},
	} {
		t.Run(test.name, func(t *testing.T) {
			p := sentenceTest{t, p.server}
			chat := func() *loop.Chat {
				tools := lookUpTools{duration: 400 * time.Millisecond}
				return &loop.Chat{Repair: repair.New(), Name: test.model, Think: test.think, Tools: tools,
					Shared: new(loop.Shared)}
			}
			named, _, namedReads := p.rounds(chat(), status.StyleName, test.script)
			withSentences, sentences, sentenceReads := p.rounds(chat(), status.StyleSentence, test.script)
			if len(named) != 11 || len(withSentences) != 11 {
				t.Fatalf("%d requests with names and %d with sentences, want 11", len(named), len(withSentences))
			}
			if test.requested && sentences == 0 {
				t.Error("no sentence was requested, so the test proves nothing")
			}
			for i := range named {
				before, after := readOf(t, namedReads, &named[i]), readOf(t, sentenceReads, &withSentences[i])
				if before.prompt != after.prompt {
					t.Errorf("request %d has %d tokens with names and %d with sentences", i, before.prompt, after.prompt)
				}
				without, with := before.new(), after.new()
				if with > without+replyTokens {
					t.Errorf("request %d has %d uncached tokens with names and %d with sentences", i, without, with)
				}
			}
			t.Logf("%d sentences", sentences)
		})
	}
}

// rounds plays ten rounds with an empty cache. It returns the requests, the number of requests for sentences, and the
// cache reads.
func (p sentenceTest) rounds(chat *loop.Chat, style status.Style, script string) (
	requests []chatRequest, sentences int, reads []cacheRead,
) {
	t := p.t
	t.Helper()
	p.unloadModel(chat.Name)
	tr := newTraffic(t, p.server.URL)
	before, err := p.server.Log()
	must(t, err)
	p.play(tr.URL, chat, style, "[["+script+"]] Look all of it up.")
	log, err := p.server.Log()
	must(t, err)
	for _, request := range tr.requests() {
		if request.isSentence() {
			sentences++
		} else {
			requests = append(requests, request)
		}
	}
	return requests, sentences, cacheReads(t, strings.TrimPrefix(log, before))
}

// TestSlowSentenceIsCancelled checks that a sentence that is not ready when the tool ends is cancelled.
func TestSlowSentenceIsCancelled(t *testing.T) {
	p := sentenceTest{t, startScriptServer(t, map[string]tinymodel.Script{
		"patient": {{Text: lookUpCall("patience")}, {Text: "It is on the twelfth page.\n"}},
	})}
	requested, gone := make(chan struct{}), make(chan struct{})
	proxy := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, req *http.Request) {
		body, err := io.ReadAll(req.Body)
		if err != nil {
			return // the client has gone
		}
		if recording.Purpose(req.URL.Path, body) == "sentence" {
			close(requested)
			<-req.Context().Done() // its connection is closed
			close(gone)
			return
		}
		resp, answer, err := exchangeWith(p.server.URL+req.URL.Path, req.Method, body)
		if err != nil {
			t.Error(err)
			return
		}
		rw.Header().Set("Content-Type", resp.Header.Get("Content-Type"))
		rw.WriteHeader(resp.StatusCode)
		_, _ = rw.Write(answer) // fails if the client has gone
	}))
	defer proxy.Close()
	chat := &loop.Chat{Repair: repair.New(), Name: worker, Tools: lookUpTools{waitFor: requested},
		Shared: new(loop.Shared)}
	shown, result := p.play(proxy.URL, chat, status.StyleSentence, "[[patient]] Look it up.")
	if want := []string{"Using Look Up on box…"}; !slices.Equal(shown, want) {
		t.Errorf("the line showed %q, want %q", shown, want)
	}
	if !strings.Contains(result.Answer, "twelfth") {
		t.Errorf("the answer is %q", result.Answer)
	}
	select {
	case <-gone:
	case <-time.After(waitLimit):
		t.Error("the connection of the sentence is still open")
	}
}
