package screen

import (
	"io"
	"os"
)

// keyboard returns standard input for the chat. The Windows console reports keys, not bytes.
func keyboard() io.Reader { return os.Stdin }
