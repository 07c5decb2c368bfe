package screen

import (
	"runtime"
	"runtime/metrics"
	"time"
)

// keyPause is the pause in typing after which memory is collected.
const keyPause = 250 * time.Millisecond

// collectEarly collects memory that is not used any more if a quarter of what starts a collection is there. A key that a
// collection meets takes five times as long to show, so it is better done while you pause.
func collectEarly() {
	sizes := []metrics.Sample{
		{Name: "/gc/heap/live:bytes"}, {Name: "/memory/classes/heap/objects:bytes"}, {Name: "/gc/heap/goal:bytes"},
	}
	metrics.Read(sizes)
	live, now, goal := sizes[0].Value.Uint64(), sizes[1].Value.Uint64(), sizes[2].Value.Uint64()
	if live < goal && now > live+(goal-live)/4 {
		runtime.GC()
	}
}
