package cli_test

import "github.com/rogpeppe/go-internal/testscript"

// onTerminal needs a pseudoterminal.
func onTerminal(ts *testscript.TestScript, _ bool, _ []string) {
	ts.Fatalf("no terminal on Windows")
}
