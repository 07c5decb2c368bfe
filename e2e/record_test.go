//go:build e2e && unix

package e2e

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"maps"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aloudchat/aloud/e2e/ollama"
	"github.com/aloudchat/aloud/e2e/recording"
	"github.com/aloudchat/aloud/e2e/tinymodel"
	"github.com/aloudchat/aloud/mcpclient"
	"github.com/aloudchat/aloud/mcpclient/servers"
	"github.com/aloudchat/aloud/provider/event"
	client "github.com/aloudchat/aloud/provider/ollama"
	"github.com/aloudchat/aloud/status"
)

var update = flag.Bool("update", false, "record the turns of provider/loop/testdata/recorded, which takes minutes")

const (
	recordings = "../provider/loop/testdata/recorded"
	speedup    = 20 // factor by which delays are shortened without -update
)

// TestRecordTurns plays turns with a real model server and real tool servers, delayed as on a common machine. With
// -update it records everything that came from outside, for the tests of package provider/loop. Without, it plays the
// turns faster and compares them with the recordings.
func TestRecordTurns(t *testing.T) {
	server := startScriptServer(t, tinymodel.Turns())
	for _, s := range turnStories {
		t.Run(s.name, func(t *testing.T) {
			file := filepath.Join(recordings, s.name+".jsonl")
			if *update {
				must(t, os.WriteFile(file, record(t, server, s, 1).file(), 0o644))
				return
			}
			was, err := os.ReadFile(file)
			must(t, err)
			now := record(t, server, s, speedup)
			before, after := withoutTimes(t, was), withoutTimes(t, now.file())
			if s.Stop > 0 && strings.HasPrefix(before, after) {
				return // the progress depends on the clock
			}
			if before != after {
				t.Errorf("the turn differs from the recording. If that is right, record it with -update. It was\n%s\nand is\n%s",
					before, after)
			}
		})
	}
}

// startScriptServer starts a model server that plays more scripts and has copies under the names of common models.
func startScriptServer(t testing.TB, scripts map[string]tinymodel.Script) *ollama.Server {
	t.Helper()
	all := tinymodel.Scenarios()
	maps.Copy(all, scripts)
	var model bytes.Buffer
	must(t, tinymodel.Write(&model, all))
	server, err := ollama.Start(context.Background(), parts.ollama, t.TempDir(), "OLLAMA_DEBUG=1")
	must(t, err)
	t.Cleanup(server.Stop)
	must(t, server.AddModels(t.Context(), model.Bytes(), tinymodel.Variants()...))
	for name, tiny := range recordedModels {
		post(t, server.URL+"/api/copy", map[string]any{"source": tiny, "destination": name})
	}
	return server
}

// The models of the recorded turns: one that thinks, one that does not, one whose server accepts unknown tools, and
// one that writes its calls as text.
const (
	thinker  = "qwen3:14b"
	worker   = "llama3.1:8b"
	inventor = "qwen2.5:7b"
	writer   = "mistral:7b"
)

var recordedModels = map[string]string{
	thinker: tinymodel.Full, worker: tinymodel.Tools, inventor: tinymodel.Loose, writer: tinymodel.Raw,
}

// record plays a turn, faster by the factor speedup.
func record(t testing.TB, server *ollama.Server, s turnStory, speedup int) *recorder {
	t.Helper()
	r := &recorder{t: t, server: server.URL, story: s, speedup: speedup, ids: map[string]string{}}
	if speedup == 1 || !s.real { // a real model reads what is cached again
		r.unload()
	}
	if !s.cold {
		post(t, server.URL+"/api/generate", map[string]any{"model": s.Model, "options": map[string]any{"num_ctx": s.Context}})
	}

	proxy := httptest.NewServer(r)
	defer proxy.Close()
	defer proxy.CloseClientConnections()
	model, err := client.New(proxy.URL)
	must(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	if s.Stop > 0 {
		defer time.AfterFunc(r.scaled(time.Duration(s.Stop)), cancel).Stop()
	}
	chat := s.Chat(speedup)
	chat.Model, chat.Tools = model, r.tools()
	// it requests sentences
	line := &status.Observer{Style: s.Style, Clock: chat.Shared.Clock, Show: func(status.State) {}}
	for ev := range chat.Send(ctx, s.Conversation(), s.Question) {
		line.Observe(ctx, ev)
		switch e := ev.(type) {
		case event.Asked:
			if s.evicts {
				r.unload()
			}
			r.wait(ctx, time.Duration(s.Answers))
			e.Answer(event.Decision{Allow: !s.Refuses})
		case event.Ended:
			if e.Result.Stop.Reason != s.ends {
				t.Errorf("the turn ended as %q (%s), want %q", e.Result.Stop.Reason, e.Result.Stop.Detail, s.ends)
			}
		}
	}
	return r
}

// unload unloads all models. They share a file, so the server may list one under another's name.
func (r *recorder) unload() {
	models := slices.Collect(maps.Keys(recordedModels))
	if r.story.real {
		models = []string{r.story.Model}
	}
	for _, name := range models {
		post(r.t, r.server+"/api/generate", map[string]any{"model": name, "keep_alive": 0})
	}
}

// tools starts the reference servers, or the built-in ones for a real model.
func (r *recorder) tools() *delayedTools {
	r.t.Helper()
	r.home = r.t.TempDir()
	notes := filepath.Join(r.home, "notes")
	must(r.t, os.MkdirAll(notes, 0o755))
	configured := []mcpclient.Server{
		{Name: "everything", Command: "node", Args: []string{serverProgram("everything"), "stdio"}, Trusted: true,
			EnabledTools: []string{"echo", "get-sum", "trigger-long-running-operation"}},
		{Name: "notes", Command: "node", Args: []string{serverProgram("filesystem"), notes}, Trusted: true,
			EnabledTools: []string{"read_text_file", "write_file"}},
	}
	if r.story.real {
		configured = r.builtIn(notes)
	}
	set := servers.Start(context.Background(), configured, servers.Options{Board: &servers.Board{}})
	r.t.Cleanup(func() { set.Close() })
	must(r.t, set.Ready(r.t.Context()))
	h := &delayedTools{Set: set, recorder: r, began: time.Now()}
	for _, tool := range set.Tools() {
		// The model gets only the first sentence and no output schema.
		first, _, _ := strings.Cut(tool.Description, ". ")
		tool.Description, tool.Output = strings.TrimSuffix(first, ".")+".", nil
		h.offered = append(h.offered, tool)
		r.offers = append(r.offers, recording.Line{Tool: &tool})
	}
	return h
}

// withoutTimes returns what must be equal in all runs. It leaves out loading and sentences, which depend on the
// clock, and sorts calls that ran at the same time.
func withoutTimes(t testing.TB, file []byte) string {
	t.Helper()
	blocks := []string{""}
	together, skip := 0, false // number of calls that started together
	for line := range bytes.Lines(file) {
		var e recording.Line
		must(t, json.Unmarshal(line, &e))
		if e.Request != "" {
			slices.Sort(blocks[len(blocks)-together:])
			together = 0
		}
		if e.Request != "" || e.Call != "" {
			skip = e.Request == "GET /api/ps" || e.Request == "POST /api/generate" || e.For == "sentence"
			if e.Call != "" {
				together++
			}
			blocks = append(blocks, "")
		}
		if skip || e.Progress != nil || e.Ready != nil || e.End == "left" {
			continue
		}
		e.At, e.Line = 0, measured.ReplaceAll(e.Line, []byte(`$1:0`))
		text, err := json.Marshal(e)
		must(t, err)
		blocks[len(blocks)-1] += string(text) + "\n"
	}
	return strings.Join(blocks, "")
}

// file returns the recording: the setup, then one request or call after the other.
func (r *recorder) file() []byte {
	r.mu.Lock()
	defer r.mu.Unlock()
	all := slices.Concat([]recording.Line{{Turn: &r.story.Turn}}, r.offers)
	for _, x := range r.exchanges {
		all = append(all, x.entries...)
	}
	var b bytes.Buffer
	lines := json.NewEncoder(&b)
	lines.SetEscapeHTML(false)
	for _, e := range all {
		if err := lines.Encode(e); err != nil {
			r.t.Error(err)
		}
	}
	return bytes.ReplaceAll(b.Bytes(), []byte(r.home), []byte("/home/ada"))
}
