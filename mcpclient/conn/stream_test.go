package conn

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"
)

func TestEvents(t *testing.T) {
	for stream, want := range map[string]string{
		"data: a\n\ndata: bc\n\n":                   `[a] [bc]`,
		"data: a\r\n\r\n: d\r\n\r\n":                `[a] []`,
		"event: x\nid: 1\ndata:a\ndata: b\nodd\n\n": `x1[a|b]`,
		"data: a\n\nid: 1\ndata: b":                 `[a] [b]`,
		"retry: 20\n\n":                             `20ms[]`,
	} {
		var got []string
		err := readEvents(iotest.OneByteReader(strings.NewReader(stream)), func(e event) bool {
			text := e.name + e.id
			if e.wait > 0 {
				text += e.wait.String()
			}
			got = append(got, fmt.Sprintf("%s[%s]", text, strings.ReplaceAll(strings.TrimSpace(string(e.data)), "\n", "|")))
			return true
		})
		if strings.Join(got, " ") != want || !errors.Is(err, io.EOF) {
			t.Errorf("%q gives %q, %v", stream, got, err)
		}
	}
}
