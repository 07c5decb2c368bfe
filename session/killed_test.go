package session_test

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/aloudchat/aloud/provider"
	"github.com/aloudchat/aloud/provider/event"
	"github.com/aloudchat/aloud/session"
)

// writerVariable makes the test program write a session and wait.
const writerVariable = "ALOUD_TEST_WRITER"

// branchesVariable names the session to which it adds branches.
const branchesVariable = "ALOUD_TEST_BRANCHES"

func TestMain(m *testing.M) {
	if dir := os.Getenv(writerVariable); dir != "" {
		if id := os.Getenv(branchesVariable); id != "" {
			writeBranches(dir, id)
		}
		writeUntilKilled(dir)
	}
	os.Exit(m.Run())
}

func writeUntilKilled(dir string) {
	r := session.Open(dir).New()
	question := []provider.Message{{Role: provider.RoleUser, Text: "?"}}
	for _, ev := range []event.Event{
		event.Began{Model: "m"}, event.Appended{Messages: question}, event.Text{Delta: "half an"},
		event.Text{Delta: " ans"},
	} {
		if err := r.Record(ev); err != nil {
			os.Exit(1)
		}
	}
	os.Stdout.WriteString("written\n")
	_, _ = io.Copy(io.Discard, os.Stdin) // until the test ends
	os.Exit(0)
}

// A process may be killed at any byte. Everything that it wrote before must be read, and the session must continue.
func TestKilledAtAnyByte(t *testing.T) {
	dir := t.TempDir()
	r := session.Open(dir).New()
	full := append(ask(t, r, "one", "The first answer, in a few words."), ask(t, r, "two", "And a second.")...)
	r.Close()
	written, err := os.ReadFile(file(dir, r.ID()))
	must(t, err)
	said := 0
	store := session.Open(dir)
	for n := range len(written) + 1 {
		must(t, os.WriteFile(file(dir, "x"), written[:n], 0o600))
		info, conv, err := store.Load("x")
		if err != nil || info.Skipped != 0 {
			t.Fatalf("cut at byte %d: %+v, %v", n, info, err)
		}
		answeredCalls(t, conv.Messages())
		said = max(said, prefixOf(t, n, conv.Messages(), full, said))
		if n%37 == 0 || n == len(written) {
			goesOn(t, store, conv)
		}
	}
}

// Editors and copies may lose the end of the last line. A complete record without it counts.
func TestResumeKeepsLastLineWithoutEnd(t *testing.T) {
	dir := t.TempDir()
	r := session.Open(dir).New()
	ask(t, r, "one", "The first answer, in a few words.")
	r.Close()
	written, err := os.ReadFile(file(dir, r.ID()))
	must(t, err)
	store := session.Open(dir)
	for n, b := range written {
		if b != '\n' {
			continue
		}
		must(t, os.WriteFile(file(dir, "whole"), written[:n+1], 0o600))
		must(t, os.WriteFile(file(dir, "x"), written[:n], 0o600))
		_, want, err := store.Load("whole")
		must(t, err)
		_, got, err := store.Load("x")
		must(t, err)
		same(t, "without the last line end", got.Messages(), want.Messages())
		goesOn(t, store, want)
		left, err := os.ReadFile(file(dir, "x"))
		if err != nil || !bytes.HasPrefix(left, written[:n+1]) {
			t.Errorf("cut at byte %d, it goes on as %.40q, %v", n, left[min(n, len(left)):], err)
		}
	}
}

// prefixOf checks that got is the start of full, and no shorter than before.
func prefixOf(t *testing.T, n int, got, full []provider.Message, before int) (said int) {
	t.Helper()
	for i, m := range got {
		if m.Role == provider.RoleTool {
			continue // may be replaced
		}
		isPrefix := i < len(full) && strings.HasPrefix(full[i].Text, m.Text) &&
			strings.HasPrefix(full[i].Thinking, m.Thinking)
		if !isPrefix {
			t.Fatalf("cut at byte %d: message %d is %+v", n, i, m)
		}
		if !m.Partial && m.Text != full[i].Text || m.Partial && i != len(got)-1 && len(m.Calls) == 0 {
			t.Fatalf("cut at byte %d: message %d is %+v", n, i, m)
		}
		said += len(m.Text) + len(m.Thinking)
	}
	if said < before {
		t.Fatalf("cut at byte %d: %d bytes of %d are left", n, said, before)
	}
	return said
}

// goesOn resumes a session, adds a turn and loads it again.
func goesOn(t *testing.T, store *session.Store, conv provider.Conversation) {
	t.Helper()
	r, resumed, err := store.Resume("x")
	must(t, err)
	same(t, "resumed", resumed.Messages(), conv.Messages())
	if err := r.Rewind(resumed.Len()); err != nil {
		t.Error(err)
	}
	more := ask(t, r, "more", "and more")
	r.Close()
	info, all, err := store.Load("x")
	if err != nil || info.Skipped != 0 {
		t.Fatalf("%+v, %v", info, err)
	}
	same(t, "all", all.Messages(), resumed.With(more...).Messages())
}

func TestSecondWriter(t *testing.T) {
	store := session.Open(t.TempDir())
	first := store.New()
	ask(t, first, "one", "first")
	_, _, err := store.Resume(first.ID())
	if !errors.Is(err, session.ErrInUse) || !strings.Contains(err.Error(), first.ID()) {
		t.Errorf("a second writer: %v", err)
	}
	if err := store.Remove(first.ID()); !errors.Is(err, session.ErrInUse) {
		t.Errorf("removing a session in use: %v", err)
	}
	first.Close()
	second, conv, err := store.Resume(first.ID())
	if err != nil || conv.Len() != 4 {
		t.Fatalf("after the first has closed: %d, %v", conv.Len(), err)
	}
	if err := first.Record(event.Text{Delta: "late"}); err != nil {
		t.Error(err)
	}
	ask(t, second, "two", "second")
	second.Close()
	if err := store.Remove(first.ID()); err != nil {
		t.Error(err)
	}
}

func TestResumeAfterKill(t *testing.T) {
	dir := t.TempDir()
	killed := exec.Command(os.Args[0])
	killed.Env = append(os.Environ(), writerVariable+"="+dir)
	out, err := killed.StdoutPipe()
	must(t, err)
	in, err := killed.StdinPipe()
	must(t, err)
	defer in.Close()
	must(t, killed.Start())
	if line, err := bufio.NewReader(out).ReadString('\n'); line != "written\n" {
		t.Fatalf("%q, %v", line, err)
	}
	store := session.Open(dir)
	if _, _, err := store.Resume(""); !errors.Is(err, session.ErrInUse) {
		t.Errorf("while the other process lives: %v", err)
	}
	_ = killed.Process.Kill()
	_ = killed.Wait()
	r, conv, err := store.Resume("")
	must(t, err)
	defer r.Close()
	if infos, err := store.List(); err != nil || len(infos) != 1 || infos[0].Model != "m" {
		t.Errorf("%+v, %v", infos, err)
	}
	got := conv.Messages()
	if len(got) != 2 || got[1].Text != "half an ans" || !got[1].Partial {
		t.Errorf("%+v", got)
	}
}
