package dialog

import (
	"context"
	"slices"

	tea "charm.land/bubbletea/v2"

	"github.com/aloudchat/aloud/provider"
	"github.com/aloudchat/aloud/ui/look"
	"github.com/aloudchat/aloud/ui/screen"
)

type (
	// UseModel asks to change the model.
	UseModel struct{ Name string }
	// ListModels asks for the list of models.
	ListModels struct{}
	// PullModel asks to download a model.
	PullModel struct{ Name string }
)

// models is the list of models. If you type a name that is not in it, you can download that model.
type models struct {
	list
	current string
	there   []row // rows without the typed name
}

// NewModels returns the list of models, still empty, and the command that fills it.
func NewModels(library provider.Library, current string) (Dialog, tea.Cmd) {
	l := &models{current: current}
	l.title, l.empty = "Models", "Asking the server…"
	l.keys = []string{"enter to use · type to filter or download · esc to close", "enter to use · type to filter · esc"}
	return l, screen.Go(func(ctx context.Context, send func(tea.Msg)) {
		infos, err := library.List(ctx)
		send(result(l, func() { l.listed(infos, err) }))
	})
}

func (l *models) Update(msg tea.Msg) (done bool, cmd tea.Cmd) {
	done, cmd = l.list.Update(msg)
	l.fill()
	return done, cmd
}

// listed shows the models, or the error of listing them.
func (l *models) listed(infos []provider.Info, err error) {
	l.empty = "No models installed"
	if err != nil {
		l.text = Sentence(err)
	}
	for _, info := range infos {
		badge := " "
		if provider.SameModel(info.Name, l.current) {
			badge = "●"
		}
		item := look.Item{Label: info.Name, Detail: describe(info), Badge: badge}
		l.there = append(l.there, row{id: info.Name, Item: item, pick: UseModel{info.Name}})
	}
	l.fill()
	l.seen.At = max(0, slices.IndexFunc(l.shown, func(i int) bool { return l.rows[i].Badge == "●" }))
}

// fill adds a row for the typed name, unless the list has it.
func (l *models) fill() {
	rows, name := slices.Clip(l.there), l.typed.Text
	if name != "" && !slices.ContainsFunc(rows, func(r row) bool { return provider.SameModel(r.Label, name) }) {
		item := look.Item{Label: name, Detail: "download", Badge: "↓"}
		rows = append(rows, row{id: "/", Item: item, pick: PullModel{name}})
	}
	l.set(rows)
}

// describe returns the properties that help to choose a model: "8.2B · 5.2 GB · tools · thinking".
func describe(info provider.Info) string {
	when := func(ok bool, word string) string {
		if ok {
			return word
		}
		return ""
	}
	return look.Dotted(info.Params, when(info.Size > 0, bytesText(info.Size)),
		when(info.Tools, "tools"), when(info.Thinking, "thinking"), when(info.Vision, "vision"))
}
