package servers

import (
	"runtime/pprof"
	"slices"
	"strings"
	"testing"
	"time"
)

// stock has the resources of this process.
type stock struct {
	goroutines []string // by where they were started and are now
	files      int
	processes  []string
}

func takeStock(t testing.TB, mark string) stock {
	return stock{goroutines(), openFiles(t), processes(t, mark)}
}

// compare fails if anything is left that was not in s. It waits for goroutines that are ending.
func (s stock) compare(t testing.TB, mark string) {
	t.Helper()
	var now stock
	patience := time.After(5 * time.Minute) // only reached by a broken program
	for look := time.NewTicker(10 * time.Millisecond); ; {
		now = takeStock(t, mark)
		if len(now.goroutines) <= len(s.goroutines) && now.files <= s.files && len(now.processes) <= len(s.processes) {
			look.Stop()
			return
		}
		select {
		case <-look.C:
			continue
		case <-patience:
			look.Stop()
		}
		break
	}
	for _, g := range now.goroutines {
		if !slices.Contains(s.goroutines, g) {
			t.Errorf("a goroutine is left:\n%s", g)
		}
	}
	if now.files > s.files {
		t.Errorf("%d files are open, %d were before", now.files, s.files)
	}
	if len(now.processes) > len(s.processes) {
		t.Errorf("these processes are left, %d were before:\n%s", len(s.processes), strings.Join(now.processes, "\n"))
	}
}

// goroutines returns the stacks of all goroutines.
func goroutines() []string {
	var text strings.Builder
	_ = pprof.Lookup("goroutine").WriteTo(&text, 2) // a strings.Builder cannot fail
	var stacks []string
	for stack := range strings.SplitSeq(text.String(), "\n\n") {
		if !strings.Contains(stack, "testing.(*T).Run") && !strings.Contains(stack, "pprof.(*Profile)") {
			stacks = append(stacks, stack)
		}
	}
	return stacks
}
