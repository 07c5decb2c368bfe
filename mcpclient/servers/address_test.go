package servers

import (
	"context"
	"testing"
	"time"

	"github.com/aloudchat/aloud/mcpclient/conn"
)

func TestLateServerThatListensOnAnAddressIsToldSo(t *testing.T) {
	const limit = "not ready within 20s. startup_timeout_sec sets the limit"
	for line, want := range map[string]string{
		"INFO: Uvicorn running on http://127.0.0.1:8000 (Press CTRL+C to quit)": `not ready within 20s. It listens on ` +
			`"http://127.0.0.1:8000". Start it for stdio, or run it yourself and add that address`,
		"Server with transport 'sse' on http://0.0.0.0:8000/sse": `not ready within 20s. It listens on ` +
			`"http://0.0.0.0:8000/sse". Start it for stdio, or run it yourself and add that address`,
		"see https://example.com:443/docs": limit,
		"reading the index":                limit,
	} {
		ctx, cancel := context.WithTimeoutCause(t.Context(), 0, notReady(20*time.Second, ""))
		err := startFailure(ctx, conn.WithOutput(context.DeadlineExceeded, []string{"starting", line}))
		cancel()
		if err.Error() != want {
			t.Errorf("%q: %q, want %q", line, err, want)
		}
	}
}
