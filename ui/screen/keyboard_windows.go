package screen

import (
	"io"
	"os"
)

// keyboard returns standard input for the chat. The console reports keys and not bytes, so the escape key needs no guessing.
func keyboard() io.Reader { return os.Stdin }
