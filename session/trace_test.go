package session

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

const tracedSession = `{"type":"meta","time":"2026-11-20T10:00:00Z","version":1,"id":"20261120-100000-abcd",` +
	`"folder":"/secret/folder","provider":"ollama"}
{"type":"model","time":"2026-11-20T10:00:00Z","model":"qwen3:8b"}
{"type":"message","time":"2026-11-20T10:00:00Z","message":{"role":"user","text":"a secret question"}}
{"type":"end","time":"2026-11-20T10:00:10Z","end":{"stop":{"reason":"error","detail":"secret address"},"rounds":1,` +
	`"tool_calls":[{"id":"c1","name":"files__read","server":"files","title":"Read File","status":"error",` +
	`"error":"secret error"}],` +
	`"sources":["file:///secret"],"usage":{"prompt_tokens":500,"answer_tokens":20},"timing_ms":{"total":10000,"steps":[` +
	`{"kind":"load","ms":4000,"start_ms":1},{"kind":"read","ms":1000,"tokens":480,"start_ms":4000},` +
	`{"kind":"write","ms":500,"tokens":8,"start_ms":5000},` +
	`{"kind":"tool","title":"Read File\u001b[31m","status":"error","ms":2000,"start_ms":5500},` +
	`{"kind":"write","ms":1000,"tokens":12,"start_ms":9000}]}}}
`

// tracesOf returns the spans of a session by name.
func tracesOf(t *testing.T, file string) (line []byte, spans map[string]span) {
	t.Helper()
	const id = "20261120-100000-abcd"
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, id+extension), []byte(file), 0o600); err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if err := Open(dir).Trace(&out, id); err != nil {
		t.Fatal(err)
	}
	var all struct {
		ResourceSpans []struct {
			ScopeSpans []struct{ Spans []span }
		}
	}
	if err := json.Unmarshal(out.Bytes(), &all); err != nil {
		t.Fatal(err)
	}
	spans = map[string]span{}
	for _, s := range all.ResourceSpans[0].ScopeSpans[0].Spans {
		spans[s.Name] = s
	}
	return out.Bytes(), spans
}

func TestTraceHasTimesAndNoContents(t *testing.T) {
	line, spans := tracesOf(t, strings.Replace(tracedSession, `Read File\u001b[31m`, "Read File", 1))
	if strings.Contains(string(line), "secret") || bytes.Count(line, []byte("\n")) != 1 {
		t.Errorf("the trace is %s", line)
	}
	root, tool := spans["invoke_agent aloud"], spans["execute_tool files__read"]
	seconds := func(s span) float64 {
		start, _ := strconv.ParseInt(s.Start, 10, 64)
		end, _ := strconv.ParseInt(s.End, 10, 64)
		return float64(end-start) / 1e9
	}
	if seconds(root) != 10 || seconds(tool) != 2 || seconds(spans["load qwen3:8b"]) != 4 {
		t.Errorf("the times are wrong: %s", line)
	}
	if root.Status.Code != statusError || tool.Status.Code != statusError || root.ParentID != "" ||
		tool.ParentID != root.SpanID || tool.TraceID != root.TraceID ||
		len(root.TraceID) != 32 || len(root.SpanID) != 16 {
		t.Errorf("root %+v, tool %+v", root, tool)
	}
}

func TestTraceOfHostileNames(t *testing.T) {
	line, spans := tracesOf(t, tracedSession)
	if bytes.Contains(line, []byte("\x1b")) || bytes.Contains(line, []byte("u001b")) || len(spans) == 0 {
		t.Errorf("the trace is %s", line)
	}
	again, _ := tracesOf(t, tracedSession)
	if !bytes.Equal(line, again) {
		t.Error("the same session has two traces")
	}
}

func TestTraceHasNoPathOfModel(t *testing.T) {
	for model, want := range map[string]string{
		"/home/anna/secret/q.gguf": "q.gguf", `C:\\secret\\q.gguf`: "q.gguf", "file:///secret/q.gguf": "q.gguf",
		"~/secret/q.gguf": "q.gguf", "Qwen/Qwen2.5": "Qwen/Qwen2.5",
	} {
		line, spans := tracesOf(t, strings.Replace(tracedSession, "qwen3:8b", model, 1))
		if _, ok := spans["chat "+want]; !ok || strings.Contains(string(line), "secret") {
			t.Errorf("%s: %s", model, line)
		}
	}
}

func TestTraceWithoutTimes(t *testing.T) {
	line, spans := tracesOf(t, strings.Replace(tracedSession, `"time":"2026-11-20T10:00:10Z",`, "", 1))
	if len(spans) > 0 || strings.Contains(string(line), "-") {
		t.Errorf("the trace is %s", line)
	}
}
