//go:build unix

// Package terminal runs a program in a pseudo terminal and returns its screen.
package terminal

import (
	"context"
	"image/color"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/vt"
	"github.com/creack/pty"
)

// Terminal is a screen with a running program. It is safe for concurrent use.
type Terminal struct {
	cmd     *exec.Cmd
	master  *os.File
	exited  chan struct{}
	replied chan struct{} // closed when reply has ended

	mu      sync.Mutex
	screen  *vt.Emulator
	written int64
	changed chan struct{} // closed at the next output
}

// Start runs cmd on a dark screen of width by height cells. The caller must call Close.
func Start(cmd *exec.Cmd, width, height int) (*Terminal, error) {
	return StartOn(cmd, width, height, color.Black)
}

// StartOn is Start with another background, which the program can ask for.
func StartOn(cmd *exec.Cmd, width, height int, background color.Color) (*Terminal, error) {
	blocking, err := pty.StartWithSize(cmd, &pty.Winsize{Cols: uint16(width), Rows: uint16(height)})
	if err != nil {
		return nil, err
	}
	defer blocking.Close()
	master, err := pollable(blocking)
	if err != nil {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		return nil, err
	}
	t := &Terminal{
		cmd: cmd, master: master, exited: make(chan struct{}), replied: make(chan struct{}),
		screen: vt.NewEmulator(width, height), changed: make(chan struct{}),
	}
	t.screen.SetDefaultBackgroundColor(background)
	t.screen.RegisterCsiHandler('r', t.boundRows)
	go t.show()
	go t.reply()
	return t, nil
}

// boundRows limits the scrolling region to the screen, as terminals do. The emulator would crash at rows outside, which
// a program sends if it does not know yet that its window is smaller.
func (t *Terminal) boundRows(params ansi.Params) (done bool) {
	if height := t.screen.Height(); len(params) > 1 && params[1].Param(height) > height {
		params[1] = ansi.Param(height)
	}
	return false
}

// reply sends the program the responses of the terminal, such as its colours and modes, until the screen is closed.
func (t *Terminal) reply() {
	defer close(t.replied)
	_, _ = io.Copy(t.master, t.screen)
	_, _ = io.Copy(io.Discard, t.screen) // a program that has ended reads none, but the screen blocks until they are read
}

// pollable duplicates the file in non-blocking mode, so that closing it ends a waiting Read, as closing a window does.
func pollable(f *os.File) (*os.File, error) {
	syscall.ForkLock.RLock() // a child that starts now would inherit the copy
	defer syscall.ForkLock.RUnlock()
	fd, err := syscall.Dup(int(f.Fd()))
	if err != nil {
		return nil, err
	}
	syscall.CloseOnExec(fd)
	if err := syscall.SetNonblock(fd, true); err != nil {
		return nil, err
	}
	return os.NewFile(uintptr(fd), f.Name()), nil
}

// show updates the screen until the program has ended and all its output is read.
func (t *Terminal) show() {
	defer close(t.exited)
	buf := make([]byte, 64<<10)
	for {
		n, err := t.master.Read(buf)
		t.mu.Lock()
		t.written += int64(n)
		_, _ = t.screen.Write(buf[:n]) // an emulator accepts every write
		close(t.changed)
		t.changed = make(chan struct{})
		t.mu.Unlock()
		if err != nil {
			_ = t.cmd.Wait() // ExitCode returns the result
			return
		}
	}
}

// Type sends keys to the program as a keyboard would: "\r" is enter, "\x1b" escape, "\x03" ctrl+c.
func (t *Terminal) Type(keys string) error {
	_, err := io.WriteString(t.master, keys)
	return err
}

// Resize changes the size of the window.
func (t *Terminal) Resize(width, height int) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.screen.Resize(width, height)
	return pty.Setsize(t.master, &pty.Winsize{Cols: uint16(width), Rows: uint16(height)})
}

// Screen returns the lines on the screen, without trailing spaces.
func (t *Terminal) Screen() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.text()
}

func (t *Terminal) text() string {
	var b strings.Builder
	for y := range t.screen.Height() {
		var line strings.Builder
		for x := range t.screen.Width() {
			line.WriteString(drawn(t.screen.CellAt(x, y)).Text)
		}
		b.WriteString(strings.TrimRight(line.String(), " "))
		b.WriteByte('\n')
	}
	return b.String()
}

// again is how long WaitFor waits for output before it calls seen again, because seen may press a key that does not
// change the screen.
const again = time.Second

// WaitFor waits until seen reports true and returns that screen. If ctx or the program ends before, it returns the last
// screen and false.
func (t *Terminal) WaitFor(ctx context.Context, seen func(screen string) bool) (screen string, ok bool) {
	for {
		t.mu.Lock()
		screen, changed := t.text(), t.changed
		t.mu.Unlock()
		if seen(screen) {
			return screen, true
		}
		select {
		case <-changed:
		case <-time.After(again):
		case <-t.exited:
			screen = t.Screen()
			return screen, seen(screen)
		case <-ctx.Done():
			return screen, false
		}
	}
}

// Exited returns a channel that is closed when the program has ended.
func (t *Terminal) Exited() <-chan struct{} { return t.exited }

// ExitCode returns the exit code of the program after it has ended, or -1 if a signal ended it.
func (t *Terminal) ExitCode() int { return t.cmd.ProcessState.ExitCode() }

// Written returns how many bytes the program has written.
func (t *Terminal) Written() int64 {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.written
}

// Process returns the running program.
func (t *Terminal) Process() *os.Process { return t.cmd.Process }

// Close closes the window, which sends the program SIGHUP, and kills the program when ctx ends.
func (t *Terminal) Close(ctx context.Context) {
	t.master.Close()
	select {
	case <-t.exited:
	case <-ctx.Done():
	}
	_ = t.cmd.Process.Kill() // fails if it has ended
	<-t.exited
	if answers, ok := t.screen.InputPipe().(io.Closer); ok { // Close of the emulator itself races with its Read
		answers.Close()
		<-t.replied
	}
}
