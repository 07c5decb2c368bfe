package stdio

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
)

// TestTheIdOfAServerIsHeldUntilItsGroupIsKilled: once the leader is reaped the number of the group may be another one's, who would be killed.
func TestTheIdOfAServerIsHeldUntilItsGroupIsKilled(t *testing.T) {
	server := exec.Command("/bin/sh", "-c", "exit 7")
	server.SysProcAttr = attributes()
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	status := ""
	state, err := reap(server.Process, func() {
		text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", server.Process.Pid))
		status = string(text)
	})
	if err != nil || state.ExitCode() != 7 {
		t.Errorf("it ended with %v, %v", state, err)
	}
	if !strings.Contains(status, "State:\tZ") {
		t.Errorf("when its group is killed it is %q", status)
	}
}
