package stdio

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/aloudchat/aloud/mcpclient/jsonrpc"
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

func TestTailCutsBetweenCharacters(t *testing.T) {
	for lead := range 4 {
		server := newLines(4<<10, nil)
		line := strings.Repeat("x", lead) + strings.Repeat("界", 1000)
		server.tail.add("", []byte(line))
		server.read(strings.NewReader(line + "\n" + line + line + "\n"))
		if got := server.Tail(); len(got) != 3 || strings.Contains(strings.Join(got, ""), "\uFFFD") {
			t.Errorf("after %d characters the tail is %q", lead, got)
		}
	}
}

func FuzzReceive(f *testing.F) {
	for _, seed := range []string{
		`{"jsonrpc":"2.0","id":1,"result":{}}`, `{"id":"1","error":"no"}`, `[{"id":1,"result":2},null]`,
		`> {"jsonrpc":"2.0","id":1,"result":{}}`, `{"method":"ping","id":null}`, `{"method":"ping","id":[]}`,
		`{"method":"notifications/progress","params":[]}`, "\xff{", `{"id":1,"result":"` + strings.Repeat("x", 3000) + `"}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, in []byte) {
		server := newLines(2000, func(jsonrpc.Message) {})
		server.read(bytes.NewReader(in))
		for _, line := range server.Tail() {
			if strings.ContainsAny(line, "\x1b\n\r") {
				t.Errorf("the tail is not sanitized: %q", line)
			}
		}
	})
}
