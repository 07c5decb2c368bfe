package headless_test

import (
	"testing"

	"github.com/aloudchat/aloud/headless"
	"github.com/aloudchat/aloud/mcpclient"
	"github.com/aloudchat/aloud/provider/providertest"
)

func TestFailedServersAreReported(t *testing.T) {
	board := &mcpclient.Board{}
	board.Set(mcpclient.ServerStatus{Name: "dead", State: mcpclient.ServerFailed, Detail: "exited with status 1"})
	board.Set(mcpclient.ServerStatus{Name: "locked", State: mcpclient.ServerNeedsLogin, Detail: "wants a login"})
	board.Set(mcpclient.ServerStatus{Name: "resting", State: mcpclient.ServerOff})
	board.Set(mcpclient.ServerStatus{Name: "fine", State: mcpclient.ServerReady})
	_, errs, _ := talk(t, headless.LinesOptions{Options: headless.Options{Board: board, Quiet: true}}, "one\ntwo\n",
		providertest.Reply{{Text: "1"}}, providertest.Reply{{Text: "2"}})
	want := `Server "dead" failed: exited with status 1. For details: aloud mcp list
Server "locked" needs a login. Log in with: aloud mcp login locked
`
	if errs != want {
		t.Errorf("got %q", errs)
	}
}
