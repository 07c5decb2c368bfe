package screen

import (
	"os"
	"testing"

	"golang.org/x/sys/windows"
)

// console opens the console of this process, with a new one if it has none.
func console(t *testing.T) (in, out *os.File) {
	t.Helper()
	_, _, _ = windows.NewLazySystemDLL("kernel32.dll").NewProc("AllocConsole").Call() // fails if there is one
	for name, file := range map[string]**os.File{"CONIN$": &in, "CONOUT$": &out} {
		opened, err := os.OpenFile(name, os.O_RDWR, 0)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { opened.Close() })
		*file = opened
	}
	return in, out
}

func modes(t *testing.T, in, out *os.File) (m [2]uint32) {
	t.Helper()
	for i, f := range []*os.File{in, out} {
		if err := windows.GetConsoleMode(windows.Handle(f.Fd()), &m[i]); err != nil {
			t.Fatal(err)
		}
	}
	return m
}

func TestConsoleReportsKeysUntilItIsRestored(t *testing.T) {
	in, out := console(t)
	before := modes(t, in, out)
	restore, err := raw(in, out)
	if err != nil {
		t.Fatal(err)
	}
	const cooked = windows.ENABLE_LINE_INPUT | windows.ENABLE_ECHO_INPUT | windows.ENABLE_PROCESSED_INPUT
	during := modes(t, in, out)
	if during[0]&cooked != 0 || during[0]&windows.ENABLE_VIRTUAL_TERMINAL_INPUT == 0 {
		t.Errorf("the modes of the input are %#x", during[0])
	}
	if during[1]&windows.ENABLE_VIRTUAL_TERMINAL_PROCESSING == 0 {
		t.Errorf("the modes of the output are %#x", during[1])
	}
	if err := restore(); err != nil || modes(t, in, out) != before {
		t.Errorf("%#x became %#x, %v", before, modes(t, in, out), err)
	}
}
