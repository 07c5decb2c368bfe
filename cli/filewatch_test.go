package cli

import (
	"context"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

func TestFileChanges(t *testing.T) {
	path := filepath.Join(t.TempDir(), "config.toml")
	write := func(path, text string) {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Error(err)
		}
	}
	stories := []struct {
		what string
		do   func()
		want int32
	}{
		{"nothing happens", func() {}, 0},
		{"it is made", func() { write(path, "a") }, 1},
		{"it is written, and again", func() { write(path, "ab"); write(path, "abc") }, 1},
		{"an editor replaces it", func() {
			write(path+"~", "abd")
			if err := os.Rename(path+"~", path); err != nil {
				t.Error(err)
			}
		}, 1},
		{"it is written piece by piece", func() {
			for i := range 5 {
				write(path, "abcdefgh"[:4+i])
				time.Sleep(700 * time.Millisecond)
			}
		}, 1},
		{"it is gone for a moment", func() {
			text, err := os.ReadFile(path)
			if err != nil || os.Remove(path) != nil {
				t.Error(err)
			}
			time.Sleep(200 * time.Millisecond)
			write(path, string(text)+"!")
		}, 1},
		{"it is removed", func() {
			if err := os.Remove(path); err != nil {
				t.Error(err)
			}
		}, 1},
	}
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		seen, over := atomic.Int32{}, make(chan struct{})
		go func() {
			defer close(over)
			for range fileChanges(ctx, path) {
				seen.Add(1)
			}
		}()
		for _, story := range stories {
			seen.Store(0)
			story.do()
			time.Sleep(10 * time.Second)
			synctest.Wait()
			if got := seen.Load(); got != story.want {
				t.Errorf("%s: %d changes, want %d", story.what, got, story.want)
			}
		}
		cancel()
		<-over
	})
}

func TestWatchingAFileEnds(t *testing.T) {
	path := filepath.Join(t.TempDir(), "config.toml")
	synctest.Test(t, func(t *testing.T) {
		time.AfterFunc(5*time.Second, func() {
			if err := os.WriteFile(path, nil, 0o600); err != nil {
				t.Error(err)
			}
		})
		for range fileChanges(t.Context(), path) {
			break
		}
		if _, err := os.Stat(path); err != nil {
			t.Error(err)
		}
	})
}
