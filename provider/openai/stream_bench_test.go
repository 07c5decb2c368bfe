package openai

import (
	"io"
	"net/http"
	"strings"
	"testing"
)

// BenchmarkStream reads a reply of a thousand pieces.
func BenchmarkStream(b *testing.B) {
	piece := `{"id":"chatcmpl-beb39e7777184d59","object":"chat.completion.chunk","created":1758892077,"model":"m",` +
		`"choices":[{"index":0,"delta":{"content":"Hello"},"logprobs":null,"finish_reason":null}]}`
	stream := strings.Repeat("data: "+piece+"\n\n", 1000) + "data: " + finished + "\n\ndata: [DONE]\n\n"
	c := client(b, Options{BaseURL: "http://box"})
	c.through(roundTripper(func(*http.Request) (*http.Response, error) {
		return &http.Response{StatusCode: 200, Header: http.Header{}, Body: io.NopCloser(strings.NewReader(stream))}, nil
	}))
	b.SetBytes(int64(len(stream)))
	b.ReportAllocs()
	for b.Loop() {
		if got, err := ask(b.Context(), c, question); err != nil || len(got.Text) != 5000 {
			b.Fatalf("%d bytes, %v", len(got.Text), err)
		}
	}
}
