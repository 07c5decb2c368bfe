package screen

import (
	"runtime"
	"runtime/debug"
	"time"
)

// quiet is how long the program must have nothing to do before memory is collected.
const quiet = 250 * time.Millisecond

// collectEarly returns memory that is not used any more to the system, if there is much of it. A key that meets a
// collection takes five times as long to show, so it is better done while nothing happens.
func collectEarly() {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	if m.HeapAlloc > m.NextGC/4*3 {
		debug.FreeOSMemory()
	}
}
