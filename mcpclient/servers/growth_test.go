package servers

import (
	"encoding/json"
	"runtime"
	"testing"

	"github.com/aloudchat/aloud/e2e/badserver"
	"github.com/aloudchat/aloud/mcpclient"
)

// TestCallsDoNotLeak calls a server of each kind with progress, and compares the live objects.
func TestCallsDoNotLeak(t *testing.T) {
	fine, mark := find(t, "fine"), t.TempDir()
	process, web := bad(t, fine, badserver.Stdio, mark), bad(t, fine, badserver.HTTP, "")
	process.Name, web.Name = "process", "web"
	set, _ := ready(t, process, web, mcpclient.Server{Name: "local", Local: inner{MCPServer: workshop(t)}})
	for _, name := range []string{"process__use", "web__use", "local__echo"} {
		many := func(n int) {
			for range n {
				call := mcpclient.Call{Tool: name, Arguments: json.RawMessage(`{"a":1}`)}
				if _, err := set.Call(t.Context(), call, func(mcpclient.Progress) {}); err != nil {
					t.Fatal(err)
				}
			}
		}
		many(100) // all one-time allocations are made
		before, held := takeStock(t, mark), heap()
		many(1000)
		before.compare(t, mark)
		if grown := heap() - held; grown > 500 {
			t.Errorf("%s: %d objects are held after 1000 calls that were not before", name, grown)
		}
	}
}

// heap returns the number of live objects.
func heap() int {
	runtime.GC()
	runtime.GC() // pools are emptied in two steps
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int(m.HeapObjects)
}
