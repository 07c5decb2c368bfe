package mcpclient

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// openFiles counts the files that are open.
func openFiles(t testing.TB) int {
	t.Helper()
	entries, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Fatal(err)
	}
	return len(entries)
}

// processes lists the processes that have the mark among their arguments, and the children of ours that ended and are not waited for.
func processes(t testing.TB, mark string) (list []string) {
	t.Helper()
	all, err := filepath.Glob("/proc/[0-9]*/cmdline")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range all {
		line, _ := os.ReadFile(file) // one that has ended meanwhile has none
		if strings.Contains(string(line), mark) {
			list = append(list, strings.ReplaceAll(string(line), "\x00", " "))
		}
	}
	return list
}
