package servers

import (
	"cmp"
	"context"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/aloudchat/aloud/e2e/badserver"
	"github.com/aloudchat/aloud/internal/sanitize"
	"github.com/aloudchat/aloud/mcpclient"
	"github.com/aloudchat/aloud/mcpclient/elicit"
)

var update = flag.Bool("update", false, "write anew what becomes of servers that misbehave")

const (
	badServer = "badserver" // the first argument that makes this binary a server that misbehaves
	badSecret = "hunter22-and-more"
)

// TestServersThatMisbehave runs every mode beside a correct server. The golden file has the messages that you see. No
// goroutine, file or process may be left.
func TestServersThatMisbehave(t *testing.T) {
	mark := t.TempDir()
	before := takeStock(t, mark)
	var stories sync.Map
	t.Run("all", func(t *testing.T) {
		for _, mode := range badserver.Modes() {
			if mode.Heavy {
				continue
			}
			for _, over := range []string{badserver.Stdio, badserver.HTTP} {
				if mode.Over != "" && mode.Over != over {
					continue
				}
				t.Run(over+" "+mode.Name, func(t *testing.T) {
					t.Parallel()
					stories.Store(over+" "+mode.Name, misbehave(t, mode, over, mark))
				})
			}
		}
	})
	before.compare(t, mark)
	compareStories(t, &stories, "misbehaving.txt")
}

// bad returns the configuration of a server in a mode. Only a mode that hangs gets short timeouts.
func bad(t *testing.T, mode badserver.Mode, over, mark string) mcpclient.Server {
	config := mcpclient.Server{Name: "bad", StartupTimeout: 2 * time.Minute, ToolTimeout: 2 * time.Minute,
		Secrets: []string{badSecret}}
	switch mode.Hangs {
	case badserver.AtStart:
		if over == badserver.HTTP && mode.Over == "" {
			break // each request gets its own response there, however wrong
		}
		config.StartupTimeout = 300 * time.Millisecond
	case badserver.AfterWords:
		config.StartupTimeout = 10 * time.Second // its process must have started by then
	case badserver.AtCall:
		config.ToolTimeout = 300 * time.Millisecond
	}
	if over == badserver.Stdio {
		config.Command, config.Args = os.Args[0], []string{badServer, mode.Name, mark}
		config.Env = map[string]string{badserver.SecretVariable: badSecret, "GORACE": "atexit_sleep_ms=0"}
		return config
	}
	config.URL = serveHTTP(t, badserver.Handler(mode))
	config.Headers = map[string]string{badserver.SecretHeader: badSecret}
	return config
}

// find returns a mode.
func find(t *testing.T, name string) badserver.Mode {
	t.Helper()
	mode, err := badserver.Find(name)
	must(t, err)
	return mode
}

// misbehave runs a server in a mode beside a correct one, and returns the messages that you see.
func misbehave(t *testing.T, mode badserver.Mode, over, mark string) string {
	set, board := readyWith(t, Options{Host: polite{}, Roots: []elicit.Root{{URI: "file:///tmp"}}},
		bad(t, mode, over, mark), mcpclient.Server{Name: "good", Local: inner{MCPServer: workshop(t)}})
	defer set.Close()
	var story strings.Builder
	s := board.Servers()[0]
	fmt.Fprintf(&story, "%s %s: %s\n  %s: %s\n", over, mode.Name, mode.Does, s.State, hideChance(cmp.Or(s.Detail, "-")))
	for _, line := range s.Stderr[max(0, len(s.Stderr)-2):] {
		if mode.Name != "chatters" && s.State != mcpclient.ServerReady { // the amount of output so far varies
			fmt.Fprintf(&story, "    | %s\n", line)
		}
	}
	if s.Detail != sanitize.Line(s.Detail) || len(s.Detail) > 500 {
		t.Errorf("the board says %.600q", s.Detail)
	}
	if !slices.ContainsFunc(set.Tools(), func(t mcpclient.Tool) bool { return t.Name == "bad__use" }) {
		if tools := len(set.Tools()) - 7; tools != 0 {
			fmt.Fprintf(&story, "  tools: %d\n", tools)
		}
		return story.String()
	}
	told := make(chan string)
	go func() { told <- useBad(t.Context(), set) }()
	if got := call(t, set, "good__echo", `{"a":1}`).Text; got != `{"a":1}` {
		t.Errorf("the server beside it says %q", got)
	}
	end := <-told
	if over == badserver.HTTP { // on a busy machine, cancelling may take longer than the call waits for it
		end = strings.Replace(end, ", and the server may still be working on it", "", 1)
		end = strings.Replace(end, ", and the server was not asked yet", "", 1)
	}
	if runtime.GOOS == "windows" && mode.Name == "killed" { // there is no signal
		end = strings.Replace(end, "exited with status 1", "ended by signal: killed", 1)
	}
	fmt.Fprintf(&story, "  call: %s\n", hideChance(end))
	if strings.Contains(story.String(), badSecret) {
		t.Errorf("a secret is told:\n%s", &story)
	}
	return story.String()
}

// useBad calls the tool and returns the outcome on one line.
func useBad(ctx context.Context, set *Set) string {
	r, err := set.Call(ctx, mcpclient.Call{Tool: "bad__use"}, func(mcpclient.Progress) {})
	switch {
	case err != nil:
		return err.Error()
	case len(r.Text) > 200:
		return fmt.Sprintf("a text of %d bytes", len(r.Text))
	default:
		return fmt.Sprintf("%q", r.Text)
	}
}

// polite declines every elicitation at once.
type polite struct{}

func (polite) Elicit(context.Context, elicit.Elicitation) (elicit.Response, error) {
	return elicit.Response{Action: elicit.Decline}, nil
}

// absent never answers.
type absent struct{}

func (absent) Elicit(ctx context.Context, _ elicit.Elicitation) (elicit.Response, error) {
	<-ctx.Done()
	return elicit.Response{}, ctx.Err()
}

// TestUnansweredElicitations closes servers while their elicitations are open.
func TestUnansweredElicitations(t *testing.T) {
	mark := t.TempDir()
	before := takeStock(t, mark)
	for _, name := range []string{"elicit-flood", "asks-and-cancels"} {
		for _, over := range []string{badserver.Stdio, badserver.HTTP} {
			t.Run(over+" "+name, func(t *testing.T) {
				set, _ := readyWith(t, Options{Host: absent{}}, bad(t, find(t, name), over, mark))
				if got := call(t, set, "bad__use", "").Text; got != "fine" {
					t.Errorf("the call says %q", got)
				}
			})
		}
	}
	before.compare(t, mark)
}

// compareStories compares the stories with the golden file, which must have no others unless -run selects some.
func compareStories(t *testing.T, stories *sync.Map, file string) {
	t.Helper()
	golden := filepath.Join("testdata", file)
	wanted, _ := os.ReadFile(golden) // a missing file counts as empty
	known := map[string]string{}
	for story := range strings.SplitSeq(strings.TrimSpace(string(wanted)), "\n\n") {
		name, _, _ := strings.Cut(story, ":")
		known[name] = strings.TrimSpace(story)
	}
	told := map[string]string{}
	if some := strings.Contains(flag.Lookup("test.run").Value.String(), "/"); some {
		maps.Copy(told, known)
	}
	stories.Range(func(name, story any) bool {
		told[name.(string)] = strings.TrimSpace(story.(string))
		return true
	})
	var all strings.Builder
	for _, name := range slices.Sorted(maps.Keys(told)) {
		all.WriteString(told[name] + "\n\n")
		if told[name] != known[name] && !*update {
			t.Errorf("now it is\n%s\nand not\n%s", told[name], known[name])
		}
		delete(known, name)
	}
	if *update {
		if err := os.WriteFile(golden, []byte(all.String()), 0o600); err != nil {
			t.Error(err)
		}
	} else if len(known) > 0 {
		t.Errorf("there are no stories any more of %q", slices.Sorted(maps.Keys(known)))
	}
}

var differs = regexp.MustCompile(`127\.0\.0\.1:\d+|\d\d:\d\d:\d\d`)

// hideChance replaces the parts that differ in each run.
func hideChance(text string) string { return differs.ReplaceAllString(text, "…") }
