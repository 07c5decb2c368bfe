package dialog

import (
	"cmp"
	"context"
	"errors"
	"os/exec"
	"slices"

	tea "charm.land/bubbletea/v2"

	"github.com/aloudchat/aloud/provider"
	"github.com/aloudchat/aloud/ui/look"
	"github.com/aloudchat/aloud/ui/screen"
)

type (
	// FindModel asks to look for a model again.
	FindModel struct{}
	// UseModel asks to change the model.
	UseModel struct{ Name string }
	// ListModels asks for the list of models.
	ListModels struct{}
	// PullModel asks to download a model.
	PullModel struct{ Name string }
	// StartServer asks to start the model server.
	StartServer struct{}
	// Quit asks to quit.
	Quit struct{}
)

// suggested is the model to download if none is installed.
const suggested = "qwen3:8b"

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

// NoModel describes why no model can be used, and the remedies.
type NoModel struct {
	Err    error
	Wanted string // the model; "" for any
	// The available remedies.
	Pull, List, Start bool
}

// NewNoModel returns a dialog that shows why no model can be used, and offers remedies.
func NewNoModel(n NoModel) Dialog {
	kind, title := provider.KindFailed, "Model not available"
	if e, ok := errors.AsType[*provider.Error](n.Err); ok {
		kind = e.Kind
	}
	missing, down := kind == provider.KindMissing, kind == provider.KindUnavailable
	switch {
	case missing:
		title = "Model not installed"
	case down:
		title = "No model server"
	}
	n.Wanted = cmp.Or(n.Wanted, suggested)
	l := &list{title: title, text: Sentence(n.Err), fixed: true, keys: []string{"↑↓ to choose · enter to select"}}
	if down {
		l.text += " To use another address, start aloud with --host ADDRESS. To try aloud without a server, run aloud --demo."
	}
	var rows []row
	add := func(possible bool, label, detail string, pick tea.Msg) {
		if possible {
			rows = append(rows, row{Item: look.Item{Label: label, Detail: detail}, pick: pick})
		}
	}
	add(down && n.Start && !errors.Is(n.Err, exec.ErrNotFound), "Start Ollama", "runs ollama serve", StartServer{})
	add(missing && n.Pull, "Download "+n.Wanted, "you can stop it at any time", PullModel{n.Wanted})
	add(missing && n.List, "Choose another model", "", ListModels{})
	add(true, "Try again", "", FindModel{})
	add(true, "Quit", "", Quit{})
	l.set(rows)
	return l
}
