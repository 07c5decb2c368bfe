//go:build unix

package screen

import (
	"os"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/creack/pty"
	"golang.org/x/sys/unix"
)

// A window that is resized while another program has the terminal notifies only that program.
func TestSizeIsReadWhenContinued(t *testing.T) {
	master, terminal, err := pty.Open()
	if err != nil {
		t.Fatal(err)
	}
	defer master.Close()
	defer terminal.Close()
	sizes := make(chan tea.Msg, 10)
	defer watchSize(terminal, func(msg tea.Msg) { sizes <- msg })()
	if err := pty.Setsize(terminal, &pty.Winsize{Rows: 15, Cols: 50}); err != nil {
		t.Fatal(err)
	}
	if err := unix.Kill(os.Getpid(), unix.SIGCONT); err != nil {
		t.Fatal(err)
	}
	if got := <-sizes; got != (tea.WindowSizeMsg{Width: 50, Height: 15}) {
		t.Errorf("the size is %v", got)
	}
}
