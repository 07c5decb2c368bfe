//go:build e2e && unix

package e2e

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"math"
	"net/http"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/aloudchat/aloud/e2e/recording"
	"github.com/aloudchat/aloud/mcpclient"
	"github.com/aloudchat/aloud/mcpclient/servers"
)

// A recorder is a proxy for the model server that delays and records replies.
type recorder struct {
	t       testing.TB
	server  string
	story   turnStory
	speedup int // factor by which delays are shortened
	home    string

	mu        sync.Mutex
	offers    []recording.Line
	exchanges []*exchange
	answers   int               // number of requests for an answer so far
	ids       map[string]string // of calls; the server chooses them at random
}

// An exchange is a request or a call, and its results.
type exchange struct {
	recorder *recorder
	began    time.Time
	entries  []recording.Line
}

func (r *recorder) scaled(d time.Duration) time.Duration { return d / time.Duration(r.speedup) }

// wait waits for d, divided by the speedup, and reports whether ctx is still valid.
func (r *recorder) wait(ctx context.Context, d time.Duration) bool {
	select {
	case <-time.After(r.scaled(d)):
	case <-ctx.Done():
	}
	return ctx.Err() == nil
}

func (r *recorder) begin(first recording.Line) *exchange {
	r.mu.Lock()
	defer r.mu.Unlock()
	x := &exchange{r, time.Now(), []recording.Line{first}}
	r.exchanges = append(r.exchanges, x)
	return x
}

// add records an entry. Its time is in tenths of a second, so that recordings seldom differ.
func (x *exchange) add(e recording.Line) {
	x.recorder.mu.Lock()
	defer x.recorder.mu.Unlock()
	e.At = recording.Span(time.Since(x.began).Truncate(100 * time.Millisecond))
	x.entries = append(x.entries, e)
}

// due waits until a moment of the exchange.
func (x *exchange) due(ctx context.Context, at time.Duration) bool {
	return x.recorder.wait(ctx, at-time.Since(x.began)*time.Duration(x.recorder.speedup))
}

// ServeHTTP forwards the request and reads the whole reply before it sends any of it, so that the server can finish
// every reply.
func (r *recorder) ServeHTTP(rw http.ResponseWriter, req *http.Request) {
	body, err := io.ReadAll(req.Body)
	if err != nil {
		return // the client has gone
	}
	status, kind, lines := r.forward(req, body)
	if req.URL.Path == "/api/tags" || status == 0 {
		rw.WriteHeader(max(status, http.StatusBadGateway))
		return // depends on this machine
	}
	p := r.planFor(req.URL.Path, body)
	p.held = r.heldBack(lines)
	x := r.begin(recording.Line{Request: req.Method + " " + req.URL.Path, For: p.purpose, Status: status, Type: kind})
	if p.fault == dropConnection { // the connection of a client that has left is closed, too
		x.due(req.Context(), p.first)
		x.add(recording.Line{End: "lost"})
		panic(http.ErrAbortHandler)
	}
	rw.Header().Set("Content-Type", kind)
	for i, line := range lines {
		if p.fault != noFault && i == 5 {
			break
		}
		if !x.due(req.Context(), p.first+time.Duration(p.held+i)*p.word) {
			x.add(recording.Line{End: "left"})
			return
		}
		line = x.normalize(line, p, i)
		x.add(recording.Line{Line: line})
		if i == 0 {
			rw.WriteHeader(status)
		}
		_, _ = rw.Write(append(line, '\n')) // fails if the client has gone
		_ = http.NewResponseController(rw).Flush()
	}
	switch p.fault {
	case stallReply:
		<-req.Context().Done()
		x.add(recording.Line{End: "left"})
	case pauseReply: // the reply stops here
		x.due(req.Context(), p.first+8*time.Second)
		x.add(recording.Line{End: "cut"})
	}
}

// forward makes the request and returns the reply's lines. The status is 0 if it failed.
func (r *recorder) forward(req *http.Request, body []byte) (status int, kind string, lines []json.RawMessage) {
	resp, answer, err := exchangeWith(r.server+req.URL.Path, req.Method, body)
	if err != nil {
		r.t.Error(err)
		return 0, "", nil
	}
	for line := range bytes.Lines(answer) {
		if line = bytes.TrimSpace(line); len(line) > 0 {
			lines = append(lines, line)
		}
	}
	return resp.StatusCode, resp.Header.Get("Content-Type"), lines
}

func exchangeWith(url, method string, body []byte) (*http.Response, []byte, error) {
	out, err := http.NewRequest(method, url, bytes.NewReader(body))
	if err != nil {
		return nil, nil, err
	}
	resp, err := http.DefaultClient.Do(out)
	if err != nil {
		return nil, nil, err
	}
	defer resp.Body.Close()
	answer, err := io.ReadAll(resp.Body)
	return resp, answer, err
}

// post sends body as JSON.
func post(t testing.TB, url string, body any) {
	t.Helper()
	text, err := json.Marshal(body)
	must(t, err)
	resp, reply, err := exchangeWith(url, http.MethodPost, text)
	must(t, err)
	if resp.StatusCode != http.StatusOK {
		t.Fatalf("%s: %s: %s", url, resp.Status, reply)
	}
}

// A plan says how a reply is delayed.
type plan struct {
	purpose     string
	first, word time.Duration
	held        int // tokens that come later because they are part of a call
	fault       fault
}

// heldBack returns how many tokens of a real model's reply have no line of their own.
func (r *recorder) heldBack(lines []json.RawMessage) int {
	var last struct {
		Count int `json:"eval_count"`
	}
	if !r.story.real || len(lines) == 0 || json.Unmarshal(lines[len(lines)-1], &last) != nil {
		return 0
	}
	return max(0, last.Count-len(lines))
}

func (r *recorder) planFor(path string, body []byte) plan {
	s := r.story
	switch path {
	case "/api/generate":
		return plan{first: s.load}
	case "/api/chat":
	default:
		return plan{}
	}
	switch purpose := recording.Purpose(path, body); purpose {
	case "sentence":
		return plan{purpose: purpose, first: s.sentence, word: 100 * time.Millisecond}
	case "summary":
		return plan{purpose: purpose, first: s.summary, word: 100 * time.Millisecond}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	n := r.answers
	r.answers++
	return plan{purpose: "answer", first: s.read[min(n, len(s.read)-1)], word: s.word, fault: s.faults[n]}
}

// measured matches durations and the count of tokens, which depends on the path of the home.
var measured = regexp.MustCompile(`("[a-z_]+_duration"|"prompt_eval_count"):[0-9]+`)

// normalize removes the parts of a line that differ between runs or that aloud does not use. The durations in the last
// line become the delays.
func (x *exchange) normalize(line json.RawMessage, p plan, i int) json.RawMessage {
	var object map[string]any
	numbers := json.NewDecoder(bytes.NewReader(line))
	numbers.UseNumber()
	if numbers.Decode(&object) != nil {
		return line
	}
	for _, key := range []string{"created_at", "model", "total_duration", "modelfile", "template", "license", "parameters",
		"modified_at", "tensors", "projector_info", "details"} {
		delete(object, key)
	}
	if object["done"] == true {
		object["load_duration"] = 0
		if p.purpose == "" { // the request that loads the model
			object["load_duration"] = int64(p.first)
		} else {
			object["prompt_eval_duration"], object["eval_duration"] = int64(p.first), int64(time.Duration(p.held+i)*p.word)
		}
	}
	real := x.recorder.story.real
	if info, ok := object["model_info"].(map[string]any); ok {
		maps.DeleteFunc(info, func(key string, value any) bool {
			return value == nil || !real && key != "general.architecture" && !strings.HasSuffix(key, ".context_length")
		})
	}
	if models, ok := object["models"].([]any); ok {
		for _, m := range models {
			maps.DeleteFunc(m.(map[string]any), func(key string, _ any) bool {
				return key != "name" && key != "context_length" && (!real || key == "details" || key == "expires_at")
			})
		}
	}
	out, err := json.Marshal(object)
	if err != nil {
		x.recorder.t.Error(err)
	}
	return callIDs.ReplaceAllFunc(out, x.recorder.id)
}

var callIDs = regexp.MustCompile(`"id":"[^"]*"`)

// id numbers the calls in the order in which they came.
func (r *recorder) id(id []byte) []byte {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.ids[string(id)] == "" {
		r.ids[string(id)] = fmt.Sprintf(`"id":"call_%d"`, len(r.ids)+1)
	}
	return []byte(r.ids[string(id)])
}

// delayedTools are real tools whose calls are delayed and recorded.
type delayedTools struct {
	*servers.Set
	recorder *recorder
	offered  []mcpclient.Tool
	began    time.Time
	listed   sync.Once
	running  atomic.Int32
}

func (h *delayedTools) Tools() []mcpclient.Tool { return h.offered }

// Starting implements loop.Starting: one server becomes ready after the other.
func (h *delayedTools) Starting() (settled, all int, changed <-chan struct{}) {
	r := h.recorder
	each := r.scaled(r.story.connect)
	_, all, _ = h.Set.Starting()
	h.listed.Do(func() {
		var ready []recording.Span
		for n := range all {
			ready = append(ready, recording.Span(time.Duration(n+1)*r.story.connect))
		}
		r.offers = append(r.offers, recording.Line{Ready: ready})
	})
	ready := make(chan struct{})
	if each == 0 {
		return all, all, ready
	}
	settled = min(int(math.Floor(time.Since(h.began).Seconds()/each.Seconds())), all)
	time.AfterFunc(time.Until(h.began.Add(time.Duration(settled+1)*each)), func() { close(ready) })
	return settled, all, ready
}

// Call implements loop.Tools. Calls that run at the same time end one after the other. Cancelled calls are not
// delayed.
func (h *delayedTools) Call(
	ctx context.Context, call mcpclient.Call, progress func(mcpclient.Progress),
) (mcpclient.Result, error) {
	least := h.recorder.story.tool + time.Duration(h.running.Add(1)-1)*500*time.Millisecond
	defer h.running.Add(-1)
	x := h.recorder.begin(recording.Line{Call: call.Tool, Arguments: call.Arguments})
	call.Judged = "" // the offered tools have shorter descriptions
	result, err := h.Set.Call(ctx, call, func(p mcpclient.Progress) {
		x.add(recording.Line{Progress: &p})
		progress(p)
	})
	x.due(ctx, least)
	switch {
	case ctx.Err() != nil:
		x.add(recording.Line{End: "left"})
	case err != nil:
		x.add(recording.Line{Error: err.Error()})
	default:
		x.add(recording.Line{Result: &result})
	}
	return result, err
}
