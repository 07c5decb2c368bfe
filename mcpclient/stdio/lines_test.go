package stdio

import (
	"bytes"
	"strings"
	"testing"
	"testing/iotest"
)

func TestReadLines(t *testing.T) {
	var got []string
	read := func(in string, max int) {
		got = nil
		readLines(iotest.OneByteReader(strings.NewReader(in)), max,
			func(line []byte) { got = append(got, string(line)) },
			func(head, tail []byte, size int) { got = append(got, string(head)+"…"+string(tail)) })
	}
	read("one\ntwo\n\nunfinished", 100)
	if want := "one\n|two\n|\n|unfinished"; strings.Join(got, "|") != want {
		t.Errorf("got %q, want %q", got, want)
	}
	long := "a" + strings.Repeat("-", 5000) + "z"
	read(long+"\nshort\n", 1000)
	if len(got) != 2 || !strings.HasPrefix(got[0], "a-") || !strings.HasSuffix(got[0], "-z\n") || len(got[0]) > 2*keptOfLong+len("…") || got[1] != "short\n" {
		t.Errorf("got %q", got)
	}
}

// A line that is too long for the tail is cut between two characters, wherever the border lies.
func TestTheTailCutsNoCharacter(t *testing.T) {
	for lead := range 4 {
		server := New(Config{MaxLine: 4 << 10})
		line := strings.Repeat("x", lead) + strings.Repeat("界", 1000)
		server.tail.read(strings.NewReader(line + "\n" + line + line + "\n"))
		readLines(strings.NewReader(line+"\n"+line+line+"\n"), server.config.MaxLine, server.receive, server.refuse)
		if got := server.Tail(); len(got) != 4 || strings.Contains(strings.Join(got, ""), "\uFFFD") {
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
		readLines(bytes.NewReader(in), server.config.MaxLine, server.receive, server.refuse)
		for _, line := range server.Tail() {
			if strings.ContainsAny(line, "\x1b\n\r") {
				t.Errorf("hostile text in the tail: %q", line)
			}
		}
	})
}
