//go:build unix

package mcpclient

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

// Elsewhere a program that runs cannot be removed.
func TestACommandThatIsNotThereIsNotTriedAgain(t *testing.T) {
	dir := t.TempDir()
	copied := dir + "/server"
	if err := os.Link(os.Args[0], copied); err != nil {
		data, err := os.ReadFile(os.Args[0])
		if err != nil || os.WriteFile(copied, data, 0o700) != nil {
			t.Fatal(err)
		}
	}
	server := acting("once")
	server.Command = copied
	set, board := ready(t, server)
	if err := os.Remove(copied); err != nil {
		t.Fatal(err)
	}
	call(t, set, "once__use", "")
	s := await(t, board, func(s []ServerStatus) bool { return s[0].State == ServerFailed })[0]
	if !strings.HasPrefix(s.Detail, fmt.Sprintf("the command %q does not exist", copied)) || !s.Next.IsZero() {
		t.Errorf("the board says %+v", s)
	}
}
