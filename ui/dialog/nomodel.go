package dialog

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"slices"

	tea "charm.land/bubbletea/v2"

	"github.com/aloudchat/aloud/internal/sanitize"
	"github.com/aloudchat/aloud/provider"
	"github.com/aloudchat/aloud/ui/look"
	"github.com/aloudchat/aloud/ui/screen"
)

type (
	// FindModel asks to look for a model again.
	FindModel struct{}
	// StartServer asks to start the model server.
	StartServer struct{}
	// ListPlaces asks for the list of model servers. With Look, those on this machine are looked for.
	ListPlaces struct{ Look bool }
	// Connect asks which server is at an address that you typed.
	Connect struct{ Address string }
	// ChoosePlace asks how long to use another model server.
	ChoosePlace struct{ Place }
	// UsePlace asks to use another model server from now on.
	UsePlace struct {
		Place
		Keep bool // also in later chats
	}
	// Quit asks to quit.
	Quit struct{}
)

// Place is where models run.
type Place struct {
	Provider string   // as the configuration names it
	Address  string   // "" for the demo
	Models   []string // not sanitised
}

// NoModel describes why no model can be used, and the remedies.
type NoModel struct {
	Err    error
	Wanted string // the model; "" for any
	Memory int64  // of this machine, in bytes; 0 if unknown, or if the server runs on another
	Demo   Place
	// HasModel means that the chat goes on with an earlier model, so that the demo is no remedy.
	HasModel bool
	// The available remedies.
	Pull, List, Start, Places bool
}

// suggestion is a model to download.
type suggestion struct {
	name  string
	bytes int64 // about
}

// suggestions are models to download if none is installed, the largest first. All can use tools, and think.
var suggestions = []suggestion{
	{"qwen3:30b", 19e9}, {"gpt-oss:20b", 14e9}, {"qwen3:14b", 9.3e9}, {"qwen3:8b", 5.2e9}, {"qwen3:4b", 2.5e9},
	{"qwen3:1.7b", 1.4e9}, {"qwen3:0.6b", 0.5e9},
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
	l := &list{title: title, text: Sentence(n.Err), enter: "to select"}
	var rows []row
	add := func(possible bool, label, detail string, pick tea.Msg) {
		if possible {
			rows = append(rows, row{Item: look.Item{Label: label, Detail: detail}, pick: pick})
		}
	}
	add(down && n.Start && !errors.Is(n.Err, exec.ErrNotFound), "Start Ollama", "runs ollama serve", StartServer{})
	if missing && n.Pull {
		add(n.Wanted != "", "Download "+n.Wanted, "you can stop it at any time", PullModel{n.Wanted})
		for _, s := range fitting(n.Memory) {
			add(n.Wanted == "", "Download "+s.name, bytesText(s.bytes)+" · tools, thinking", PullModel{s.name})
		}
	}
	add(missing && n.List, "Choose another model", "", ListModels{})
	const ports = "asks ports 1234, 8080 and 8000 for their models"
	add(down && n.Places, "Look on this machine", ports, ListPlaces{Look: true})
	add(down && n.Places, "Another address", "of Ollama or any OpenAI-compatible server", ListPlaces{})
	add((down || missing) && n.Places && !n.HasModel, "Try the demo", "no model needed", UsePlace{Place: n.Demo})
	add(true, "Try again", "", FindModel{})
	add(true, "Quit", "", Quit{})
	l.set(rows)
	return l
}

// fitting returns up to three suggestions, the largest first. The weights may take half of the memory, because other
// programs and the context need the rest.
func fitting(memory int64) []suggestion {
	const shown, usual = 3, 3 // without a known memory: from the usual one on
	if memory == 0 {
		return suggestions[usual : usual+shown]
	}
	first := slices.IndexFunc(suggestions, func(s suggestion) bool { return s.bytes <= memory/2 })
	if first < 0 {
		first = len(suggestions) - 1
	}
	return suggestions[first:min(first+shown, len(suggestions))]
}

// NewPlaces returns the list of model servers, and the command that fills it; find is nil if nothing is looked for. An
// address that you type can be used, too.
func NewPlaces(find func(ctx context.Context) []Place, failed error) (Dialog, tea.Cmd) {
	l := &list{title: "Model servers", empty: "Type an address, such as http://192.168.1.20:11434", left: FindModel{},
		filter: "type to filter or connect", enter: "to use"}
	l.other = func(address string) (r row, ok bool) {
		return row{id: "/", Item: look.Item{Label: address, Detail: "connect"}, pick: Connect{address}}, true
	}
	if failed != nil {
		l.text = Sentence(failed)
	}
	if find == nil {
		return l, nil
	}
	l.empty = "Looking on this machine…"
	return l, screen.Go(func(ctx context.Context, send func(tea.Msg)) {
		var rows []row
		for _, p := range find(ctx) {
			rows = append(rows, row{id: p.Address, Item: p.item(), pick: ChoosePlace{p}})
		}
		send(result(l, func() {
			l.empty = "No server on ports 1234, 8080 and 8000. Type an address"
			l.set(rows)
		}))
	})
}

// item returns the address with the models there.
func (p Place) item() look.Item {
	models := "no models"
	if n := len(p.Models); n > 0 {
		models = sanitize.Line(p.Models[0])
		if n > 1 {
			models += fmt.Sprintf(" and %d more", n-1)
		}
	}
	return look.Item{Label: sanitize.Line(p.Address), Detail: models}
}

// NewKeep returns a dialog that asks whether to use a place in later chats, too. file is where that is written.
func NewKeep(p Place, file string) Dialog {
	l := &list{title: "Use " + sanitize.Line(p.Address), text: p.item().Detail + ".", enter: "to select",
		left: FindModel{}}
	rows := []row{{Item: look.Item{Label: "For this chat"}, pick: UsePlace{Place: p}}}
	if file != "" {
		item := look.Item{Label: "Always", Detail: "writes it to " + sanitize.Line(file)}
		rows = append(rows, row{Item: item, pick: UsePlace{Place: p, Keep: true}})
	}
	l.set(append(rows, row{Item: look.Item{Label: "Back"}, pick: FindModel{}}))
	return l
}
