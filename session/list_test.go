package session_test

import (
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/aloudchat/aloud/provider"
	"github.com/aloudchat/aloud/provider/event"
	"github.com/aloudchat/aloud/session"
)

// written creates a session that was changed at a minute of a past hour.
func written(t testing.TB, dir, id string, minutes int) {
	t.Helper()
	text := `{"type":"meta","version":1,"time":"2026-01-02T03:04:05Z"}` + "\n" +
		`{"type":"message","message":{"role":"user","text":"question of ` + id + `"}}` + "\n"
	must(t, os.WriteFile(file(dir, id), []byte(text), 0o600))
	at := time.Date(2026, 1, 2, 3, minutes, 0, 0, time.UTC)
	must(t, os.Chtimes(file(dir, id), at, at))
}

func TestFindByPrefix(t *testing.T) {
	dir := t.TempDir()
	store := session.Open(dir)
	if _, _, err := store.Load(""); err == nil || err.Error() != "no saved conversations yet. Start one with: aloud" {
		t.Error(err)
	}
	written(t, dir, "20260101-000000-aaaa", 3)
	written(t, dir, "20260101-000000-bbbb", 5)
	written(t, dir, "20260202-000000-cccc", 4)
	written(t, dir, "20260202-000000-cccc2", 1)
	must(t, os.WriteFile(filepath.Join(dir, "notes.txt"), nil, 0o600))
	for prefix, want := range map[string]string{
		"":                     "20260101-000000-bbbb",
		"20260101-000000-a":    "20260101-000000-aaaa",
		"20260202-000000-cccc": "20260202-000000-cccc", // another session starts with it
	} {
		info, conv, err := store.Load(prefix)
		if err != nil || info.ID != want || conv.Len() != 1 || info.Title != "question of "+want {
			t.Errorf("%q: %+v, %v", prefix, info, err)
		}
	}
	for prefix, want := range map[string]string{
		"2025":        `no conversation starts with "2025". See: aloud sessions list`,
		"../sessions": `no conversation starts with "../sessions". See: aloud sessions list`,
		"\x1b[2J":     `no conversation starts with "\x1b[2J". See: aloud sessions list`,
		"20260101": `2 conversations start with "20260101", among them "20260101-000000-bbbb" and "20260101-000000-aaaa". ` +
			`Use a longer ID`,
	} {
		_, _, err := store.Resume(prefix)
		if err == nil || err.Error() != want {
			t.Errorf("%q: %v, want %s", prefix, err, want)
		}
	}
}

func TestListAndRemove(t *testing.T) {
	dir := t.TempDir()
	store := session.Open(dir)
	if infos, err := session.Open(filepath.Join(dir, "not there yet")).List(); len(infos) != 0 || err != nil {
		t.Errorf("%+v, %v", infos, err)
	}
	written(t, dir, "a", 1)
	written(t, dir, "c", 2)
	written(t, dir, "b", 3)
	infos, err := store.List()
	var ids []string
	for _, i := range infos {
		ids = append(ids, i.ID)
	}
	if strings.Join(ids, " ") != "b c a" || err != nil {
		t.Errorf("%v, %v", ids, err)
	}
	if err := store.Remove("c"); err != nil {
		t.Error(err)
	}
	if infos, _ := store.List(); len(infos) != 2 {
		t.Errorf("after removing: %+v", infos)
	}
	if err := store.Remove(""); err == nil {
		t.Errorf("removing nothing: %v", err)
	}
}

func TestHostileTitle(t *testing.T) {
	store := session.Open(t.TempDir())
	r := store.New()
	question := "first\n\tsecond \x1b[2J\u202e " + strings.Repeat("é", 2000)
	record(t, r, []event.Event{event.Appended{Messages: []provider.Message{{Role: provider.RoleUser,
		Text: question}}}})
	r.Close()
	info, _, err := store.Load("")
	if n := len([]rune(info.Title)); err != nil || n > 80 || !strings.HasPrefix(info.Title, "first second ") ||
		strings.ContainsAny(info.Title, "\n\x1b\u202e\ufffd") {
		t.Errorf("%q, %v", info.Title, err)
	}
}

// TestListLargeFiles lists files that would take too long to read whole.
func TestListLargeFiles(t *testing.T) {
	dir := t.TempDir()
	store := session.Open(dir)
	written(t, dir, "long", 1)
	if err := os.Truncate(file(dir, "long"), 7<<30); err != nil { // a sparse file
		t.Fatal(err)
	}
	huge := `{"type":"meta","version":1,"time":"2026-01-02T03:04:05Z"}` + "\n" +
		`{"type":"message","message":{"role":"user","text":"Read this: \u4e16\"` + strings.Repeat(`\u4e16`, 1<<20) + `"}}` +
		"\n"
	must(t, os.WriteFile(file(dir, "huge question"), []byte(huge), 0o600))
	attached := `{"type":"message","message":{"role":"user","text":"See","attached":[{"text":"` +
		strings.Repeat("x", 1<<20) + `"}]}}` + "\n"
	must(t, os.WriteFile(file(dir, "attached"), []byte(attached), 0o600))
	known := `{"type":"model","model":"m"}` + "\n" + `{"type":"message","message":{"role":"user","text":"Hi"}}` + "\n"
	must(t, os.WriteFile(file(dir, "known"), []byte(known+strings.Repeat("damage\n", 10_000)), 0o600))
	infos, err := store.List()
	if err != nil || len(infos) != 4 {
		t.Fatalf("%+v, %v", infos, err)
	}
	byID := map[string]session.Info{}
	for _, i := range infos {
		byID[i.ID] = i
	}
	if i := byID["long"]; i.Title != "question of long" || i.Size != 7<<30 || i.Messages != 0 || i.Started.IsZero() {
		t.Errorf("%+v", i)
	}
	if i := byID["huge question"]; !strings.HasPrefix(i.Title, `Read this: 世"世世`) || i.Size != int64(len(huge)) {
		t.Errorf("%+v", i)
	}
	if i := byID["attached"]; i.Title != "See" {
		t.Errorf("%+v", i)
	}
	if i := byID["known"]; i.Title != "Hi" || i.Model != "m" || i.Skipped != 0 { // does not reach the damage
		t.Errorf("%+v", i)
	}
}

// A crash of the system may leave a hole in a file, which is one long line.
func TestHole(t *testing.T) {
	dir := t.TempDir()
	written(t, dir, "x", 1)
	f, err := os.OpenFile(file(dir, "x"), os.O_WRONLY, 0)
	must(t, err)
	defer f.Close()
	if _, err := f.WriteAt([]byte("\n"+`{"type":"message","message":{"role":"user"}}`+"\n"), 70<<20); err != nil {
		t.Fatal(err)
	}
	if info, conv, err := session.Open(dir).Load("x"); err != nil || conv.Len() != 2 || info.Skipped != 1 {
		t.Errorf("%+v, %d messages, %v", info, conv.Len(), err)
	}
}

func TestContinue(t *testing.T) {
	dir, here, there := t.TempDir(), t.TempDir(), t.TempDir()
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(here, link); err != nil {
		link = here // links may need rights
	}
	minute := 0
	hold := func(folder, provider string) string {
		r := session.Open(dir).For(folder, provider).New()
		ask(t, r, "of "+provider, "yes")
		r.Close()
		minute++
		at := time.Date(2026, 1, 2, 3, minute, 0, 0, time.UTC)
		must(t, os.Chtimes(file(dir, r.ID()), at, at))
		return r.ID()
	}
	first, second := hold(here, "ollama"), hold(link, "ollama")
	elsewhere, other := hold(there, "ollama"), hold(here, "openai")
	written(t, dir, "unknown", 59)

	store := session.Open(dir).For(here, "ollama")
	goOn := func(want string) *session.Recorder {
		t.Helper()
		r, conv, err := store.Continue()
		if err != nil || r.ID() != want || conv.Len() != 4 {
			t.Fatalf("%q, %v; want %q of %q", r.ID(), err, want, []string{first, second, elsewhere, other})
		}
		return r
	}
	newest := goOn(second)
	defer goOn(first).Close() // while the newest is in use
	if r, _, err := store.Continue(); !errors.Is(err, session.ErrInUse) || r != nil {
		t.Errorf("with all of them open: %v", err)
	}
	newest.Close()
	goOn(second).Close()
	_, _, err := session.Open(dir).For(t.TempDir(), "ollama").Continue()
	if err == nil || !strings.HasPrefix(err.Error(), `no conversation with provider "ollama" in this folder`) {
		t.Errorf("without one: %v", err)
	}
}

// JSON cannot hold the name of a folder that is not UTF-8.
func TestContinueInFolderThatIsNotUTF8(t *testing.T) {
	dir := t.TempDir()
	for _, folder := range []string{"/a\xff", "/a\xfe"} {
		r := session.Open(dir).For(folder, "ollama").New()
		ask(t, r, "in "+strconv.Quote(folder), "yes")
		r.Close()
	}
	for _, folder := range []string{"/a\xff", "/a\xfe"} {
		r, conv, err := session.Open(dir).For(folder, "ollama").Continue()
		if err != nil || conv.Messages()[0].Text != "in "+strconv.Quote(folder) {
			t.Fatalf("%q: %v, %v", folder, conv.Messages(), err)
		}
		r.Close()
	}
}
