package servers

import (
	"strings"
	"testing"

	"github.com/aloudchat/aloud/mcpclient"
)

func TestRestartProcesses(t *testing.T) {
	inState := func(name string, state mcpclient.ServerState) func([]mcpclient.ServerStatus) bool {
		return func(servers []mcpclient.ServerStatus) bool {
			for _, s := range servers {
				if s.Name == name {
					return s.State == state
				}
			}
			return false
		}
	}
	off := acting("hanging")
	off.Disabled = true
	set, board := ready(t, acting("once"), acting("dying"), acting("failing"), off)
	process := func() string { return call(t, set, "once__use", "").Text }

	first := process() // after this the process has ended
	await(t, board, inState("once", mcpclient.ServerFailed))
	second := process()
	await(t, board, inState("once", mcpclient.ServerFailed))
	if third := process(); first == second || second == third || !strings.HasPrefix(third, "process ") {
		t.Errorf("one process after the other says %q, %q, %q", first, second, third)
	}

	if err := set.Restart(t.Context(), "failing"); err == nil ||
		err.Error() != `cannot start server "failing": exited with status 3 before it was ready` {
		t.Errorf("a restart of a server that fails: %v", err)
	}
	if err := set.SwitchServer("hanging", true); err != nil {
		t.Error(err)
	}
	await(t, board, inState("hanging", mcpclient.ServerReady))
	ended := make(chan error, 1)
	calling := make(chan struct{})
	go func() {
		close(calling)
		_, err := set.Call(t.Context(), mcpclient.Call{Tool: "hanging__use"}, nil)
		ended <- err
	}()
	<-calling
	if err := set.Restart(t.Context(), "hanging"); err != nil {
		t.Error(err)
	}
	// The call began before the restart, or waits for it. Then the server is turned off.
	if err := set.SwitchServer("hanging", false); err != nil {
		t.Error(err)
	}
	if err := <-ended; err == nil || !strings.Contains(err.Error(), `server "hanging"`) {
		t.Errorf("a call of a server that was switched off: %v", err)
	}

	_, err := set.Call(t.Context(), mcpclient.Call{Tool: "dying__use"}, nil)
	if err == nil || !strings.Contains(err.Error(),
		"disconnected during the call (exited with status 4). The next call restarts it") {
		t.Errorf("the one that dies: %v", err)
	}
}
