//go:build unix

package cli_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/aloudchat/aloud/e2e/terminal"
)

// chooser is a terminal in which you choose from lists.
type chooser struct {
	*testing.T
	*terminal.Terminal
}

// choosing starts the chat on a terminal, with an empty home.
func choosing(t *testing.T, width, height int, variable string, args ...string) chooser {
	t.Helper()
	home := t.TempDir()
	cmd := exec.Command("aloud", args...)
	cmd.Dir = home
	cmd.Env = []string{"HOME=" + home, "TERM=xterm-256color", "PATH=" + os.Getenv("PATH"), variable}
	if err := os.MkdirAll(filepath.Join(home, ".config"), 0o700); err != nil {
		t.Fatal(err)
	}
	term, err := terminal.Start(cmd, width, height)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		defer cancel()
		term.Close(ctx)
	})
	c := chooser{t, term}
	c.sees("Ask anything")
	return c
}

// keys types keys, and then waits for a text on the screen.
func (c chooser) keys(keys, text string) {
	c.Helper()
	if err := c.Type(keys); err != nil {
		c.Fatal(err)
	}
	c.sees(text)
}

func (c chooser) sees(text string) {
	c.Helper()
	c.until(fmt.Sprintf("%q", text), func(screen string) bool { return strings.Contains(screen, text) })
}

func (c chooser) until(what string, seen func(screen string) bool) {
	c.Helper()
	ctx, cancel := context.WithTimeout(c.Context(), time.Minute)
	defer cancel()
	if screen, ok := c.WaitFor(ctx, seen); !ok {
		c.Fatalf("the screen does not show %s:\n%s", what, screen)
	}
}

const (
	escape = "\x1b"
	arrow  = "\x1b[B"
)

func TestTypedLettersFindTool(t *testing.T) {
	c := choosing(t, 100, 30, "NO_COLOR=1", "--demo")
	c.sees("shop 7")
	c.keys("/tools\r", "type to filter")
	c.keys("trkpar", "› ✓ Track Parcel")
	c.keys(arrow+" ", "› ○ Track Parcel") // a space alone belongs to the filter
	c.keys(escape, "›   ○ Track Parcel")
	c.keys(escape, "Ask anything")
}

func TestListOfToolsMovesNothingWhileFiltered(t *testing.T) {
	c := choosing(t, 80, 24, "NO_COLOR=", "--demo")
	c.sees("shop 7")
	c.keys("/tools\r", "type to filter")
	line := func(screen string) int {
		return slices.IndexFunc(strings.Split(screen, "\n"), func(s string) bool { return strings.Contains(s, " on · ") })
	}
	before := line(c.Screen())
	c.keys("zzz", "no match for zzz")
	if now := line(c.Screen()); now != before {
		t.Errorf("the title was in line %d and is in line %d:\n%s", before, now, c.Screen())
	}
}

func TestLettersOfCommandCompleteIt(t *testing.T) {
	c := choosing(t, 80, 24, "NO_COLOR=1", "--demo")
	c.keys("/srvs", "/servers")
	c.keys("\r", "› /servers")
	c.keys("\r", "/ to filter")
	c.keys("/zz", "no match for zz")
	c.keys(escape, "r to restart")
}

func TestThemeIsFoundByLetters(t *testing.T) {
	c := choosing(t, 80, 34, "COLORTERM=truecolor", "--demo")
	c.keys("/theme\r", "type to filter")
	c.keys("lght", "› ")
	c.keys("\r", `This chat has the theme "light"`)
}

// modelLibrary is an Ollama server with some models.
type modelLibrary struct {
	mu     sync.Mutex
	models []map[string]any
	kept   bool
	think  any // of the last question
}

func (l *modelLibrary) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	l.mu.Lock()
	defer l.mu.Unlock()
	var body map[string]any
	_ = json.NewDecoder(r.Body).Decode(&body) // none in a GET request
	reply := map[string]any{}
	switch r.URL.Path {
	case "/api/tags":
		reply["models"] = l.models
	case "/api/ps":
		if l.kept {
			reply["models"] = []any{map[string]any{"name": "gpt-oss:20b", "expires_at": "2318-01-01T00:00:00Z"}}
		}
	case "/api/show":
		for _, m := range l.models {
			if m["name"] == body["model"] {
				reply = m
			}
		}
	case "/api/delete":
		l.models = slices.DeleteFunc(l.models, func(m map[string]any) bool { return m["name"] == body["model"] })
	case "/api/generate":
		l.kept = body["keep_alive"] == -1.0
		reply = map[string]any{"done": true, "done_reason": "load"}
	case "/api/chat":
		l.think = body["think"]
		reply = map[string]any{"message": map[string]any{"content": "Fine."}, "done": true, "done_reason": "stop"}
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(reply)
}

// startLibrary starts a server with three models, and n more.
func startLibrary(t *testing.T, n int) (l *modelLibrary, address string) {
	l = &modelLibrary{}
	add := func(name, family string, size int) {
		l.models = append(l.models, map[string]any{"name": name, "model": name, "size": size, "digest": name,
			"capabilities": []string{"completion", "tools", "thinking"}, "details": map[string]any{"family": family}})
	}
	add("gemma:2b", "gemma", 1_700_000_000)
	add("gpt-oss:20b", "gptoss", 13_800_000_000)
	add("qwen3:30b", "qwen3", 18_600_000_000)
	for i := range n {
		add(fmt.Sprintf("hub/model-%d:7b", i), "llama", 4_000_000_000+i)
	}
	s := httptest.NewServer(l)
	t.Cleanup(s.Close)
	return l, "OLLAMA_HOST=" + s.URL
}

func TestModelsAreManagedInList(t *testing.T) {
	library, address := startLibrary(t, 0)
	c := choosing(t, 100, 30, address, "--no-tools", "--model", "gemma:2b")
	c.keys("/model\r", "› ● gemma:2b")
	c.keys("\x04", "gemma:2b is in use")
	c.keys("qw\x04", "Remove qwen3:30b?")
	c.keys("y", "› ↓ qw")
	c.keys(escape, "› ● gemma:2b")
	c.keys(arrow+" ", "kept · ")
	c.keys("\x1b[C\x1b[C\x1b[C", "thinking: high")
	c.keys("\r", "gpt-oss:20b")
	c.keys("Hello\r", "Fine.")
	library.mu.Lock()
	defer library.mu.Unlock()
	if library.think != "high" || len(library.models) != 2 || !library.kept {
		t.Errorf("the server has %+v", library)
	}
}

func TestSizesAreReadableOnNarrowScreen(t *testing.T) {
	_, address := startLibrary(t, 0)
	c := choosing(t, 40, 15, address, "--no-tools", "--model", "gemma:2b")
	c.keys("/model\r", "18.6 GB")
	c.sees("13.8 GB")
}

func TestListOf10000ModelsAnswersKeys(t *testing.T) {
	_, address := startLibrary(t, 10_000)
	c := choosing(t, 100, 30, address, "--no-tools", "--model", "gemma:2b")
	c.keys("/model\r", "of 10,003")
	c.keys("model7777", "› ")
	c.sees("hub/model-7777:7b")
	c.keys("\r", "hub/model-7777:7b ·")
}
