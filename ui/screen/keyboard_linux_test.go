package screen

import (
	"os"
	"runtime"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// TestSignalIsNoInput sends signals to the thread that waits for the rest of a sequence, as the Go runtime does. If it
// took one for input, a lone escape would wait for the next key.
func TestSignalIsNoInput(t *testing.T) {
	in, out, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	defer out.Close()
	thread, answer := make(chan int), make(chan bool)
	go func() {
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		thread <- unix.Gettid()
		answer <- tty{in}.more(100 * time.Millisecond)
	}()
	for id := <-thread; ; {
		select {
		case more := <-answer:
			if more {
				t.Error("a signal was taken for input")
			}
			return
		default:
			if err := unix.Tgkill(unix.Getpid(), id, unix.SIGURG); err != nil {
				t.Fatal(err)
			}
		}
	}
}
