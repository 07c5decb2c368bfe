package builtin_test

import (
	"bytes"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aloudchat/aloud/mcpclient/builtin"
)

const hello = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":` +
	`{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`

// Scripts write their requests and close the input at once.
func TestServeAnswersEveryLine(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		release, served := make(chan bool), make(chan error)
		slow := builtin.Clock(func() time.Time { <-release; panic("no time") })
		in := strings.NewReader(hello + "\nno JSON\n[]\n" +
			`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"now"}}` + "\n" + strings.Repeat("x", 17<<20))
		var out bytes.Buffer
		go func() { served <- slow.Serve(t.Context(), in, &out) }()
		synctest.Wait() // until the input is read
		close(release)
		if err := <-served; err == nil || err.Error() != "a message is longer than 16 MB" {
			t.Error(err)
		}
		for text, want := range map[string]int{
			`"id":1,"result":`: 1, `{"jsonrpc":"2.0","error":{"code":-32700`: 2,
			`"id":2,"error":{"code":-32603,"message":"tools/call panicked: no time"`: 1,
		} {
			if n := strings.Count(out.String(), text); n != want {
				t.Errorf("%d times %s in %s", n, text, out.String())
			}
		}
	})
}
