package openai

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/aloudchat/aloud/provider"
)

// BenchmarkReply reads a reply of 1000 pieces.
func BenchmarkReply(b *testing.B) {
	var stream bytes.Buffer
	for range 1000 {
		fmt.Fprintf(&stream, "data: {\"id\":\"chatcmpl-1\",\"object\":\"chat.completion.chunk\",\"created\":1,\"model\":\"m\",\"choices\":[{\"index\":0,\"delta\":{\"content\":\" word\"},\"finish_reason\":null}]}\n\n")
	}
	fmt.Fprintf(&stream, "data: %s\n\ndata: [DONE]\n\n", finished)
	b.SetBytes(int64(stream.Len()))
	b.ReportAllocs()
	for b.Loop() {
		l := listener{events: newEvents(bytes.NewReader(stream.Bytes())), yield: func(provider.Chunk, error) bool { return true }, cancel: func() {}}
		if err := l.listen(); err != nil {
			b.Fatal(err)
		}
		l.hush()
	}
}
