//go:build unix

package main

import (
	"io"
	"os/exec"
	"strings"

	"github.com/creack/pty"
	"github.com/rogpeppe/go-internal/testscript"
)

// onTerminal runs a command with all its streams on a terminal of 60 by 20 cells; its standard output is every byte that came there, with
// carriage returns taken off the ends of lines. It may type a line first, or more with \r between them: on-terminal -type /quit aloud --demo
func onTerminal(ts *testscript.TestScript, _ bool, args []string) {
	typed := ""
	if args[0] == "-type" {
		typed, args = strings.ReplaceAll(args[1], `\r`, "\r")+"\r", args[2:]
	}
	cmd := exec.Command("/bin/sh", append([]string{"-c", `exec "$@"`, "sh"}, args...)...)
	cmd.Dir = ts.MkAbs(".")
	for _, name := range []string{"PATH", "HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME", "TERM", "OLLAMA_HOST", "ACCESSIBLE"} {
		if value := ts.Getenv(name); value != "" {
			cmd.Env = append(cmd.Env, name+"="+value)
		}
	}
	terminal, err := pty.StartWithSize(cmd, &pty.Winsize{Cols: 60, Rows: 20})
	ts.Check(err)
	defer terminal.Close()
	_, err = io.WriteString(terminal, typed)
	ts.Check(err)
	said, _ := io.ReadAll(terminal) // Linux ends it with an error when the program has left
	io.WriteString(ts.Stdout(), strings.ReplaceAll(string(said), "\r\n", "\n"))
	if err := cmd.Wait(); err != nil {
		ts.Fatalf("%v", err)
	}
}
