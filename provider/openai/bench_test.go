package openai

import (
	"bytes"
	"fmt"
	"testing"
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
	_, c := serve(b, answers(200, "text/event-stream", stream.String()))
	for b.Loop() {
		if _, err := ask(b.Context(), c, question); err != nil {
			b.Fatal(err)
		}
	}
}
