package screen

import (
	"io"
	"os"
)

// Keyboard is standard input for the chat. The console reports keys and not bytes, so the escape key needs no guessing.
func Keyboard() io.Reader { return os.Stdin }
