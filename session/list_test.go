package session_test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/aloudchat/aloud/provider"
	"github.com/aloudchat/aloud/session"
)

// written makes a session with this id that was changed so many minutes after an hour long ago.
func written(t testing.TB, dir, id string, minutes int) {
	t.Helper()
	text := `{"type":"meta","version":1,"time":"2026-01-02T03:04:05Z"}` + "\n" +
		`{"type":"message","message":{"role":"user","text":"question of ` + id + `"}}` + "\n"
	if err := os.WriteFile(file(dir, id), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	at := time.Date(2026, 1, 2, 3, minutes, 0, 0, time.UTC)
	if err := os.Chtimes(file(dir, id), at, at); err != nil {
		t.Fatal(err)
	}
}

func TestSessionsAreFoundByTheBeginningOfTheirID(t *testing.T) {
	dir := t.TempDir()
	store := session.Open(dir)
	if _, _, err := store.Load(""); err == nil || err.Error() != "there are no sessions yet; start one with: aloud" {
		t.Error(err)
	}
	written(t, dir, "20260101-000000-aaaa", 3)
	written(t, dir, "20260101-000000-bbbb", 5)
	written(t, dir, "20260202-000000-cccc", 4)
	written(t, dir, "20260202-000000-cccc2", 1)
	if err := os.WriteFile(filepath.Join(dir, "notes.txt"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for prefix, want := range map[string]string{
		"":                     "20260101-000000-bbbb", // changed last
		"20260101-000000-a":    "20260101-000000-aaaa",
		"20260202-000000-cccc": "20260202-000000-cccc", // as a whole, although another one begins with it
	} {
		info, conv, err := store.Load(prefix)
		if err != nil || info.ID != want || conv.Len() != 1 || info.Title != "question of "+want {
			t.Errorf("%q: %+v, %v", prefix, info, err)
		}
	}
	for prefix, want := range map[string]string{
		"2025":        `no session begins with "2025"; see: aloud sessions list`,
		"../sessions": `no session begins with "../sessions"; see: aloud sessions list`,
		"\x1b[2J":     `no session begins with "\x1b[2J"; see: aloud sessions list`,
		"20260101": `2 sessions begin with "20260101", "20260101-000000-bbbb" and "20260101-000000-aaaa" among them; ` +
			`write more of the one you mean, see: aloud sessions list`,
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

func TestTitlesAreOneSafeLine(t *testing.T) {
	store := session.Open(t.TempDir())
	r := store.New()
	question := "first\n\tsecond \x1b[2J\u202e " + strings.Repeat("é", 2000)
	record(t, r, []provider.Event{provider.Appended{Messages: []provider.Message{{Role: provider.RoleUser, Text: question}}}})
	r.Close()
	info, _, err := store.Load("")
	if n := len([]rune(info.Title)); err != nil || n > 80 || !strings.HasPrefix(info.Title, "first second ") || strings.ContainsAny(info.Title, "\n\x1b\u202e\ufffd") {
		t.Errorf("%q, %v", info.Title, err)
	}
}

// TestAListReadsHeadsOnly: what stands far behind in a file is not read, however long the file is.
func TestAListReadsHeadsOnly(t *testing.T) {
	dir := t.TempDir()
	store := session.Open(dir)
	written(t, dir, "long", 1)
	if err := os.Truncate(file(dir, "long"), 7<<30); err != nil { // with a hole: it takes no room on the disk
		t.Fatal(err)
	}
	huge := `{"type":"meta","version":1,"time":"2026-01-02T03:04:05Z"}` + "\n" +
		`{"type":"message","time":"2026-01-02T03:04:05Z","message":{"role":"user","text":"Read this: \u4e16\"` + strings.Repeat(`\u4e16`, 1<<20) + `"}}` + "\n"
	if err := os.WriteFile(file(dir, "huge question"), []byte(huge), 0o600); err != nil {
		t.Fatal(err)
	}
	attached := `{"type":"message","message":{"role":"user","text":"See","attached":[{"text":"` + strings.Repeat("x", 1<<20) + `"}]}}` + "\n"
	if err := os.WriteFile(file(dir, "attached"), []byte(attached), 0o600); err != nil {
		t.Fatal(err)
	}
	infos, err := store.List()
	if err != nil || len(infos) != 3 {
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
}

// TestContinueTakesTheNewestThatIsFree of the same folder and provider, however the folder is written.
func TestContinueTakesTheNewestThatIsFree(t *testing.T) {
	dir, here, there := t.TempDir(), t.TempDir(), t.TempDir()
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(here, link); err != nil {
		link = here // on a Windows that lets nobody make one
	}
	minute := 0
	hold := func(folder, provider string) string {
		r := session.Open(dir).For(folder, provider).New()
		ask(t, r, "of "+provider, "yes")
		r.Close()
		minute++
		at := time.Date(2026, 1, 2, 3, minute, 0, 0, time.UTC)
		if err := os.Chtimes(file(dir, r.ID()), at, at); err != nil {
			t.Fatal(err)
		}
		return r.ID()
	}
	first, second := hold(here, "ollama"), hold(link, "ollama")
	elsewhere, other := hold(there, "ollama"), hold(here, "openai")
	written(t, dir, "unknown", 59)
	asGiven(t, file(dir, second), here, link)

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
	defer goOn(first).Close() // while the newest is open in another aloud
	if r, _, err := store.Continue(); !errors.Is(err, session.ErrInUse) || r != nil {
		t.Errorf("with all of them open: %v", err)
	}
	newest.Close()
	goOn(second).Close()
	_, _, err := session.Open(dir).For(t.TempDir(), "ollama").Continue()
	if err == nil || err.Error() != `no conversation with the provider "ollama" was held in this folder; see the others with: aloud sessions list` {
		t.Errorf("without one: %v", err)
	}
}

// asGiven writes into a session the folder as it was given, as earlier builds did.
func asGiven(t *testing.T, name, folder, given string) {
	t.Helper()
	real, err := filepath.EvalSymlinks(folder)
	stat, err2 := os.Stat(name)
	data, err3 := os.ReadFile(name)
	data = bytes.Replace(data, fmt.Appendf(nil, "%q", real), fmt.Appendf(nil, "%q", given), 1)
	if err := errors.Join(err, err2, err3, os.WriteFile(name, data, 0o600), os.Chtimes(name, stat.ModTime(), stat.ModTime())); err != nil {
		t.Fatal(err)
	}
}
