package stdio

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"
)

// killMarked kills every process that has the mark in its environment. These are the descendants of a server, including
// those that left its group and session, as browsers do, unless they cleared their environment.
//
// A subreaper would also get other orphans of aloud, such as the browser of a login. A parent death signal arrives when
// the thread that started the child ends, and never at grandchildren.
func killMarked(mark string) {
	again := true
	for rounds := 0; again && rounds < 10; rounds++ { // again, for processes that were just being started
		again = false
		environments, _ := filepath.Glob("/proc/[0-9]*/environ") // the pattern is valid
		for _, file := range environments {
			pid, err := strconv.Atoi(filepath.Base(filepath.Dir(file)))
			if err != nil || pid == os.Getpid() {
				continue
			}
			process, err := os.FindProcess(pid) // uses a pidfd, so it cannot kill a process that reuses the number
			if err != nil {
				continue
			}
			environment, _ := os.ReadFile(file) // fails for processes of other users
			if bytes.Contains(environment, []byte(mark)) {
				again = process.Kill() == nil || again
			}
			_ = process.Release()
		}
	}
}
