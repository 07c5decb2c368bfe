package screen

import (
	"bytes"
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
		var text bytes.Buffer
		if err = errors.Join(err, dump(&text)); err != nil {
			return Flash{err.Error()}
		}
		return Release(func() error {
			_, err := visitFile(args, "conversation.txt", text.Bytes())
			return err
		}, resumed)()
	}
}

// visitFile runs a program with a file that only you can read, and returns what the program leaves in it.
func visitFile(args []string, base string, data []byte) (left []byte, err error) {
	dir, err := os.MkdirTemp("", "aloud-*")
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	file := filepath.Join(dir, base)
	if err == nil {
		err = os.WriteFile(file, data, 0o600)
	}
	if err == nil {
		cmd := exec.Command(args[0], append(args[1:], file)...)
		cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
		err = cmd.Run()
	}
	if err != nil {
		return nil, fmt.Errorf("%s failed: %w", filepath.Base(args[0]), err)
	}
	left, _ = os.ReadFile(file) // nothing is left if it is gone
	return left, nil
}

// pagerCommand returns the command of the wanted pager, or else of less or more. less shows colours and begins at the
// end.
func pagerCommand(wanted string) ([]string, error) {
	args := installed(wanted, "less", "more")
	if args == nil {
		return nil, errors.New("no pager found: install less or set PAGER")
	}
	if strings.TrimSuffix(filepath.Base(args[0]), ".exe") == "less" {
		args = append(args, "-R", "+G")
	}
	return args, nil
}

// installed returns the arguments of the first command whose program is installed, or nil.
func installed(commands ...string) []string {
	for _, command := range commands {
		args, err := splitCommand(command)
		if err != nil || len(args) == 0 {
			continue
		}
		if args[0], err = exec.LookPath(args[0]); err == nil {
			return args
		}
	}
	return nil
}
