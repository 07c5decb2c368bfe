package screen

import "golang.org/x/sys/windows"

const standardEditor = "notepad"

// splitCommand splits a command as programs for Windows do.
func splitCommand(text string) ([]string, error) { return windows.DecomposeCommandLine(text) }
