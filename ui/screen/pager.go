package screen

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	tea "charm.land/bubbletea/v2"
)

// Pager returns a command that shows the output of dump in your pager. The pager reads it from a file, because on some
// systems it reads its keys from standard input, which must be the terminal itself and not the chat's reader of it.
func Pager(dump func(io.Writer) error) tea.Cmd {
	return func() tea.Msg {
		args, err := pagerCommand(os.Getenv("PAGER"))
		if err != nil {
			return Flash{err.Error()}
		}
		f, err := os.CreateTemp("", "aloud-*.txt")
		if err != nil {
			return Flash{fmt.Sprintf("cannot show the conversation in a pager: %v", err)}
		}
		if err := errors.Join(dump(f), f.Close()); err != nil {
			return Flash{fmt.Sprintf("cannot show the conversation in a pager: %v", errors.Join(err, os.Remove(f.Name())))}
		}
		return Release(func() error { return foreground(append(args, f.Name())) }, func(err error) tea.Msg {
			if err = errors.Join(err, os.Remove(f.Name())); err != nil {
				return Flash{fmt.Sprintf("%s failed: %v", filepath.Base(args[0]), err)}
			}
			return nil
		})()
	}
}

// foreground runs a command in the terminal.
func foreground(args []string) error {
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	return cmd.Run()
}

// pagerCommand returns the command of the wanted pager, or else of less or more. less shows colours and begins at the
// end.
func pagerCommand(wanted string) ([]string, error) {
	for _, candidate := range []string{wanted, "less", "more"} {
		args := strings.Fields(candidate)
		if len(args) == 0 {
			continue
		}
		program, err := exec.LookPath(args[0])
		if err != nil {
			continue
		}
		if strings.TrimSuffix(filepath.Base(program), ".exe") == "less" {
			args = append(args, "-R", "+G")
		}
		return append([]string{program}, args[1:]...), nil
	}
	return nil, errors.New("no pager found: install less or set PAGER")
}
