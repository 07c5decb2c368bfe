package servers

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/aloudchat/aloud/mcpclient/conn"
)

func TestLateServerWithAnAddressInItsOutputNamesIt(t *testing.T) {
	const limit = "not ready within 20s. startup_timeout_sec sets the limit"
	const listens = "not ready within 20s. Its output has the address %q. If it listens there, start it for stdio, or " +
		"run it yourself and add that address"
	for line, want := range map[string]string{
		"Uvicorn running on http://127.0.0.1:8000":               fmt.Sprintf(listens, "http://127.0.0.1:8000"),
		"Server with transport 'sse' on http://0.0.0.0:8000/sse": fmt.Sprintf(listens, "http://0.0.0.0:8000/sse"),
		"see https://example.com:443/docs":                       limit,
		"reading the index":                                      limit,
	} {
		ctx, cancel := context.WithTimeoutCause(t.Context(), 0, notReady(20*time.Second, ""))
		err := startFailure(ctx, conn.WithOutput(context.DeadlineExceeded, []string{"starting", line}))
		cancel()
		if err.Error() != want {
			t.Errorf("%q: %q, want %q", line, err, want)
		}
	}
}
