package composer

import (
	"fmt"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"github.com/aloudchat/aloud/ui/look"
)

// someCommands are commands of a chat.
func someCommands() []Command {
	return []Command{{Name: "help", Help: "show commands and keys"},
		{Name: "model", Args: "[name]", Help: "choose the model"},
		{Name: "status", Args: "sentence|name", Help: "how running tools are told"}}
}

func FuzzCompletion(f *testing.F) {
	for _, seed := range []string{"/help", "/", "/mo", "/é", "/model x", "//", "/\n"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		c := completion{commands: someCommands()}
		c.follow(text, text)
		for _, m := range c.matches {
			left := strings.ToLower(text)
			for _, r := range m.insert {
				left = strings.TrimPrefix(left, string(r))
			}
			if left != "" {
				t.Errorf("%q is completed to %q", text, m.insert)
			}
		}
	})
}

// TestLongListScrolls checks that the cursor moves within the rows in view, which scroll only when it would leave them.
func TestLongListScrolls(t *testing.T) {
	var commands []Command
	for i := range 20 {
		commands = append(commands, Command{Name: fmt.Sprintf("step%02d", i)})
	}
	st := look.New(nil)
	p := New(commands, nil, st.Styles)
	p.Resize(80, 5)
	p.Key(tea.KeyPressMsg{Code: '/', Text: "/"})
	top := func() string { return p.List(80, 8, &st)[0] }
	for range 11 {
		p.Later()
		top()
	}
	before := top()
	p.Earlier()
	if now := top(); now != before || !strings.Contains(now, "/step06") {
		t.Errorf("one up, the first row is %q, and it was %q", now, before)
	}
}
