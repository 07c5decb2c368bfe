//go:build e2e && linux

package e2e

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/aloudchat/aloud/e2e/tinymodel"
)

// These tests measure the program from outside. Their limits are several times what they measured, so that they fail
// only if the program does another kind of work: for each frame of a timer, or for the whole conversation.

// tokenServer is a model server that answers each message with a number of tokens and the message.
type tokenServer struct {
	*httptest.Server
	requests atomic.Int64
}

func newTokenServer(t testing.TB, tokens int) *tokenServer {
	t.Helper()
	mux := http.NewServeMux()
	for path, reply := range map[string]string{
		"GET /api/version": `{"version":"0.24.0"}`,
		"GET /api/ps": fmt.Sprintf(`{"models":[{"name":%q,"digest":"d","context_length":1000000}]}`,
			tinymodel.Full),
		"POST /api/show": `{"capabilities":["completion","tools"],"model_info":{"general.architecture":"llama",` +
			`"llama.context_length":1000000}}`,
	} {
		mux.HandleFunc(path, func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, reply) })
	}
	mux.HandleFunc("POST /api/chat", func(w http.ResponseWriter, r *http.Request) {
		var chat chatRequest
		if err := json.NewDecoder(r.Body).Decode(&chat); err != nil {
			t.Error(err)
			return
		}
		for n := range tokens {
			fmt.Fprintf(w, `{"message":{"content":"word%d "}}`+"\n", n*n%997) // no repetition
		}
		last := chat.Messages[len(chat.Messages)-1].Content
		fmt.Fprintf(w, `{"message":{"content":"\n\nThat was %s."},"done":true,"done_reason":"stop","eval_count":%d}`+"\n",
			last, tokens)
	})
	s := &tokenServer{}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.requests.Add(1)
		mux.ServeHTTP(w, r)
	}))
	t.Cleanup(s.Close)
	return s
}

func TestAnswerTakesTwoRequests(t *testing.T) {
	w, server := newWorld(t), newTokenServer(t, 1)
	w.configure(server.URL, "")
	for range 2 { // without and with what is remembered of the model
		server.requests.Store(0)
		out := w.run("-p", "hello")
		if n := server.requests.Load(); n > 2 || !strings.Contains(out.stdout, "That was hello.") {
			t.Errorf("%d requests, want at most 2: %q\n%s", n, out.stdout, out.stderr)
		}
	}
}

// TestCostsDoNotGrow sends messages that are answered with many tokens. The cost of a turn must not depend on those
// before it, and the program must sleep afterwards.
func TestCostsDoNotGrow(t *testing.T) {
	const turns, tokens, some = 40, 5000, 5
	w := newWorld(t)
	w.settings = "context = 1000000"
	w.configure(newTokenServer(t, tokens).URL, "")
	s := w.chat()
	var cpu []time.Duration // of the turns
	memory := 0
	for n := range turns {
		before := s.cpu()
		s.enter(fmt.Sprintf("turn %d", n))
		s.see(fmt.Sprintf("That was turn %d.", n))
		if cpu = append(cpu, s.cpu()-before); n == some-1 {
			memory = s.status("status", "VmRSS")
		}
	}
	memory = s.status("status", "VmRSS") - memory
	sum := func(turns []time.Duration) (all time.Duration) {
		for _, used := range turns {
			all += used
		}
		return all
	}
	first, last := sum(cpu[:some]), sum(cpu[turns-some:])
	t.Logf("processor time of the first and the last turns: %v and %v", first, last)
	if last > 2*first {
		t.Errorf("the last turns took %v of processor time, and the first %v", last, first)
	}
	if perToken := s.term.Written() / (turns * tokens); perToken > 40 {
		t.Errorf("%d bytes per token were sent to the terminal, want at most 40", perToken)
	}
	perToken := memory * 1024 / ((turns - some) * tokens)
	t.Logf("%d bytes of memory per token", perToken)
	if perToken > 400 {
		t.Errorf("the memory grew by %d bytes per token, want at most 400", perToken)
	}
	s.seeSleep()
	s.quit()
}

// seeSleep waits until the threads of the program wake up less than ten times a second, as they do without a timer.
func (s *screen) seeSleep() {
	s.t.Helper()
	for range 5 { // the garbage collector may still work
		before := s.status("task/*/status", "voluntary_ctxt_switches")
		time.Sleep(2 * time.Second)
		woken := s.status("task/*/status", "voluntary_ctxt_switches") - before
		s.t.Logf("%d wake-ups in two seconds", woken)
		if woken < 20 {
			return
		}
	}
	s.t.Error("the idle program wakes up more often than ten times a second")
}

// status returns a number of the files in the program's folder of /proc, or their sum.
func (s *screen) status(files, name string) (sum int) {
	s.t.Helper()
	paths, err := filepath.Glob(fmt.Sprintf("/proc/%d/%s", s.term.Process().Pid, files))
	if err != nil || len(paths) == 0 {
		s.t.Fatalf("cannot read the status: %v", err)
	}
	for _, path := range paths {
		text, _ := os.ReadFile(path) // a thread may have ended
		_, value, _ := strings.Cut(string(text), "\n"+name+":\t")
		var n int
		_, _ = fmt.Sscan(value, &n)
		sum += n
	}
	return sum
}
