package screen

import "golang.org/x/sys/windows"

// splitCommand splits a command as programs for Windows do.
func splitCommand(text string) ([]string, error) { return windows.DecomposeCommandLine(text) }
