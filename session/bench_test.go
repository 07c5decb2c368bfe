package session_test

import (
	"fmt"
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
