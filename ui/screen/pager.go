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

// pager shows a text in place of the chat. It is a tea.ExecCommand, so that its work is done outside Update.
type pager struct {
	text     []byte
	out, err io.Writer
}

// SetStdin does nothing: the pager gets the terminal itself, not the chat's reader of it.
func (p *pager) SetStdin(io.Reader)    {}
func (p *pager) SetStdout(w io.Writer) { p.out = w }
func (p *pager) SetStderr(w io.Writer) { p.err = w }

// Pager is a command that shows what dump writes in your pager.
func Pager(dump func(io.Writer) error) tea.Cmd {
	return func() tea.Msg {
		var text bytes.Buffer
		if err := dump(&text); err != nil {
			return Flash{err.Error()}
		}
		return tea.Exec(&pager{text: text.Bytes()}, func(err error) tea.Msg {
			if err != nil {
				return Flash{err.Error()}
			}
			return nil
		})()
	}
}

// Run shows the text. The pager gets it as a file: on some systems it reads its keys from standard input.
func (p *pager) Run() error {
	args, err := pagerCommand(os.Getenv("PAGER"))
	if err != nil {
		return err
	}
	f, err := os.CreateTemp("", "aloud-*.txt")
	if err != nil {
		return fmt.Errorf("cannot show the conversation in a pager: %w", err)
	}
	defer os.Remove(f.Name())
	_, err = f.Write(p.text)
	if err = errors.Join(err, f.Close()); err != nil {
		return fmt.Errorf("cannot show the conversation in a pager: %w", err)
	}
	cmd := exec.Command(args[0], append(args[1:], f.Name())...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, p.out, p.err
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("%s ended with: %w", filepath.Base(args[0]), err)
	}
	return nil
}

// pagerCommand returns the command of the wanted pager, else of less or more. less shows colours and begins at the end.
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
