package servers

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"
)

// openFiles returns the number of open files.
func openFiles(t testing.TB) int {
	t.Helper()
	entries, err := os.ReadDir("/proc/self/fd")
	must(t, err)
	return len(entries)
}

// processes returns the processes with the mark among their arguments, and zombies of this process.
func processes(t testing.TB, mark string) (list []string) {
	t.Helper()
	all, err := filepath.Glob("/proc/[0-9]*")
	must(t, err)
	for _, dir := range all {
		line, _ := os.ReadFile(filepath.Join(dir, "cmdline")) // a process that has ended meanwhile has none
		stat, _ := os.ReadFile(filepath.Join(dir, "stat"))
		_, state, _ := strings.Cut(string(stat), ") ") // after its name
		switch {
		case strings.Contains(string(line), mark):
			list = append(list, strings.ReplaceAll(string(line), "\x00", " "))
		case strings.HasPrefix(state, fmt.Sprintf("Z %d ", os.Getpid())):
			list = append(list, "nobody waited for "+string(stat))
		}
	}
	return list
}

func TestProcessesListsZombies(t *testing.T) {
	child := exec.Command("true")
	must(t, child.Start())
	seen := false
	// only reached by a broken program
	for patience := time.Now().Add(5 * time.Minute); !seen && time.Now().Before(patience); runtime.Gosched() {
		seen = slices.ContainsFunc(processes(t, "no process has this mark"),
			func(p string) bool { return strings.Contains(p, fmt.Sprintf(" %d (true)", child.Process.Pid)) })
	}
	if err := child.Wait(); err != nil || !seen || len(processes(t, "no process has this mark")) != 0 {
		t.Errorf("%v, seen %v, left %q", err, seen, processes(t, "no process has this mark"))
	}
}
