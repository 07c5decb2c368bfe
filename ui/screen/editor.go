package screen

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"

	tea "charm.land/bubbletea/v2"
)

// longestDraft is the maximum size of a text from an editor, in bytes.
const longestDraft = 8 << 20

// Editor returns a command that opens a draft in your editor. The model receives the message that done returns for the
// changed text. If the editor fails or leaves no text, it receives a Flash that says why.
func Editor(draft string, done func(text string) tea.Msg) tea.Cmd {
	return func() tea.Msg {
		args, err := editorCommand(os.Getenv)
		if err != nil {
			return Flash{err.Error()}
		}
		var text string
		return Release(func() (err error) {
			text, err = edit(args, draft)
			return err
		}, func(err error) tea.Msg {
			switch {
			case err != nil:
				return Flash{err.Error() + " · your draft is unchanged"}
			case text == strings.TrimRight(draft, "\n"):
				return nil
			}
			return done(text)
		})()
	}
}

// edit runs an editor with a text in a file that only you can read, and returns the edited text.
func edit(args []string, draft string) (text string, err error) {
	dir, err := os.MkdirTemp("", "aloud-*")
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	file, name := filepath.Join(dir, "draft.md"), filepath.Base(args[0])
	if err := os.WriteFile(file, []byte(draft), 0o600); err != nil {
		return "", err
	}
	if err := foreground(append(args, file)); err != nil {
		return "", fmt.Errorf("%s failed: %w", name, err)
	}
	f, err := os.Open(file)
	if err != nil {
		return "", fmt.Errorf("%s left no file", name)
	}
	defer f.Close()
	edited, err := io.ReadAll(io.LimitReader(f, longestDraft+1))
	if err != nil {
		return "", err
	}
	text = strings.TrimRight(string(edited), "\r\n")
	switch {
	case len(edited) > longestDraft:
		return "", fmt.Errorf("the draft from %s is larger than 8 MB", name)
	case strings.TrimSpace(text) == "" && draft != "":
		return "", fmt.Errorf("%s left the file empty", name)
	}
	return text, nil
}

// editorCommand returns the command of your editor.
func editorCommand(env func(string) string) ([]string, error) {
	standard := "vi"
	if runtime.GOOS == "windows" {
		standard = "notepad"
	}
	wanted := cmp.Or(strings.TrimSpace(env("VISUAL")), strings.TrimSpace(env("EDITOR")), standard)
	if program, err := exec.LookPath(wanted); err == nil { // its path may have spaces
		return []string{program}, nil
	}
	args, err := splitCommand(wanted)
	if err != nil || len(args) == 0 {
		return nil, fmt.Errorf("the editor %q is not a command: set EDITOR to yours", wanted)
	}
	if args[0], err = exec.LookPath(args[0]); err != nil {
		return nil, fmt.Errorf("there is no editor %q: set EDITOR to yours", wanted)
	}
	return args, nil
}
