package stdio

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
)

func TestReadLines(t *testing.T) {
	long := "a" + strings.Repeat("-", 5000)
	var got []string
	readLines(iotest.OneByteReader(strings.NewReader("one\n\n"+long+"\nunfinished")), 2000,
		func(head []byte, size int) { got = append(got, fmt.Sprint(string(head), size)) })
	if want := []string{"one\n4", "\n1", long[:headOfLong] + "5002", "unfinished10"}; !slices.Equal(got, want) {
		t.Errorf("got %q", got)
	}
}

// A line that is too long for the tail is cut between two characters, wherever the border lies.
func TestTailCutsBetweenCharacters(t *testing.T) {
	for lead := range 4 {
		server := New(Config{MaxLine: 4 << 10})
		line := strings.Repeat("x", lead) + strings.Repeat("界", 1000)
		server.tail.add("", []byte(line))
		readLines(strings.NewReader(line+"\n"+line+line+"\n"), server.config.MaxLine, server.hear)
		if got := server.Tail(); len(got) != 3 || strings.Contains(strings.Join(got, ""), "\uFFFD") {
			t.Errorf("after %d letters the tail is %q", lead, got)
		}
	}
}

func FuzzReceive(f *testing.F) {
	for _, seed := range []string{
		`{"jsonrpc":"2.0","id":1,"result":{}}`, `{"id":"1","error":"no"}`, `[{"id":1,"result":2},null]`, `> {"jsonrpc":"2.0","id":1,"result":{}}`,
		`{"method":"ping","id":null}`, `{"method":"ping","id":[]}`, `{"method":"notifications/progress","params":[]}`, "\xff{", `{"id":1,"result":"` + strings.Repeat("x", 3000) + `"}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, in []byte) {
		server := New(Config{MaxLine: 2000})
		readLines(bytes.NewReader(in), server.config.MaxLine, server.hear)
		for _, line := range server.Tail() {
			if strings.ContainsAny(line, "\x1b\n\r") {
				t.Errorf("hostile text in the tail: %q", line)
			}
		}
	})
}
