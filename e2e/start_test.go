//go:build e2e && unix

package e2e

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/client/transport"
	"github.com/mark3labs/mcp-go/mcp"

	"github.com/aloudchat/aloud/e2e/terminal"
	"github.com/aloudchat/aloud/e2e/tinymodel"
	"github.com/aloudchat/aloud/mcpclient"
)

// startRounds is how often each way to start ten servers is measured: some four minutes together on two quiet cores.
const startRounds = 5

// BenchmarkTenNodeServers compares how long ten servers of Node.js take to be ready with the fastest that this machine allows: the same
// processes, with a client that does nothing else, so many at a time as is best. In each round everything is measured once, so that what
// disturbs the machine disturbs all alike, and medians are compared: ours with that of the best limit, which still has the advantage of being
// chosen among ten.
//
//	go test -tags e2e ./e2e -run '^$' -bench TenNodeServers -benchtime 1x
func BenchmarkTenNodeServers(b *testing.B) {
	program := serverProgram("memory")
	for b.Loop() {
		var ours []time.Duration
		bare := make([][]time.Duration, 11) // by limit
		for range startRounds {
			ours = append(ours, startOurs(b, program))
			for limit := 1; limit <= 10; limit++ {
				bare[limit] = append(bare[limit], startBare(b, program, limit))
			}
		}
		best := 1
		for limit := 1; limit <= 10; limit++ {
			b.Logf("bare, %d at a time: %v", limit, median(bare[limit]))
			if median(bare[limit]) < median(bare[best]) {
				best = limit
			}
		}
		b.ReportMetric(median(bare[best]).Seconds(), "bare-s")
		b.ReportMetric(float64(best), "bare-limit")
		b.ReportMetric(median(ours).Seconds(), "ours-s")
		b.ReportMetric(median(ours).Seconds()/median(bare[best]).Seconds(), "ours/bare")
	}
}

func median(d []time.Duration) time.Duration { return slices.Sorted(slices.Values(d))[len(d)/2] }

func startOurs(b *testing.B, program string) time.Duration {
	b.Helper()
	var servers []mcpclient.Server
	for i := range 10 {
		servers = append(servers, mcpclient.Server{Name: fmt.Sprint("s", i), Command: "node", Args: []string{program}, Env: memoryFile(b, i)})
	}
	board := &mcpclient.Board{}
	began := time.Now()
	set := mcpclient.Start(b.Context(), servers, mcpclient.Options{Board: board})
	err := set.Ready(b.Context())
	took := time.Since(began)
	if err != nil || len(set.Tools()) < 50 {
		b.Fatalf("%d tools, %v: %+v", len(set.Tools()), err, board.Servers())
	}
	set.Close()
	return took
}

func memoryFile(b *testing.B, i int) map[string]string {
	return map[string]string{"MEMORY_FILE_PATH": fmt.Sprintf("%s/memory-%d.jsonl", b.TempDir(), i)}
}

// startBare initializes ten servers and lists their tools, at most limit at a time.
func startBare(b *testing.B, program string, limit int) time.Duration {
	b.Helper()
	slots := make(chan struct{}, limit)
	clients := make([]*client.Client, 10)
	var all sync.WaitGroup
	began := time.Now()
	for i := range clients {
		env := []string{"PATH=" + os.Getenv("PATH"), "HOME=" + os.Getenv("HOME"), "MEMORY_FILE_PATH=" + memoryFile(b, i)["MEMORY_FILE_PATH"]}
		all.Go(func() {
			slots <- struct{}{}
			defer func() { <-slots }()
			clients[i] = client.NewClient(transport.NewStdio("node", env, program), client.WithProtocolVersion(mcp.LATEST_LEGACY_PROTOCOL_VERSION))
			if err := greetBare(b.Context(), clients[i]); err != nil {
				b.Error(err)
			}
		})
	}
	all.Wait()
	took := time.Since(began)
	for _, c := range clients {
		all.Go(func() { _ = c.Close() })
	}
	all.Wait()
	return took
}

func greetBare(ctx context.Context, c *client.Client) error {
	if err := c.Start(ctx); err != nil {
		return err
	}
	if _, err := c.Initialize(ctx, mcp.InitializeRequest{}); err != nil {
		return err
	}
	_, err := c.ListTools(ctx, mcp.ListToolsRequest{})
	return err
}

// BenchmarkFirstFrame tells how long it takes until one can type, without servers and with ten that never answer.
//
//	go test -tags e2e ./e2e -run '^$' -bench FirstFrame -benchtime 10x
func BenchmarkFirstFrame(b *testing.B) {
	for _, servers := range []int{0, 10} {
		b.Run(fmt.Sprintf("%d deaf servers", servers), func(b *testing.B) {
			home := b.TempDir()
			text := fmt.Sprintf("model = %q\nhost = %q\n", tinymodel.Full, parts.server.URL)
			for i := range servers {
				text += fmt.Sprintf("[mcp_servers.s%d]\ncommand = %q\nargs = [\"deaf\", %q]\n", i, parts.badserver, home)
			}
			config := filepath.Join(home, "config.toml")
			if err := os.WriteFile(config, []byte(text), 0o600); err != nil {
				b.Fatal(err)
			}
			for b.Loop() {
				cmd := exec.Command(parts.aloud, "--config", config)
				cmd.Dir = home
				cmd.Env = []string{"HOME=" + home, "PATH=" + os.Getenv("PATH"), "LANG=C.UTF-8", "TERM=xterm-256color", "XDG_STATE_HOME=" + home}
				term, err := terminal.Start(cmd, 100, 30)
				if err != nil {
					b.Fatal(err)
				}
				if screen, ok := term.WaitFor(b.Context(), func(s string) bool { return strings.Contains(s, "Ask anything") }); !ok {
					b.Fatalf("nobody can type:\n%s", screen)
				}
				b.StopTimer()
				term.Close(b.Context())
				b.StartTimer()
			}
		})
	}
}
