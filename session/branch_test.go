package session_test

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/aloudchat/aloud/provider"
	"github.com/aloudchat/aloud/provider/event"
	"github.com/aloudchat/aloud/session"
)

// grown is a tree of branches in memory, beside the recorder of the same tree.
type grown struct {
	*session.Recorder
	branches []session.Branch
	at       int
}

// grow resumes a session, or begins one without id.
func grow(t testing.TB, store *session.Store, id string) *grown {
	t.Helper()
	if id == "" {
		return &grown{store.New(), []session.Branch{{Number: 1}}, 0}
	}
	r, conv, err := store.Resume(id)
	must(t, err)
	t.Cleanup(func() { r.Close() })
	all, number := r.Branches()
	at := slices.IndexFunc(all, func(b session.Branch) bool { return b.Number == number })
	same(t, "the current branch", conv.Messages(), all[at].Conversation.Messages())
	return &grown{r, all, at}
}

// conversation returns that of the current branch.
func (g *grown) conversation() *provider.Conversation { return &g.branches[g.at].Conversation }

func (g *grown) ask(t testing.TB, question string) {
	t.Helper()
	*g.conversation() = g.conversation().With(ask(t, g.Recorder, question, "answer to "+question)...)
}

func (g *grown) fork(t testing.TB, keep int) {
	t.Helper()
	b := session.Branch{Number: len(g.branches) + 1, Parent: g.branches[g.at].Number, Kept: keep,
		Conversation: g.conversation().Until(keep)}
	must(t, g.Fork(b, nil))
	g.branches, g.at = append(g.branches, b), len(g.branches)
}

func (g *grown) move(t testing.TB, at int) {
	t.Helper()
	must(t, g.Switch(at+1))
	g.at = at
}

// compare checks that a tree that was read is the same.
func (g *grown) compare(t testing.TB, read *grown) {
	t.Helper()
	if len(read.branches) != len(g.branches) || read.at != g.at {
		t.Fatalf("read %d branches, in number %d, want %d, in %d", len(read.branches), read.at, len(g.branches), g.at)
	}
	for i, b := range g.branches {
		got := read.branches[i]
		if got.Number != b.Number || got.Parent != b.Parent || got.Kept != b.Kept {
			t.Errorf("branch %d is %d of %d from %d", b.Number, got.Number, got.Parent, got.Kept)
		}
		same(t, fmt.Sprint("branch ", b.Number), got.Conversation.Messages(), b.Conversation.Messages())
	}
}

func TestRandomTreeIsReadAsWritten(t *testing.T) {
	store := session.Open(t.TempDir())
	random := rand.New(rand.NewPCG(7, 25))
	g := grow(t, store, "")
	g.ask(t, "0")
	for i := range 300 {
		switch n := g.conversation().Len(); random.IntN(6) {
		case 0:
			g.fork(t, random.IntN(n/4+1)*4)
		case 1:
			g.move(t, random.IntN(len(g.branches)))
		case 2:
			keep := random.IntN(n/4+1) * 4
			must(t, g.Rewind(keep))
			*g.conversation() = g.conversation().Until(keep)
			g.branches[g.at].Kept = min(g.branches[g.at].Kept, keep)
		case 3:
			must(t, g.Close())
			read := grow(t, store, g.ID())
			g.compare(t, read)
			g = read
		default:
			g.ask(t, fmt.Sprint(i))
		}
	}
	must(t, g.Close())
	g.compare(t, grow(t, store, g.ID()))
}

func TestThirtyBranches(t *testing.T) {
	dir := t.TempDir()
	store := session.Open(dir)
	g := grow(t, store, "")
	g.ask(t, "first")
	for i := range 29 {
		g.move(t, i/2)
		g.fork(t, g.conversation().Len()/8*4)
		g.ask(t, fmt.Sprintf("question-%d-", i+2))
	}
	summary := provider.Message{Role: provider.RoleSummary, Text: "short", Covers: &provider.Span{Until: 2}}
	record(t, g.Recorder, []event.Event{event.Appended{Messages: []provider.Message{summary}}, event.Ended{}})
	*g.conversation() = g.conversation().With(summary)
	g.move(t, 0)
	must(t, g.Close())
	g.compare(t, grow(t, store, g.ID()))

	var text bytes.Buffer
	must(t, store.Export(&text, g.ID(), session.Markdown))
	if !strings.Contains(text.String(), "branch 1, 30 in all") || strings.Contains(text.String(), "question-2-") ||
		strings.Contains(text.String(), "summary") {
		t.Errorf("the export of the first branch is\n%s", &text)
	}
	stats, err := store.Stats()
	if err != nil || stats.Turns != 30 {
		t.Errorf("%d turns, %v", stats.Turns, err)
	}
	written, err := os.ReadFile(file(dir, g.ID()))
	must(t, err)
	before, _, _ := bytes.Cut(written, []byte(`"type":"branch"`))
	if bytes.Count(written, []byte(`"version":2`)) != 1 || !bytes.Contains(before, []byte(`"version":2`)) {
		t.Error("an older version does not refuse the file before the first branch")
	}
}

// A damaged file must be read, and a branch that lost a result must be written as it is shown.
func TestDamagedBranchGoesOn(t *testing.T) {
	dir := t.TempDir()
	store := session.Open(dir)
	g := grow(t, store, "")
	g.ask(t, "first")
	g.fork(t, 0)
	g.ask(t, "second")
	must(t, g.Close())
	written, err := os.ReadFile(file(dir, g.ID()))
	must(t, err)
	lines := strings.SplitAfter(string(written), "\n")
	for i := range lines {
		text := strings.Join(lines[:i], "") + "garbage\n" + strings.Join(lines[i+1:], "")
		must(t, os.WriteFile(file(dir, "x"), []byte(text), 0o600))
		r := grow(t, store, "x")
		for at, b := range r.branches {
			answeredCalls(t, b.Conversation.Messages())
			must(t, r.Switch(b.Number))
			r.at = at
			r.ask(t, "more")
		}
		must(t, r.Close())
		again := grow(t, store, "x")
		r.compare(t, again)
		must(t, again.Close())
	}
}

// writeBranches goes on with a session until it is killed. It prints each word after it has been recorded.
func writeBranches(dir, id string) {
	r, conv, err := session.Open(dir).Resume(id)
	if err != nil {
		os.Exit(1)
	}
	all, number := r.Branches()
	last := 0
	for _, b := range all {
		last = max(last, b.Number)
	}
	for turn := 0; ; turn++ {
		if turn%2 == 1 {
			last++
			err = r.Fork(session.Branch{Number: last, Parent: number, Kept: conv.Len() / 2}, nil)
			conv, number = conv.Until(conv.Len()/2), last
		}
		question := provider.Message{Role: provider.RoleUser, Text: fmt.Sprintf("q%d-%d", os.Getpid(), turn)}
		if err != nil || r.Record(event.Appended{Messages: []provider.Message{question}}) != nil {
			os.Exit(1)
		}
		fmt.Println(question.Text)
		var said string
		for n := range 20 {
			word := fmt.Sprintf("w%d-%d-%d ", os.Getpid(), turn, n)
			if r.Record(event.Text{Delta: word}) != nil {
				os.Exit(1)
			}
			said += word
			fmt.Println(word)
		}
		answer := provider.Message{Role: provider.RoleAssistant, Text: said}
		if r.Record(event.Appended{Messages: []provider.Message{answer}}) != nil || r.Record(event.Ended{}) != nil {
			os.Exit(1)
		}
		conv = conv.With(question, answer)
	}
}

// TestKilledBetweenBranches kills a process that writes branches forty times, each time after more words.
func TestKilledBetweenBranches(t *testing.T) {
	dir := t.TempDir()
	g := grow(t, session.Open(dir), "")
	g.ask(t, "first")
	must(t, g.Close())
	random := rand.New(rand.NewPCG(9, 40))
	var words []string
	for range 40 {
		writer := exec.Command(os.Args[0])
		writer.Env = append(os.Environ(), writerVariable+"="+dir, branchesVariable+"="+g.ID())
		out, err := writer.StdoutPipe()
		must(t, err)
		must(t, writer.Start())
		lines := bufio.NewScanner(out)
		for left := random.IntN(120); left >= 0 && lines.Scan(); left-- {
			words = append(words, strings.TrimSpace(lines.Text()))
		}
		must(t, writer.Process.Kill())
		for lines.Scan() { // what it printed before the end
			words = append(words, strings.TrimSpace(lines.Text()))
		}
		_, _ = io.Copy(io.Discard, out)
		_ = writer.Wait()
	}
	read := grow(t, session.Open(dir), g.ID())
	var text strings.Builder
	for _, b := range read.branches {
		answeredCalls(t, b.Conversation.Messages())
		for _, m := range b.Conversation.Messages() {
			text.WriteString(m.Text + " ")
		}
	}
	kept := map[string]bool{}
	for word := range strings.FieldsSeq(text.String()) {
		kept[word] = true
	}
	for _, word := range words {
		if !kept[word] {
			t.Errorf("%s of %d words is lost", word, len(words))
		}
	}
	if len(words) < 40 || len(read.branches) < 5 {
		t.Errorf("only %d words and %d branches", len(words), len(read.branches))
	}
}

func TestForkHasMessagesOfItsOwn(t *testing.T) {
	store := session.Open(t.TempDir())
	r := store.New()
	ask(t, r, "read this", "done")
	own := []provider.Message{{Role: provider.RoleSummary, Covers: &provider.Span{From: 0, Until: 1}, Drops: "secret.txt"}}
	must(t, r.Fork(session.Branch{Number: 2, Parent: 1, Kept: 1}, own))
	must(t, r.Close())
	again, conv, err := store.Resume(r.ID())
	must(t, err)
	must(t, again.Close())
	if got := conv.Messages(); len(got) != 2 || got[1].Drops != "secret.txt" {
		t.Errorf("the branch has %+v", got)
	}
}
