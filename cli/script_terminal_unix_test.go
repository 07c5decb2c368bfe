//go:build unix

package cli_test

import (
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"time"

	"github.com/creack/pty"
	"github.com/rogpeppe/go-internal/testscript"
)

// onTerminal runs a command on a terminal of 60 by 20 cells. Its standard output has every byte written there, without
// carriage returns at the ends of lines. It may type a line first, or several with \r between them: on-terminal -type
// /quit aloud --demo
//
// It may also follow the steps in a file: "see TEXT" waits for new text on the terminal, "type "TEXT"" types a Go
// string, "quiet" waits for half a second without output, "write FILE TEXT" saves a line in a file, as another
// program would, "meet FILE" waits for a reader of a pipe, and "let FILE" then writes a line to it: on-terminal -talk
// steps aloud --plain
func onTerminal(ts *testscript.TestScript, _ bool, args []string) {
	typed, steps := "", ""
	switch args[0] {
	case "-talk":
		steps, args = ts.ReadFile(args[1]), args[2:]
	case "-type":
		typed, args = strings.ReplaceAll(args[1], `\r`, "\r")+"\r", args[2:]
	}
	cmd := exec.Command("/bin/sh", append([]string{"-c", `exec "$@"`, "sh"}, args...)...)
	cmd.Dir = ts.MkAbs(".")
	for _, name := range []string{"PATH", "HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME", "TERM", "OLLAMA_HOST",
		"ACCESSIBLE"} {
		if value := ts.Getenv(name); value != "" {
			cmd.Env = append(cmd.Env, name+"="+value)
		}
	}
	terminal, err := pty.StartWithSize(cmd, &pty.Winsize{Cols: 60, Rows: 20})
	ts.Check(err)
	defer terminal.Close()
	defer time.AfterFunc(time.Minute, func() { _ = cmd.Process.Kill() }).Stop() // so that the output is shown
	_, err = io.WriteString(terminal, typed)
	ts.Check(err)
	pieces := make(chan string)
	go func() {
		defer close(pieces)
		for piece := make([]byte, 4096); ; {
			n, err := terminal.Read(piece)
			pieces <- string(piece[:n])
			if err != nil { // on Linux it ends with an error
				return
			}
		}
	}()
	said := talkOn(ts, terminal, pieces, steps)
	for piece := range pieces {
		said += piece
	}
	io.WriteString(ts.Stdout(), strings.ReplaceAll(said, "\r\n", "\n"))
	if err := cmd.Wait(); err != nil {
		ts.Fatalf("%v", err)
	}
}

// talkOn runs the steps on a terminal, whose output comes in pieces, and returns the output so far.
func talkOn(ts *testscript.TestScript, terminal *os.File, pieces <-chan string, steps string) (said string) {
	seen, pipes := 0, map[string]*os.File{}
	for step := range strings.Lines(steps) {
		verb, text, _ := strings.Cut(strings.TrimSpace(step), " ")
		switch verb {
		case "see":
			for !strings.Contains(said[seen:], text) {
				piece, ok := <-pieces
				if said += piece; !ok {
					ts.Fatalf("there was no %q before the program left:\n%s", text, said)
				}
			}
			seen += strings.Index(said[seen:], text) + len(text)
		case "quiet":
			for quiet := false; !quiet; {
				select {
				case piece, ok := <-pieces:
					if said += piece; !ok {
						ts.Fatalf("the program left:\n%s", said)
					}
				case <-time.After(500 * time.Millisecond):
					quiet = true
				}
			}
		case "type":
			keys, err := strconv.Unquote(text)
			ts.Check(err)
			_, err = io.WriteString(terminal, keys)
			ts.Check(err)
		case "write":
			file, line, _ := strings.Cut(text, " ")
			ts.Check(os.WriteFile(ts.MkAbs(file), []byte(line+"\n"), 0o600))
		case "meet":
			pipe, err := os.OpenFile(ts.MkAbs(text), os.O_WRONLY, 0)
			ts.Check(err)
			defer pipe.Close()
			pipes[text] = pipe
		case "let":
			_, err := io.WriteString(pipes[text], "\n")
			ts.Check(err)
		default:
			ts.Fatalf("%q is no step", step)
		}
	}
	return said
}
