package config_test

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/aloudchat/aloud/atomicfile"
	"github.com/aloudchat/aloud/config"
)

// Two programs that edit at once each read the file before they write it.
func TestNoEditIsLost(t *testing.T) {
	path, env := write(t, "# mine\n"), environment(t)
	var edits sync.WaitGroup
	const each = 10
	for i := range each {
		edits.Go(func() {
			if err := config.Allow(path, env, fmt.Sprintf("s%d.*", i)); err != nil {
				t.Error(err)
			}
		})
		edits.Go(func() {
			if err := config.AddServers(path, env, config.Entry{Name: fmt.Sprintf("s%d", i), Command: "x"}); err != nil {
				t.Error(err)
			}
		})
	}
	edits.Wait()
	c, err := config.Load(config.LoadOptions{Path: path, Env: env})
	if err != nil {
		t.Fatal(err)
	}
	for i := range each {
		if name := fmt.Sprintf("s%d", i); !slices.Contains(c.Approval.Allow, name+".*") || server(t, c, name).Command != "x" {
			t.Errorf("an edit of %s is lost", name)
		}
	}
}

// One that waits does not wait for good, and says why.
func TestAnEditGivesUpWaiting(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		path, env := write(t, "# mine\n"), environment(t)
		dir, err := config.StateDir(env)
		if err != nil {
			t.Fatal(err)
		}
		unlock, err := atomicfile.Lock(t.Context(), filepath.Join(dir, "config.lock"))
		if err != nil {
			t.Fatal(err)
		}
		if err := config.Allow(path, env, "a.b"); err == nil || !strings.Contains(err.Error(), "another aloud has been writing") || text(t, path) != "# mine\n" {
			t.Errorf("%v, the file says %q", err, text(t, path))
		}
		unlock()
		if err := config.Allow(path, env, "a.b"); err != nil {
			t.Error(err)
		}
	})
}
