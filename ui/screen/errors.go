package screen

import (
	"io"
	"os"

	"github.com/charmbracelet/x/term"
)

// mostErrors is the maximum size of held standard error, in bytes.
const mostErrors = 1 << 20

// holdErrors holds the output to os.Stderr while the screen is drawn, where it would be in the way and then lost: a
// library's warning, or the stack of a panic. release writes it.
func holdErrors(out io.Writer) (release func()) {
	none := func() {}
	if _, isFile := out.(term.File); !isFile {
		return none
	}
	r, w, err := os.Pipe()
	if err != nil {
		return none
	}
	stderr := os.Stderr
	os.Stderr = w
	held := make(chan []byte)
	go func() {
		text, _ := io.ReadAll(io.LimitReader(r, mostErrors))
		_, _ = io.Copy(io.Discard, r)
		held <- text
	}()
	return func() {
		os.Stderr = stderr
		_ = w.Close()
		_, _ = stderr.Write(<-held)
		_ = r.Close()
	}
}
