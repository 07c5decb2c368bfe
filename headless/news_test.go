package headless_test

import (
	"context"
	"strings"
	"testing"

	"github.com/aloudchat/aloud/headless"
	"github.com/aloudchat/aloud/mcpclient"
	"github.com/aloudchat/aloud/mcpclient/servers"
	"github.com/aloudchat/aloud/provider/providertest"
)

func TestFailedServersAreReported(t *testing.T) {
	board := &servers.Board{}
	board.Set(mcpclient.ServerStatus{Name: "dead", State: mcpclient.ServerFailed, Detail: "exited with status 1",
		Stderr: []string{"reading the settings", "no key\x1b[31m"}})
	board.Set(mcpclient.ServerStatus{Name: "locked", State: mcpclient.ServerNeedsLogin, Detail: "wants a login"})
	board.Set(mcpclient.ServerStatus{Name: "resting", State: mcpclient.ServerOff})
	board.Set(mcpclient.ServerStatus{Name: "fine", State: mcpclient.ServerReady})
	board.Set(mcpclient.ServerStatus{Name: "slow", State: mcpclient.ServerStarting})
	board.Set(mcpclient.ServerStatus{Name: "new", State: mcpclient.ServerStarting, Late: true, Detail: "not ready yet"})
	_, errs, _ := talk(t, headless.LinesOptions{Options: headless.Options{Board: board, Quiet: true}}, "one\ntwo\n",
		providertest.Reply{{Text: "1"}}, providertest.Reply{{Text: "2"}})
	want := `Server "dead" failed: exited with status 1. Its last output: "no key[31m"
Server "locked" needs a login. Log in with: aloud mcp login locked
Server "new" is not ready yet. Its tools are missing. To wait for it: aloud mcp tools new
`
	if errs != want {
		t.Errorf("got %q", errs)
	}
}

// waiting is a set of two servers of which one is late.
type waiting struct{}

func (waiting) Starting() (settled, all int, changed <-chan struct{}) { return 1, 2, nil }

func TestConnectReportsLateServers(t *testing.T) {
	board := &servers.Board{}
	board.Set(mcpclient.ServerStatus{Name: "new", State: mcpclient.ServerStarting, Late: true, Detail: "not ready yet"})
	for quiet, want := range map[bool]string{false: "Server \"new\" is not ready yet\n", true: ""} {
		var errs strings.Builder
		err := headless.Connect(t.Context(), headless.Options{Board: board, Stderr: &errs, Quiet: quiet}, waiting{},
			func(context.Context) error { return nil })
		if err != nil || errs.String() != want {
			t.Errorf("%q, %v; want %q", errs.String(), err, want)
		}
	}
}
