package cli

import (
	"os"
	"strings"
	"testing"
)

// A client that leaves ends the server, which is no mistake.
func TestServeWithClosedOutput(t *testing.T) {
	out, in, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	out.Close()
	root := newRoot("")
	root.SetArgs([]string{"serve", "clock"})
	root.SetIn(strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":` +
		`{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}` + "\n"))
	root.SetOut(in)
	if err := root.ExecuteContext(t.Context()); exitCode(err) != 0 {
		t.Errorf("exit code %d, %v", exitCode(err), err)
	}
}

// Input that no client sends is a failure, not a mistake on the command line.
func TestServeWithEndlessMessage(t *testing.T) {
	root := newRoot("")
	root.SetArgs([]string{"serve", "clock"})
	root.SetIn(strings.NewReader(strings.Repeat("x", 17<<20)))
	root.SetOut(new(strings.Builder))
	if err := root.ExecuteContext(t.Context()); exitCode(err) != 1 || !strings.Contains(err.Error(), "longer than 16 MB") {
		t.Errorf("exit code %d, %v", exitCode(err), err)
	}
}
