package cli

import "golang.org/x/sys/windows"

// enableEscapes makes older Windows consoles understand escape sequences.
func enableEscapes() {
	for _, stream := range []windows.Handle{windows.Stdout, windows.Stderr} {
		var mode uint32
		if windows.GetConsoleMode(stream, &mode) == nil {
			_ = windows.SetConsoleMode(stream, mode|windows.ENABLE_VIRTUAL_TERMINAL_PROCESSING)
		}
	}
}
