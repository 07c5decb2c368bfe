package pace

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

const here = "http://127.0.0.1:11434"

func fileIn(t *testing.T) string { return filepath.Join(t.TempDir(), "aloud", "models.json") }

func save(t *testing.T, b *Book) {
	t.Helper()
	if err := b.Save(); err != nil {
		t.Fatal(err)
	}
}

func TestTheNextStartKnowsWhatWasMeasured(t *testing.T) {
	path := fileIn(t)
	b := Open(path, here)
	b.NoteLoad("qwen3:14b", 14*time.Second)
	b.NoteRead("qwen3:14b", 12_000, 18*time.Second)
	if got := b.Load("qwen3:14b"); got != 14*time.Second {
		t.Errorf("before it is saved it is known to load in %v", got)
	}
	save(t, b)
	for name, b := range map[string]*Book{"the same": b, "the next": Open(path, here)} {
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
	path := fileIn(t)
	b := Open(path, here)
	b.NoteContext("m", 16384, 1.5)
	b.NoteContext("m", 8192, 0) // a turn that showed nothing of the scale
	b.NoteContext("n", -1, 1000)
	save(t, b)
	if tokens, scale := Open(path, here).Context("m"); tokens != 8192 || scale != 1.5 {
		t.Errorf("it knows a context of %d and a scale of %v", tokens, scale)
	}
	if tokens, scale := Open(path, here).Context("n"); tokens != 0 || scale != 0 {
		t.Errorf("it believes in a context of %d and a scale of %v", tokens, scale)
	}
}

func TestTheFileCanBeReadByPeople(t *testing.T) {
	path := fileIn(t)
	b := Open(path, here)
	b.NoteLoad("m", 9*time.Second)
	b.NoteRead("m", 400, 2*time.Second)
	save(t, b)
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`"version": 1,`, `"server": "http://127.0.0.1:11434",`, `"model": "m",`, `9000`, `"tokens": 400,`, `"ms": 2000`} {
		if !strings.Contains(string(text), want) {
			t.Errorf("it does not say %s:\n%s", want, text)
		}
	}
}

func TestWhatSeveralProgramsNoteIsKept(t *testing.T) {
	path := fileIn(t)
	books := []*Book{Open(path, here), Open(path, here), Open(path, "http://there:8000")}
	for _, b := range books {
		b.Load("m") // all have read the file before anyone writes it
	}
	for i, b := range books {
		b.NoteLoad("m", time.Duration(10+i)*time.Second)
		b.NoteLoad("another", time.Second)
		save(t, b)
	}
	b := Open(path, here)
	if got := b.of("m").Loads; len(got) != 2 || got[0] != 10_000 || got[1] != 11_000 {
		t.Errorf("two programs noted the loads %v", got)
	}
	if got := Open(path, "http://there:8000").Load("m"); got != 12*time.Second {
		t.Errorf("the other server loads in %v", got)
	}
	if got := books[1].of("m").Loads; len(got) != 2 {
		t.Errorf("who saves learns what others noted, not %v", got)
	}
}

func TestSavingAtTheSameTime(t *testing.T) {
	path := fileIn(t)
	var all sync.WaitGroup
	for range 4 {
		b := Open(path, here)
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
	if b := Open(path, here); b.Load("m") != time.Second || b.Read("m", 400) != time.Second {
		t.Errorf("in the end it knows %+v", b.of("m"))
	}
}

func TestNothingNotedNothingWritten(t *testing.T) {
	path := fileIn(t)
	b := Open(path, here)
	b.NoteLoad("m", 3*time.Millisecond)
	b.NoteRead("m", 20, time.Second)
	b.NoteLoad("", time.Second)
	b.NoteLoad(strings.Repeat("m", longestName+1), time.Second)
	save(t, b)
	if _, err := os.Stat(path); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("there is a file, %v", err)
	}
	b.NoteLoad("m", time.Second)
	save(t, b)
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	save(t, b)
	if _, err := os.Stat(path); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("what is saved is saved again, %v", err)
	}
}

func TestABookWithoutAFile(t *testing.T) {
	none := (*Book)(nil)
	none.NoteLoad("m", time.Second)
	none.NoteRead("m", 400, time.Second)
	save(t, none)
	if none.Load("m") != 0 || none.Read("m", 400) != 0 {
		t.Error("no book knows something")
	}
	for _, b := range []*Book{Open("", here), Open(fileIn(t), ""), Open(fileIn(t), strings.Repeat("x", longestName+1))} {
		b.NoteLoad("m", time.Second)
		b.NoteRead("m", 400, time.Second)
		save(t, b)
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
		const newer = `{"version": 2, "models": [{"server": "` + here + `", "model": "m", "loads_ms": [9000]}]}`
		path := filepath.Join(t.TempDir(), "models.json")
		if err := os.WriteFile(path, []byte(newer), 0o600); err != nil {
			t.Fatal(err)
		}
		b := Open(path, here)
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
		b := Open(path, here)
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
		b := Open(path, here)
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

// Save is called at the end of every turn.
func BenchmarkSave(b *testing.B) {
	path := filepath.Join(b.TempDir(), "models.json")
	book := Open(path, here)
	for i := range mostModels {
		for range keptReads {
			book.NoteLoad(fmt.Sprint("model-", i), 9*time.Second)
			for tokens := fewestTokens; tokens <= 100_000; tokens *= 4 {
				book.NoteRead(fmt.Sprint("model-", i), tokens, 9*time.Second)
			}
		}
	}
	b.ReportAllocs()
	for b.Loop() {
		book.NoteLoad("model-1", 9*time.Second)
		if err := book.Save(); err != nil {
			b.Fatal(err)
		}
	}
}
