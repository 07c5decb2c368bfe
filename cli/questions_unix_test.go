//go:build unix

package cli

import (
	"bufio"
	"context"
	"io"
	"reflect"
	"testing"

	"github.com/charmbracelet/x/term"
	"github.com/creack/pty"

	"github.com/aloudchat/aloud/mcpclient/others"
)

// stuck is a terminal whose reads cannot be called off, as on Windows.
type stuck struct {
	terminal io.Reader
	reads    func()
	end      chan struct{}
}

func (s stuck) Read(b []byte) (int, error) {
	s.reads()
	if s.end == nil {
		return s.terminal.Read(b)
	}
	<-s.end
	return 0, io.EOF
}

// TestTheTerminalIsGivenBackAfterASecret whichever way the question ends: answered, left with ctrl+c, or with the program told to end.
func TestTheTerminalIsGivenBackAfterASecret(t *testing.T) {
	for name, typed := range map[string]string{"answered": "hunter22\r", "left": "hun\x03", "ended": ""} {
		t.Run(name, func(t *testing.T) {
			control, terminal, err := pty.Open()
			if err != nil {
				t.Fatal(err)
			}
			defer control.Close()
			defer terminal.Close()
			before, err := term.GetState(terminal.Fd())
			if err != nil {
				t.Fatal(err)
			}
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			s := stuck{terminal: terminal, reads: func() {
				if now, err := term.GetState(terminal.Fd()); err != nil || reflect.DeepEqual(now, before) {
					t.Errorf("what is typed is shown: %v", err)
				}
				io.WriteString(control, typed)
			}}
			if typed == "" {
				s.reads, s.end = cancel, make(chan struct{})
				defer close(s.end)
			}
			q := &questions{terminal: terminal.Fd(), in: bufio.NewReader(s), out: io.Discard, cancel: func() bool { return false }}
			text, ok := q.input(ctx, others.Input{ID: "key", Password: true})
			if ok != (name == "answered") || ok && text != "hunter22" {
				t.Errorf("got %q, %v", text, ok)
			}
			if after, err := term.GetState(terminal.Fd()); err != nil || !reflect.DeepEqual(after, before) {
				t.Errorf("the terminal is left raw: %v", err)
			}
		})
	}
}
