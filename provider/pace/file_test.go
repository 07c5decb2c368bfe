package pace

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

var now = time.Date(2026, 11, 20, 10, 0, 0, 0, time.UTC)

func TestADamagedFileIsReplaced(t *testing.T) {
	for name, text := range map[string]string{
		"empty":              "",
		"cut off":            `{"version": 1, "models": [{"server": "` + here,
		"another kind":       `{"version": 1, "models": {"m": 1}}`,
		"of another program": `{"off": ["clock__now"]}`,
		"no object":          `[1]`,
		"text for a number":  `{"version": 1, "models": [{"server": "` + here + `", "model": "m", "loads_ms": ["9000"]}]}`,
		"too large":          `{"version": 1, "models": [{"server": "` + here + `", "model": "m", "loads_ms": [9000]}]}` + strings.Repeat(" ", largestFile),
		"too large a number": `{"version": 1, "models": [{"server": "` + here + `", "model": "m", "loads_ms": [1e400]}]}`,
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "models.json")
			if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			b := Open(path, here)
			if got := b.Load("m"); got != 0 {
				t.Errorf("it loads in %v", got)
			}
			b.NoteLoad("m", time.Second)
			save(t, b)
			if got := Open(path, here).Load("m"); got != time.Second {
				t.Errorf("written anew it loads in %v", got)
			}
			if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
				t.Errorf("written anew it is %v, %v", info, err)
			}
		})
	}
}

func TestWhatMakesNoSenseIsLeftOut(t *testing.T) {
	f, err := parse([]byte(`{"version": 1, "more": 1, "models": [
		{"server": "s", "model": "m", "used": "2026-11-19T10:00:00Z", "loads_ms": [-1, 0, 9000, 99999999999], "reads": [{"tokens": -1, "ms": 1}, {"tokens": 400, "ms": 800}]},
		{"server": "s", "model": "m", "used": "2026-11-19T10:00:00Z", "loads_ms": [8000]},
		{"server": "s", "model": "", "loads_ms": [9000]},
		{"server": "", "model": "m", "loads_ms": [9000]},
		{"server": "s", "model": "`+strings.Repeat("x", longestName+1)+`", "loads_ms": [9000]},
		{"server": "s", "model": "nothing known"},
		{"server": "s", "model": "tomorrow", "used": "2999-01-01T00:00:00Z", "loads_ms": [9000]},
		{"server": "s", "model": "before time", "used": "0000-01-01T00:00:00+23:59", "loads_ms": [9000]}
	]}`), now)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, e := range f.Models {
		got = append(got, fmt.Sprint(e.Model, e.Used.Format(" 2006-01-02"), e.Loads, e.Reads))
	}
	want := []string{"tomorrow 2026-11-20[9000] []", "m 2026-11-19[9000 8000] [{400 800}]", "before time 0001-01-01[9000] []"}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%q, want\n%q", got, want)
	}
}

func TestModelsThatWereUsedLongAgoAreForgotten(t *testing.T) {
	var f file
	for i := range 2 * mostModels {
		f.add("s", map[string]measures{fmt.Sprint(i): {Loads: []milliseconds{1000}}}, now.Add(time.Duration(i)*time.Minute))
	}
	models := f.of("s")
	_, oldest := models[fmt.Sprint(mostModels-1)]
	_, old := models[fmt.Sprint(mostModels)]
	_, newest := models[fmt.Sprint(2*mostModels-1)]
	if len(models) != mostModels || oldest || !old || !newest {
		t.Errorf("there are %d models; the one that should go: %v, the one that should stay: %v, the last one: %v", len(models), oldest, old, newest)
	}
}

// What is written can be read again, however odd the names are: "<" takes six bytes in the file.
func TestTheFileNeverBecomesTooLarge(t *testing.T) {
	var f file
	m := measures{}
	for range keptReads {
		for tokens := fewestTokens; tokens <= mostTokens; tokens *= 2 {
			m = m.with(measures{Reads: []reading{{tokens, longest}}})
		}
	}
	for i := range mostModels {
		f.add(strings.Repeat("<", longestName), map[string]measures{fmt.Sprint(i, strings.Repeat("<", longestName-4)): m}, now)
	}
	text, err := f.text()
	if err != nil || len(text) > largestFile {
		t.Fatalf("it has %d bytes, %v", len(text), err)
	}
	if again, err := parse(text, now); err != nil || len(again.Models) != len(f.Models) || len(f.Models) == 0 {
		t.Errorf("of %d models %d can be read again, %v", len(f.Models), len(again.Models), err)
	}
}

// A file with many small entries must not take long: those after as many as there may be are not looked at, whatever they say.
func TestAFileWithManyEntries(t *testing.T) {
	var text bytes.Buffer
	text.WriteString(`{"version":1,"models":[`)
	for i := range 20_000 {
		fmt.Fprintf(&text, `{"server":"s","model":"%d","loads_ms":[900]},`, i)
	}
	text.WriteString(`{"server":"s","model":"last","used":"2026-11-20T10:00:00Z","loads_ms":[900]}]}`)
	if text.Len() > largestFile {
		t.Fatal("the file is too large to be read at all")
	}
	f, err := parse(text.Bytes(), now)
	if err != nil || len(f.Models) != mostModels || f.of("s")["last"].load() != 0 {
		t.Errorf("%d models are read, %v", len(f.Models), err)
	}
}

func FuzzFile(f *testing.F) {
	f.Add([]byte(`{"version": 1, "models": [{"server": "s", "model": "m", "used": "2026-11-20T10:00:00Z", "loads_ms": [9000], "reads": [{"tokens": 400, "ms": 800}]}]}`), 1000)
	f.Add([]byte(`{"version": 2}`), 0)
	f.Add([]byte(`{"version":1,"models":[{"Server":"s","model":"\ud800","used":"0000-01-01T00:00:00+23:59","loads_ms":[50],"reads":[{"tokens":200,"ms":1}]}]}`), 1<<30)
	f.Fuzz(func(t *testing.T, data []byte, tokens int) {
		read, err := parse(data, now)
		if err != nil {
			return
		}
		for _, e := range read.Models {
			if load := e.load(); load < 0 || load > longest.duration() {
				t.Errorf("it loads in %v", load)
			}
			if took := e.read(tokens); took < 0 || took > longest.duration() {
				t.Errorf("it reads %d tokens in %v", tokens, took)
			}
		}
		text, err := read.text()
		if err != nil {
			t.Fatalf("what was read cannot be written: %v", err)
		}
		again, err := parse(text, now)
		if err != nil {
			t.Fatalf("what was written cannot be read: %v", err)
		}
		if twice, err := again.text(); err != nil || !bytes.Equal(text, twice) {
			t.Errorf("written again it is another file, %v:\n%s\n%s", err, text, twice)
		}
	})
}
