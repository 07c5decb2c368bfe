package provider

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

const hereAddress = "http://127.0.0.1:11434"

func paceFileIn(t *testing.T) string { return filepath.Join(t.TempDir(), "aloud", "models.json") }

func savePace(t *testing.T, b *Pace) {
	t.Helper()
	if err := b.Save(); err != nil {
		t.Fatal(err)
	}
}

func TestTheNextStartKnowsWhatWasMeasured(t *testing.T) {
	path := paceFileIn(t)
	b := OpenPace(path, hereAddress)
	b.NoteLoad("qwen3:14b", 14*time.Second)
	b.NoteRead("qwen3:14b", 12_000, 18*time.Second)
	if got := b.Load("qwen3:14b"); got != 14*time.Second {
		t.Errorf("before it is saved it is known to load in %v", got)
	}
	savePace(t, b)
	for name, b := range map[string]*Pace{"the same": b, "the next": OpenPace(path, hereAddress)} {
		if load, read := b.Load("qwen3:14b"), b.Read("qwen3:14b", 6000); load != 14*time.Second || read != 9*time.Second {
			t.Errorf("%s book: %v to load and %v to read", name, load, read)
		}
		if load, read := b.Load("qwen3:8b"), b.Read("qwen3:8b", 6000); load != 0 || read != 0 {
			t.Errorf("%s book: of another model it knows %v and %v", name, load, read)
		}
	}
	elsewhere := OpenPace(path, "https://models.example.com")
	if load, read := elsewhere.Load("qwen3:14b"), elsewhere.Read("qwen3:14b", 6000); load != 0 || read != 0 {
		t.Errorf("of another server it knows %v and %v", load, read)
	}
	info, err := os.Stat(path)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the file is %v, %v", info, err)
	}
	if info, err := os.Stat(filepath.Dir(path)); err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("its folder is %v, %v", info, err)
	}
	if files, _ := os.ReadDir(filepath.Dir(path)); len(files) != 1 {
		t.Errorf("%d files were left there", len(files))
	}
}

func TestTheNextStartKnowsTheContext(t *testing.T) {
	path := paceFileIn(t)
	b := OpenPace(path, hereAddress)
	b.NoteContext("m", 16384, 1.5)
	b.NoteContext("m", 8192, 0) // a turn that showed nothing of the scale
	b.NoteContext("n", -1, 1000)
	savePace(t, b)
	if tokens, scale := OpenPace(path, hereAddress).Context("m"); tokens != 8192 || scale != 1.5 {
		t.Errorf("it knows a context of %d and a scale of %v", tokens, scale)
	}
	if tokens, scale := OpenPace(path, hereAddress).Context("n"); tokens != 0 || scale != 0 {
		t.Errorf("it believes in a context of %d and a scale of %v", tokens, scale)
	}
}

func TestWhatSeveralProgramsNoteIsKept(t *testing.T) {
	path := paceFileIn(t)
	books := []*Pace{OpenPace(path, hereAddress), OpenPace(path, hereAddress), OpenPace(path, "http://there:8000")}
	for _, b := range books {
		b.Load("m") // all have read the file before anyone writes it
	}
	for i, b := range books {
		b.NoteLoad("m", time.Duration(10+i)*time.Second)
		b.NoteLoad("another", time.Second)
		savePace(t, b)
	}
	b := OpenPace(path, hereAddress)
	if got := b.of("m").Loads; len(got) != 2 || got[0] != 10_000 || got[1] != 11_000 {
		t.Errorf("two programs noted the loads %v", got)
	}
	if got := OpenPace(path, "http://there:8000").Load("m"); got != 12*time.Second {
		t.Errorf("the other server loads in %v", got)
	}
	if got := books[1].of("m").Loads; len(got) != 2 {
		t.Errorf("who saves learns what others noted, not %v", got)
	}
}

func TestSavingAtTheSameTime(t *testing.T) {
	path := paceFileIn(t)
	var all sync.WaitGroup
	for range 4 {
		b := OpenPace(path, hereAddress)
		for range 2 { // a book is used by several, too
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
	if b := OpenPace(path, hereAddress); b.Load("m") != time.Second || b.Read("m", 400) != time.Second {
		t.Errorf("in the end it knows %+v", b.of("m"))
	}
}

func TestABookWithoutAFile(t *testing.T) {
	none := (*Pace)(nil)
	none.NoteLoad("m", time.Second)
	none.NoteRead("m", 400, time.Second)
	savePace(t, none)
	if none.Load("m") != 0 || none.Read("m", 400) != 0 {
		t.Error("no book knows something")
	}
	for _, b := range []*Pace{OpenPace("", hereAddress), OpenPace(paceFileIn(t), "")} {
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

func TestAFileThatCannotBeReadStaysAsItIs(t *testing.T) {
	t.Run("a newer version", func(t *testing.T) {
		const newer = `{"version": 2, "models": [{"server": "` + hereAddress + `", "model": "m", "loads_ms": [9000]}]}`
		path := filepath.Join(t.TempDir(), "models.json")
		if err := os.WriteFile(path, []byte(newer), 0o600); err != nil {
			t.Fatal(err)
		}
		b := OpenPace(path, hereAddress)
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
		b := OpenPace(path, hereAddress)
		b.NoteLoad("m", time.Second)
		if err := b.Save(); !oneSentence(err, path) {
			t.Errorf("it is saved with %v", err)
		}
		if got := b.Load("m"); got != time.Second {
			t.Errorf("it loads in %v", got)
		}
	})
	t.Run("where no folder can be", func(t *testing.T) {
		file := filepath.Join(t.TempDir(), "file")
		if err := os.WriteFile(file, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(file, "models.json")
		b := OpenPace(path, hereAddress)
		b.NoteLoad("m", time.Second)
		if err := b.Save(); !oneSentence(err, path) {
			t.Errorf("it is saved with %v", err)
		}
	})
}

// oneSentence tells whether an error says what is not done, and names the file once.
func oneSentence(err error, path string) bool {
	return err != nil && strings.HasPrefix(err.Error(), "how fast models are is not kept: ") &&
		!strings.Contains(err.Error(), "\n") && strings.Count(err.Error(), filepath.Dir(path)) == 1
}

func TestTheMedianOfTheLastLoads(t *testing.T) {
	for _, tt := range []struct {
		name  string
		loads []time.Duration
		want  time.Duration
	}{
		{"none", nil, 0},
		{"one", []time.Duration{9 * time.Second}, 9 * time.Second},
		{"of two the longer", []time.Duration{9 * time.Second, 14 * time.Second}, 14 * time.Second},
		{"one that was odd", []time.Duration{9 * time.Second, 90 * time.Second, 10 * time.Second}, 10 * time.Second},
		{"only the last five", []time.Duration{1e9, 1e9, 1e9, 1e9, 1e9, 7e9, 8e9, 9e9}, 7 * time.Second},
		{"already in memory", []time.Duration{9 * time.Second, 4 * time.Millisecond, 6 * time.Millisecond}, 9 * time.Second},
		{"impossible", []time.Duration{0, -time.Second, 25 * time.Hour}, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			b := OpenPace("", hereAddress)
			for _, took := range tt.loads {
				b.NoteLoad("m", took)
			}
			if got := b.Load("m"); got != tt.want {
				t.Errorf("got %v, want %v", got, tt.want)
			}
		})
	}
}

func TestReadingGoesByPromptsOfLikeSize(t *testing.T) {
	type prompts map[int]time.Duration // by tokens
	for _, tt := range []struct {
		name  string
		reads prompts
		ask   int
		want  time.Duration
	}{
		{"nothing is known", nil, 1000, 0},
		{"the same speed", prompts{1000: 2 * time.Second}, 3000, 6 * time.Second},
		{"up to four times as long", prompts{1000: 2 * time.Second}, 4000, 8 * time.Second},
		{"and no longer", prompts{1000: 2 * time.Second}, 4001, 0},
		{"down to a fourth", prompts{8000: 16 * time.Second}, 2000, 4 * time.Second},
		{"and no shorter", prompts{8000: 16 * time.Second}, 1999, 0},
		{"long prompts read slower", prompts{500: time.Second, 16_000: 80 * time.Second}, 12_000, 60 * time.Second},
		{"short ones faster", prompts{500: time.Second, 16_000: 80 * time.Second}, 1000, 2 * time.Second},
		{"few tokens tell nothing", prompts{199: 9 * time.Second}, 200, 0},
		{"enough do", prompts{200: 9 * time.Second}, 200, 9 * time.Second},
		{"it was in the cache", prompts{12_000: 2 * time.Millisecond}, 12_000, 0},
		{"parts of it were in the cache", prompts{4000: 8 * time.Second, 4001: time.Second, 4002: 8004 * time.Millisecond, 4003: time.Second / 2}, 4000, 8 * time.Second},
		{"most of most was in the cache", prompts{4000: 8 * time.Second, 4001: time.Second, 4002: 8004 * time.Millisecond, 4003: time.Second, 4004: time.Second}, 4000, 8 * time.Second},
		{"those that are nearest", prompts{
			4000: 8 * time.Second, 4001: 8002 * time.Millisecond, 4002: 8004 * time.Millisecond, 4003: 8006 * time.Millisecond, 4004: 8008 * time.Millisecond,
			1100: time.Minute, 1101: time.Minute, 1102: time.Minute, 1103: time.Minute, 1104: time.Minute,
		}, 4000, 8 * time.Second},
		{"one was disturbed", prompts{4000: 8 * time.Second, 4001: 8002 * time.Millisecond, 4002: 8004 * time.Millisecond, 4003: 8006 * time.Millisecond, 4004: time.Hour}, 4000, 8 * time.Second},
		{"no time", prompts{4000: 0}, 4000, 0},
		{"less than none", prompts{4000: -time.Second, -4000: time.Second}, 4000, 0},
		{"too much", prompts{4000: 25 * time.Hour, mostTokens + 1: time.Hour}, 4000, 0},
		{"no tokens are asked for", prompts{200: time.Second}, 0, 0},
		{"less than no tokens are asked for", prompts{200: time.Second}, -200, 0},
		{"no longer than anything takes", prompts{200: 20 * time.Hour}, 800, 24 * time.Hour},
	} {
		t.Run(tt.name, func(t *testing.T) {
			b := OpenPace("", hereAddress)
			for tokens, took := range tt.reads {
				b.NoteRead("m", tokens, took)
			}
			if got := b.Read("m", tt.ask); got != tt.want {
				t.Errorf("got %v, want %v", got, tt.want)
			}
		})
	}
}

// A turn begins with a long prompt and goes on with many short ones.
func TestShortPromptsDoNotPushOutTheLongOne(t *testing.T) {
	b := OpenPace("", hereAddress)
	b.NoteRead("m", 12_000, 24*time.Second)
	for i := range 500 {
		b.NoteRead("m", 300+i, time.Second)
	}
	if got := b.Read("m", 12_000); got != 24*time.Second {
		t.Errorf("got %v", got)
	}
	if got := len(b.of("m").Reads); got > 3*keptTimes {
		t.Errorf("%d are kept", got)
	}
}

// A machine that became faster is seen to be faster soon.
func TestTheNewestCount(t *testing.T) {
	b := OpenPace("", hereAddress)
	for _, took := range []time.Duration{20 * time.Second, 10 * time.Second} {
		for range keptTimes {
			b.NoteRead("m", 4000, took)
		}
	}
	if got := b.Read("m", 4000); got != 10*time.Second {
		t.Errorf("got %v from %v", got, fmt.Sprint(b.of("m").Reads))
	}
}

func TestADamagedFileIsReplaced(t *testing.T) {
	for name, text := range map[string]string{
		"empty":              "",
		"cut off":            `{"version": 1, "models": [{"server": "` + hereAddress,
		"another kind":       `{"version": 1, "models": {"m": 1}}`,
		"of another program": `{"off": ["clock__now"]}`,
		"no object":          `[1]`,
		"text for a number":  `{"version": 1, "models": [{"server": "` + hereAddress + `", "model": "m", "loads_ms": ["9000"]}]}`,
		"too large":          `{"version": 1, "models": [{"server": "` + hereAddress + `", "model": "m", "loads_ms": [9000]}]}` + strings.Repeat(" ", 4<<20),
		"too large a number": `{"version": 1, "models": [{"server": "` + hereAddress + `", "model": "m", "loads_ms": [1e400]}]}`,
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "models.json")
			if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			b := OpenPace(path, hereAddress)
			if got := b.Load("m"); got != 0 {
				t.Errorf("it loads in %v", got)
			}
			b.NoteLoad("m", time.Second)
			savePace(t, b)
			if got := OpenPace(path, hereAddress).Load("m"); got != time.Second {
				t.Errorf("written anew it loads in %v", got)
			}
			if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
				t.Errorf("written anew it is %v, %v", info, err)
			}
		})
	}
}
