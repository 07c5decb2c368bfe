package dialog

import (
	"context"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/aloudchat/aloud/internal/fuzzy"
	"github.com/aloudchat/aloud/internal/quantity"
	"github.com/aloudchat/aloud/internal/sanitize"
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

// NewModels returns the list of models, still empty, and the command that fills it. If you type a name that is not in
// it, you can download that model.
func NewModels(library provider.Library, current string) (Dialog, tea.Cmd) {
	l := &list{title: "Models", empty: "Asking the server…", filter: "type to filter or download", enter: "to use"}
	l.other = func(name string) (r row, ok bool) {
		item := look.Item{Label: name, Detail: "download", Badge: "↓"}
		known := func(r row) bool { return provider.SameModel(r.Label, name) }
		return row{id: "/", Item: item, pick: PullModel{name}}, !slices.ContainsFunc(l.given, known)
	}
	return l, screen.Go(func(ctx context.Context, send func(tea.Msg)) {
		infos, err := library.List(ctx)
		send(result(l, func() { l.showModels(infos, err, current) }))
	})
}

// showModels shows the models, or the error of listing them.
func (l *list) showModels(infos []provider.Info, err error, current string) {
	l.empty = "No models installed"
	if err != nil {
		l.text = Sentence(err)
	}
	var rows []row
	for _, info := range infos {
		badge := " "
		if provider.SameModel(info.Name, current) {
			badge = "●"
		}
		item := look.Item{Label: info.Name, Detail: Describe(info), Badge: badge}
		rows = append(rows, row{id: info.Name, Item: item, pick: UseModel{info.Name}})
	}
	l.set(rows)
	l.seen.At = max(0, slices.IndexFunc(l.shown, func(m fuzzy.Match) bool { return l.rows[m.Index].Badge == "●" }))
}

// Describe returns the properties that help to choose a model: "8.2B · 5.2 GB · 41k context · tools, thinking".
func Describe(info provider.Info) string {
	var size, room string
	if info.Size > 0 {
		size = bytesText(info.Size)
	}
	if info.Context > 0 {
		room = quantity.Size(info.Context) + " context"
	}
	var can []string
	for _, skill := range []struct {
		has  bool
		name string
	}{{info.Tools, "tools"}, {info.Thinking, "thinking"}, {info.Vision, "vision"}} {
		if skill.has {
			can = append(can, skill.name)
		}
	}
	return look.Dotted(sanitize.Line(info.Params), size, room, strings.Join(can, ", "))
}
