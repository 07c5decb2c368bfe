//go:build e2e && unix

package e2e

import (
	"fmt"
	"testing"

	"github.com/aloudchat/aloud/mcpclient"
	"github.com/aloudchat/aloud/mcpclient/servers"
)

// BenchmarkTenNodeServers measures how long ten servers of Node.js take to be ready.
//
//	go test -tags e2e ./e2e -run '^$' -bench TenNodeServers -benchtime 5x
func BenchmarkTenNodeServers(b *testing.B) {
	var configured []mcpclient.Server
	for i := range 10 {
		configured = append(configured, mcpclient.Server{
			Name: fmt.Sprint("s", i), Command: "node", Args: []string{serverProgram("memory")},
			Env: map[string]string{"MEMORY_FILE_PATH": fmt.Sprintf("%s/memory-%d.jsonl", b.TempDir(), i)},
		})
	}
	for b.Loop() {
		board := &servers.Board{}
		set := servers.Start(b.Context(), configured, servers.Options{Board: board})
		if err := set.Ready(b.Context()); err != nil || len(set.Tools()) < 50 {
			b.Fatalf("%d tools, %v: %+v", len(set.Tools()), err, board.Servers())
		}
		b.StopTimer()
		set.Close()
		b.StartTimer()
	}
}

// BenchmarkFirstFrame measures how long it takes until you can type, without servers and with ten that never answer.
//
//	go test -tags e2e ./e2e -run '^$' -bench FirstFrame -benchtime 10x
func BenchmarkFirstFrame(b *testing.B) {
	for _, servers := range []int{0, 10} {
		b.Run(fmt.Sprintf("%d servers", servers), func(b *testing.B) {
			w := newWorld(b)
			tables := ""
			for i := range servers {
				tables += fmt.Sprintf("\n[mcp_servers.s%d]\ncommand = %q\nargs = [\"deaf\", %q]\n", i, parts.badserver, w.home)
			}
			w.configure(w.traffic.URL, tables)
			for b.Loop() {
				s := w.chat()
				b.StopTimer()
				s.term.Close(b.Context())
				b.StartTimer()
			}
		})
	}
}
