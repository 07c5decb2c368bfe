//go:build e2e

package servers

import (
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/aloudchat/aloud/e2e/badserver"
)

// TestServersThatMisbehaveHeavily runs the slow and large modes one by one, and watches the memory.
func TestServersThatMisbehaveHeavily(t *testing.T) {
	mark := t.TempDir()
	before := takeStock(t, mark)
	var stories sync.Map
	for _, mode := range badserver.Modes() {
		if !mode.Heavy {
			continue
		}
		over := mode.Over
		t.Run(over+" "+mode.Name, func(t *testing.T) {
			stop, most := make(chan struct{}), make(chan uint64)
			go func() { most <- watchMemory(stop) }()
			story := misbehave(t, mode, over, mark)
			if mode.Hangs == "" { // else either the timeout or the size may end it
				stories.Store(over+" "+mode.Name, story)
			}
			close(stop)
			// 64 MB for one message, as it is read, as text and as result, and uncollected garbage.
			if used := <-most >> 20; used > 700 {
				t.Errorf("%d MB of memory were in use", used)
			}
		})
	}
	before.compare(t, mark)
	compareStories(t, &stories, "misbehaving-heavily.txt")
}

func watchMemory(stop <-chan struct{}) (most uint64) {
	look := time.NewTicker(20 * time.Millisecond)
	defer look.Stop()
	for {
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		most = max(most, m.HeapInuse)
		select {
		case <-look.C:
		case <-stop:
			return most
		}
	}
}
