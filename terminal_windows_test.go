package main

import "github.com/rogpeppe/go-internal/testscript"

// onTerminal is for systems with pseudo terminals that a test can read.
func onTerminal(ts *testscript.TestScript, _ bool, _ []string) {
	ts.Fatalf("there is no terminal here")
}
