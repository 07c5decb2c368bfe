package screen

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	tea "charm.land/bubbletea/v2"
)

// Editor returns a command that opens a draft in your editor. The model receives the message that done returns for the
// changed text. If the editor fails or leaves no text, it receives a Flash that says why.
func Editor(draft string, done func(text string) tea.Msg) tea.Cmd {
	return func() tea.Msg {
		wanted := cmp.Or(strings.TrimSpace(os.Getenv("VISUAL")), strings.TrimSpace(os.Getenv("EDITOR")), standardEditor)
		args := installed(wanted)
		if args == nil {
			return Flash{fmt.Sprintf("there is no editor %q: set EDITOR to yours", wanted)}
		}
		text := draft
		return Release(func() error {
			left, err := visitFile(args, "draft.md", []byte(draft))
			if text = strings.TrimRight(string(left), "\r\n"); err == nil && strings.TrimSpace(text) == "" && draft != "" {
				err = fmt.Errorf("%s left no text", filepath.Base(args[0]))
			}
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
