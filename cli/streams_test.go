package cli

import (
	"os"
	"testing"
)

// A reader that has seen enough, like head, is no failure. Other lost output is.
func TestLostOutput(t *testing.T) {
	out, in, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	out.Close()
	closed := stdout{File: in}
	if _, err := closed.WriteString("x"); err == nil || closed.lost() != nil {
		t.Errorf("after the reader has left: %v, lost is %v", err, closed.lost())
	}
	in.Close()
	broken := stdout{File: in}
	if _, err := broken.WriteString("x"); err == nil || broken.lost() == nil {
		t.Errorf("after the file is closed: %v, lost is %v", err, broken.lost())
	}
}
