package session_test

import (
	"strings"
	"testing"

	"github.com/aloudchat/aloud/session"
)

func TestSearchCountsMessagesOfTheCurrentBranch(t *testing.T) {
	store := session.Open(t.TempDir())
	g := grow(t, store, "")
	g.ask(t, "first words")
	g.ask(t, "second words")
	g.fork(t, 2)
	g.ask(t, "third words")
	g.Close()
	found, err := store.Search(t.Context(), "words")
	must(t, err)
	read, _, _, err := store.Read("")
	must(t, err)
	if len(found) != 1 || found[0].Messages != read.Messages || found[0].Questions != 2 ||
		found[0].Excerpt != "answer to third words" {
		t.Errorf("found %+v", found)
	}
	if found, err = store.Search(t.Context(), "second"); len(found) != 1 || err != nil {
		t.Errorf("the other branch is not found: %v", err)
	}
}

func TestTitleOfBranchWithoutMessages(t *testing.T) {
	store := session.Open(t.TempDir())
	g := grow(t, store, "")
	g.ask(t, "first words")
	g.fork(t, 0)
	g.Close()
	infos, err := store.List()
	must(t, err)
	if len(infos) != 1 || infos[0].Title != "first words" {
		t.Errorf("%+v", infos)
	}
}

func TestLongNameIsKeptWhole(t *testing.T) {
	store := session.Open(t.TempDir())
	g := grow(t, store, "")
	g.ask(t, "first words")
	g.Close()
	name := strings.Repeat("e\u0301\u0302\u0303", 80) // 7 bytes in a cell
	must(t, store.Rename("", name))
	infos, err := store.List()
	must(t, err)
	if infos[0].Title != name {
		t.Errorf("the name became %q", infos[0].Title)
	}
}
