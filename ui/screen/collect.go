package screen

import (
	"runtime"
	"time"
)

// keyPause is the pause in typing after which memory is collected.
const keyPause = 250 * time.Millisecond

// collectEarly collects memory that is not used any more if there is much of it. A key that meets a collection takes
// five times as long to show, so it is better done while you pause.
func collectEarly() {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	if m.HeapAlloc > m.NextGC/4*3 {
		runtime.GC()
	}
}
