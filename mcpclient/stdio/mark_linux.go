package stdio

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"
)

// killMarked kills every process with the mark in its environment: what a server started and what that started, also if it left the group
// and the session, as browsers do. A process inherits the mark unless it clears its environment.
//
// The other ways do not fit. A subreaper gets the orphans of the whole program, those of the clipboard and of the browser that a login opens
// too, and a signal at the parent's death comes already when the thread ends that started the child, and never to grandchildren.
func killMarked(mark string) {
	again := true
	for rounds := 0; again && rounds < 10; rounds++ { // once more for what was just being started; one that cannot die is not waited for
		again = false
		environments, _ := filepath.Glob("/proc/[0-9]*/environ") // the pattern is well formed
		for _, file := range environments {
			pid, err := strconv.Atoi(filepath.Base(filepath.Dir(file)))
			if err != nil || pid == os.Getpid() {
				continue
			}
			process, err := os.FindProcess(pid) // holds on to it: its number may be another one's by the time it is killed
			if err != nil {
				continue
			}
			environment, _ := os.ReadFile(file) // those of others are not readable, and those that have ended are empty
			if bytes.Contains(environment, []byte(mark)) {
				again = process.Kill() == nil || again
			}
			_ = process.Release()
		}
	}
}
