package pace

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aloudchat/aloud/provider"
)

const hereAddress = "http://127.0.0.1:11434"

func paceFileIn(t *testing.T) string { return filepath.Join(t.TempDir(), "aloud", "models.json") }

func savePace(t *testing.T, b *Store) {
	t.Helper()
	if err := b.Save(); err != nil {
		t.Fatal(err)
	}
}

func TestPaceIsKept(t *testing.T) {
	path := paceFileIn(t)
	b := Open(path, hereAddress)
	b.NoteLoad("qwen3:14b", 14*time.Second)
	b.NoteRead("qwen3:14b", 12_000, 18*time.Second)
	if got := b.Load("qwen3:14b"); got != 14*time.Second {
		t.Errorf("before it is saved it is known to load in %v", got)
	}
	savePace(t, b)
	for name, b := range map[string]*Store{"the same": b, "the next": Open(path, hereAddress)} {
		if load, read := b.Load("qwen3:14b"), b.Read("qwen3:14b", 6000); load != 14*time.Second || read != 9*time.Second {
			t.Errorf("%s book: %v to load and %v to read", name, load, read)
		}
		if load, read := b.Load("qwen3:8b"), b.Read("qwen3:8b", 6000); load != 0 || read != 0 {
			t.Errorf("%s book: of another model it knows %v and %v", name, load, read)
		}
	}
	elsewhere := Open(path, "https://models.example.com")
	if load, read := elsewhere.Load("qwen3:14b"), elsewhere.Read("qwen3:14b", 6000); load != 0 || read != 0 {
		t.Errorf("of another server it knows %v and %v", load, read)
	}
	info, err := os.Stat(path)
	if err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
		t.Errorf("the file is %v, %v", info, err)
	}
	if info, err := os.Stat(filepath.Dir(path)); err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o700 {
		t.Errorf("its folder is %v, %v", info, err)
	}
	if files, _ := os.ReadDir(filepath.Dir(path)); len(files) != 1 {
		t.Errorf("%d files were left there", len(files))
	}
}

func TestPaceKeepsInfoForADay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		path := paceFileIn(t)
		b := Open(path, hereAddress)
		b.NoteInfo("m", "one", provider.Info{Context: 1})
		savePace(t, b)
		time.Sleep(23 * time.Hour)
		b = Open(path, hereAddress)
		b.NoteLoad("m", time.Second)
		if digest, info := b.Info("m"); digest != "one" || info.Context != 1 {
			t.Errorf("got %q, %+v", digest, info)
		}
		time.Sleep(2 * time.Hour)
		if digest, _ := b.Info("m"); digest != "" {
			t.Errorf("after a day it has %q", digest)
		}
		b.NoteInfo("m", "one", provider.Info{Context: 2})
		if _, info := b.Info("m"); info.Context != 2 {
			t.Errorf("noted again: %+v", info)
		}
	})
}

func TestPaceKeepsContext(t *testing.T) {
	path := paceFileIn(t)
	b := Open(path, hereAddress)
	b.NoteContext("m", 16384, 1.5)
	b.NoteContext("m", 8192, 0) // a turn that did not measure the scale
	savePace(t, b)
	if tokens, scale := Open(path, hereAddress).Context("m"); tokens != 8192 || scale != 1.5 {
		t.Errorf("it knows a context of %d and a scale of %v", tokens, scale)
	}
}

func TestScoreOfToolsIsKept(t *testing.T) {
	path := paceFileIn(t)
	b := Open(path, hereAddress)
	b.NoteTools("qwen3:8b", 11, 12)
	b.NoteTools("qwen3:8b", 41, 48)
	b.NoteLoad("qwen3:8b", time.Second)
	savePace(t, b)
	if right, asked := Open(path, hereAddress).Tools("qwen3:8b"); right != 41 || asked != 48 {
		t.Errorf("%d of %d, want 41 of 48", right, asked)
	}
	if right, asked := Open(path, hereAddress).Tools("qwen3:14b"); right != 0 || asked != 0 {
		t.Errorf("another model has %d of %d", right, asked)
	}
}

func TestPaceMergesPrograms(t *testing.T) {
	path := paceFileIn(t)
	books := []*Store{Open(path, hereAddress), Open(path, hereAddress), Open(path, "http://there:8000")}
	for _, b := range books {
		b.Load("m") // all have read the file before any writes it
	}
	for i, b := range books {
		b.NoteLoad("m", time.Duration(10+i)*time.Second)
		b.NoteLoad("another", time.Second)
		savePace(t, b)
	}
	if got := Open(path, hereAddress).Load("m"); got != 11*time.Second {
		t.Errorf("two programs noted a load of %v", got)
	}
	if got := Open(path, "http://there:8000").Load("m"); got != 12*time.Second {
		t.Errorf("the other server loads in %v", got)
	}
}

func TestPaceConcurrentSave(t *testing.T) {
	path := paceFileIn(t)
	var all sync.WaitGroup
	for range 4 {
		b := Open(path, hereAddress)
		for range 2 { // a Pace may be shared
			all.Go(func() {
				for range 20 {
					b.NoteLoad("m", time.Second)
					b.NoteRead("m", 400, time.Second)
					if err := b.Save(); err != nil {
						t.Error(err)
					}
					if got := b.Load("m"); got != time.Second {
						t.Errorf("it loads in %v", got)
					}
				}
			})
		}
	}
	all.Wait()
	if b := Open(path, hereAddress); b.Load("m") != time.Second || b.Read("m", 400) != time.Second {
		t.Errorf("in the end it knows %+v", b.of("m"))
	}
}

func TestPaceWithoutFile(t *testing.T) {
	none := (*Store)(nil)
	none.NoteLoad("m", time.Second)
	none.NoteRead("m", 400, time.Second)
	savePace(t, none)
	if none.Load("m") != 0 || none.Read("m", 400) != 0 {
		t.Error("no book knows something")
	}
	for _, b := range []*Store{Open("", hereAddress), Open(paceFileIn(t), "")} {
		b.NoteLoad("m", time.Second)
		b.NoteRead("m", 400, time.Second)
		savePace(t, b)
		if b.Load("m") != time.Second || b.Read("m", 400) != time.Second {
			t.Errorf("kept in memory is %+v", b.of("m"))
		}
		if _, err := os.Stat(b.path); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("there is a file, %v", err)
		}
	}
}

func TestUnreadablePaceFileIsKept(t *testing.T) {
	t.Run("a newer version", func(t *testing.T) {
		const newer = `{"version": 4, "servers": {"` + hereAddress + `": {"m": {"load_ms": 9000}}}}`
		path := filepath.Join(t.TempDir(), "models.json")
		if err := os.WriteFile(path, []byte(newer), 0o600); err != nil {
			t.Fatal(err)
		}
		b := Open(path, hereAddress)
		if got := b.Load("m"); got != 0 {
			t.Errorf("it is taken to say %v", got)
		}
		b.NoteLoad("m", time.Second)
		if err := b.Save(); !oneSentence(err, path) {
			t.Errorf("it is saved with %v", err)
		}
		if text, err := os.ReadFile(path); string(text) != newer {
			t.Errorf("it became %s, %v", text, err)
		}
		if got := b.Load("m"); got != time.Second {
			t.Errorf("until the end of this program it loads in %v", got)
		}
	})
	t.Run("a folder", func(t *testing.T) {
		path := t.TempDir()
		b := Open(path, hereAddress)
		b.NoteLoad("m", time.Second)
		if err := b.Save(); !oneSentence(err, path) {
			t.Errorf("it is saved with %v", err)
		}
		if got := b.Load("m"); got != time.Second {
			t.Errorf("it loads in %v", got)
		}
	})
}

// oneSentence reports whether an error describes the failure and names the file once.
func oneSentence(err error, path string) bool {
	text := strings.ReplaceAll(fmt.Sprint(err), `\\`, `\`) // a path in quotes on Windows
	return strings.HasPrefix(text, "cannot save model speeds: ") && !strings.Contains(text, "\n") &&
		strings.Count(text, filepath.Dir(path)) == 1
}

func TestPaceReadUsesSimilarPrompts(t *testing.T) {
	type prompts []reading
	for name, tt := range map[string]struct {
		reads prompts
		ask   int
		want  time.Duration
	}{
		"nothing is known":           {nil, 1000, 0},
		"up to four times as long":   {prompts{{1000, 2000}}, 4000, 8 * time.Second},
		"and no longer":              {prompts{{1000, 2000}}, 4001, 0},
		"down to a fourth":           {prompts{{8000, 16_000}}, 2000, 4 * time.Second},
		"and no shorter":             {prompts{{8000, 16_000}}, 1999, 0},
		"long prompts read slower":   {prompts{{500, 1000}, {16_000, 80_000}}, 12_000, 60 * time.Second},
		"short ones faster":          {prompts{{500, 1000}, {16_000, 80_000}}, 1000, 2 * time.Second},
		"newer ones count most":      {prompts{{4000, 80_000}, {4000, 8000}, {4000, 8000}}, 4000, 26 * time.Second},
		"few tokens tell nothing":    {prompts{{199, 9000}}, 200, 0},
		"it was in the cache":        {prompts{{12_000, 2}}, 12_000, 0},
		"no time, and too much":      {prompts{{4000, 0}, {-4000, 1000}, {4000, 25 * 3_600_000}}, 4000, 0},
		"no tokens are asked for":    {prompts{{200, 1000}}, 0, 0},
		"not longer than everything": {prompts{{200, 20 * 3_600_000}}, 800, 24 * time.Hour},
	} {
		b := Open("", hereAddress)
		for _, r := range tt.reads {
			b.NoteRead("m", r.Tokens, time.Duration(r.MS)*time.Millisecond)
		}
		if got := b.Read("m", tt.ask); got != tt.want {
			t.Errorf("%s: got %v, want %v", name, got, tt.want)
		}
	}
}

func TestDamagedPaceFileIsReplaced(t *testing.T) {
	for name, text := range map[string]string{
		"empty":              "",
		"cut off":            `{"version": 3, "servers": {"` + hereAddress,
		"another kind":       `{"version": 3, "servers": [1]}`,
		"of another program": `{"off": ["clock__now"]}`,
		"no object":          `[1]`,
		"text for a number":  `{"version": 3, "servers": {"` + hereAddress + `": {"m": {"load_ms": "9000"}}}}`,
		"too large a number": `{"version": 3, "servers": {"` + hereAddress + `": {"m": {"load_ms": 1e400}}}}`,
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "models.json")
			if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			b := Open(path, hereAddress)
			if got := b.Load("m"); got != 0 {
				t.Errorf("it loads in %v", got)
			}
			b.NoteLoad("m", time.Second)
			savePace(t, b)
			if got := Open(path, hereAddress).Load("m"); got != time.Second {
				t.Errorf("written anew it loads in %v", got)
			}
			if info, err := os.Stat(path); err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
				t.Errorf("written anew it is %v, %v", info, err)
			}
		})
	}
}

func TestSpeedOfLastLongReplyIsKept(t *testing.T) {
	path := filepath.Join(t.TempDir(), "models.json")
	s := Open(path, "here")
	s.NoteWrote("m", 310, 10*time.Second)
	s.NoteWrote("m", 5, time.Second) // too short to tell
	if err := s.Save(); err != nil {
		t.Fatal(err)
	}
	if tokens, took := Open(path, "here").Wrote("m"); tokens != 310 || took != 10*time.Second {
		t.Errorf("the model wrote %d tokens in %v", tokens, took)
	}
}
