package ui

import (
	"io"
	"os"
)

// keyboard is standard input for the chat. The console tells keys and not bytes, so the escape key needs no guessing.
func keyboard() io.Reader { return os.Stdin }
