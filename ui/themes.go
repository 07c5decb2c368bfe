package ui

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/aloudchat/aloud/internal/suggest"
	"github.com/aloudchat/aloud/internal/theme"
	"github.com/aloudchat/aloud/ui/dialog"
	"github.com/aloudchat/aloud/ui/look"
	"github.com/aloudchat/aloud/ui/screen"
	"github.com/aloudchat/aloud/ui/transcript"
)

// changeTheme runs /theme: it changes the theme, or lists them.
func changeTheme(dialogs *dialog.Stack, o Options, st *look.Look, name string) tea.Cmd {
	switch {
	case st.Mono:
		return screen.ShowFlash("Colours are off: NO_COLOR is set, or the terminal has none")
	case o.Themes == nil:
		return screen.ShowFlash("No themes available")
	}
	kept := func(name string) tea.Msg {
		const text = "This chat has the theme %q. To keep it, write theme = %[1]q below [ui] in %s"
		file := cmp.Or(o.Around.File, "the configuration file")
		return noticeMsg{transcript.Info, fmt.Sprintf(text, name, file)}
	}
	if name == "" {
		d, fill := dialog.NewThemes(dialog.Themes{Current: st.Theme, Read: o.Themes, Kept: kept})
		dialogs.Open(d)
		return fill
	}
	return func() tea.Msg {
		all, err := o.Themes()
		t, ok := named(name, all)
		switch {
		case ok:
			use := look.UseTheme{Now: func() *theme.Theme { return t }}
			return tea.BatchMsg{screen.Reply(use), screen.Reply(kept(theme.NameOf(t)))}
		case err != nil:
			return noticeMsg{transcript.Warn, dialog.Sentence(err)}
		}
		return screen.Flash{Text: noTheme(name, all)}
	}
}

// named returns the theme with a name, nil for "auto"; ok is false if there is none.
func named(name string, all []theme.Theme) (t *theme.Theme, ok bool) {
	i := slices.IndexFunc(all, func(t theme.Theme) bool { return strings.EqualFold(t.Name, name) })
	if i < 0 {
		return nil, strings.EqualFold(name, theme.Auto)
	}
	return &all[i], true
}

// noTheme returns the error text for an unknown theme.
func noTheme(name string, all []theme.Theme) string {
	names := []string{theme.Auto}
	for _, t := range all {
		names = append(names, t.Name)
	}
	if near := suggest.Nearest(name, names); near != "" {
		return fmt.Sprintf("Unknown theme %q: did you mean %q?", name, near)
	}
	return fmt.Sprintf("Unknown theme %q: /theme lists all themes", name)
}
