package session_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/aloudchat/aloud/provider"
	"github.com/aloudchat/aloud/session"
)

// BenchmarkRecordText is the cost of one token, boxed as an event already.
func BenchmarkRecordText(b *testing.B) {
	r := session.Open(b.TempDir()).New()
	defer r.Close()
	var token provider.Event = provider.Text{Delta: " token"}
	b.ReportAllocs()
	for b.Loop() {
		if err := r.Record(token); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkLoad(b *testing.B) {
	store := session.Open(b.TempDir())
	r := store.New()
	for i := range 250 {
		ask(b, r, fmt.Sprint(i), "An answer of a few words, which come one after the other.")
	}
	r.Close()
	b.ReportAllocs()
	for b.Loop() {
		if _, conv, err := store.Load(""); err != nil || conv.Len() != 1000 {
			b.Fatal(conv.Len(), err)
		}
	}
}

// BenchmarkStats counts conversations of a megabyte each: half of it pieces of text, half messages with what tools gave.
func BenchmarkStats(b *testing.B) {
	const conversations, turns = 10, 8
	dir := b.TempDir()
	store := session.Open(dir)
	page := strings.Repeat("What a page says. ", 2000)
	for range conversations {
		r := store.New()
		for range turns {
			for range 600 {
				record(b, r, []provider.Event{provider.Text{Delta: " token"}})
			}
			message := provider.Message{Role: provider.RoleTool, Text: page}
			record(b, r, []provider.Event{provider.Appended{Messages: []provider.Message{message}},
				provider.ToolFinished{Call: provider.ToolCall{Name: "fetch__fetch", Server: "fetch", Result: page}}})
			finish(b, r, "qwen3:8b", provider.Done, 2, 5, called("fetch", "fetch__fetch", provider.CallOK, 300))
		}
		r.Close()
	}
	files, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil || len(files) != conversations {
		b.Fatal(files, err)
	}
	size := int64(0)
	for _, path := range files {
		info, err := os.Stat(path)
		if err != nil {
			b.Fatal(err)
		}
		size += info.Size()
	}
	b.SetBytes(size)
	b.ReportAllocs()
	for b.Loop() {
		if stats, err := store.Stats(session.StatsFilter{}); err != nil || stats.Turns != conversations*turns {
			b.Fatal(stats.Turns, err)
		}
	}
}
