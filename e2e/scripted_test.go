//go:build e2e && unix

package e2e

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"testing"
	"time"
)

// A scripted is an Ollama server whose test says what its model writes, and when. So a story has its own clock: nothing
// happens before the test lets it happen, and times of the server are what the test says.
type scripted struct {
	*httptest.Server
	lines chan string   // of replies
	loads chan struct{} // a load ends with a value; nil if the model is in memory
	home  string        // of all scenes
}

// A timing has the server's times of a reply.
type timing struct{ load, read, write time.Duration }

func newScripted(t testing.TB) *scripted {
	t.Helper()
	s := &scripted{lines: make(chan string, 1000), home: t.TempDir()}
	model := fmt.Sprintf(`{"name":%q,"digest":"1","size":1000,"context_length":32768}`, scriptedModel)
	mux := http.NewServeMux()
	says := func(pattern, text string) {
		mux.HandleFunc(pattern, func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, text) })
	}
	says("GET /api/version", `{"version":"0.24.0"}`)
	says("GET /api/tags", `{"models":[`+model+`,{"name":"embed:1b","digest":"2","capabilities":["embedding"]}]}`)
	says("POST /api/show", `{"capabilities":["completion","tools","thinking"],`+
		`"model_info":{"general.architecture":"llama","llama.context_length":32768}}`)
	mux.HandleFunc("GET /api/ps", func(w http.ResponseWriter, _ *http.Request) {
		inMemory := model
		if s.loads != nil {
			inMemory = ""
		}
		fmt.Fprintf(w, `{"models":[%s]}`, inMemory)
	})
	mux.HandleFunc("POST /api/generate", func(w http.ResponseWriter, r *http.Request) {
		if s.loads != nil {
			select {
			case <-s.loads:
			case <-r.Context().Done():
			}
		}
		_, _ = io.WriteString(w, `{"done":true,"done_reason":"load"}`)
	})
	mux.HandleFunc("POST /api/chat", s.reply)
	s.Server = httptest.NewServer(mux)
	t.Cleanup(func() {
		s.CloseClientConnections()
		s.Close()
	})
	return s
}

// reply writes lines up to one that ends the reply.
func (s *scripted) reply(w http.ResponseWriter, r *http.Request) {
	w.(http.Flusher).Flush()
	for {
		select {
		case line := <-s.lines:
			fmt.Fprintln(w, line)
			w.(http.Flusher).Flush()
			var last struct{ Done bool }
			if _ = json.Unmarshal([]byte(line), &last); last.Done {
				return
			}
		case <-r.Context().Done():
			return
		}
	}
}

// line adds a line with a message.
func (s *scripted) line(message map[string]any) *scripted {
	message["role"] = "assistant"
	text, _ := json.Marshal(map[string]any{"message": message})
	s.lines <- string(text)
	return s
}

func (s *scripted) text(text string) *scripted  { return s.line(map[string]any{"content": text}) }
func (s *scripted) think(text string) *scripted { return s.line(map[string]any{"thinking": text}) }

func (s *scripted) call(tool string, arguments map[string]any) *scripted {
	function := map[string]any{"name": tool, "arguments": arguments}
	return s.line(map[string]any{"tool_calls": []any{map[string]any{"function": function}}})
}

// done ends a reply.
func (s *scripted) done(took timing) {
	s.lines <- fmt.Sprintf(`{"message":{"role":"assistant"},"done":true,"done_reason":"stop","prompt_eval_count":100,`+
		`"eval_count":40,"load_duration":%d,"prompt_eval_duration":%d,"eval_duration":%d}`, took.load, took.read, took.write)
}

const scriptedModel = "scripted:8b"

// scene opens aloud with the server, in a folder with a list, on a screen of a size. It waits until you can type.
func (s *scripted) scene(t testing.TB, width, height int, environment ...string) *screen {
	t.Helper()
	w := &world{t: t, home: s.home}
	w.write("config.toml", fmt.Sprintf("model = %q\nhost = %q\n[mcp_servers.files]\nbuiltin_write = true\n",
		scriptedModel, s.URL))
	w.write("notes/todo.md", "# Todo\n\n- buy milk\n- call Anna\n")
	cmd := w.command(t.Context())
	cmd.Dir = filepath.Join(w.home, "notes")
	cmd.Env = append(cmd.Env, environment...)
	screen := w.openTerminal(cmd, width, height)
	screen.see("› ")
	return screen
}
