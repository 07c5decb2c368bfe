//go:build unix

package screen

import "github.com/kballard/go-shellquote"

const standardEditor = "vi"

// splitCommand splits a command as a shell does.
func splitCommand(text string) ([]string, error) { return shellquote.Split(text) }
