package dialog

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

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
	// SetThink asks to change how much the model thinks. Now returns that when the message is handled, because a later
	// message may arrive first.
	SetThink struct{ Now func() provider.Think }
)

// Models configures the list of models.
type Models struct {
	Library provider.Library // may be a provider.Manager
	Current func() string    // returns the model in use, which may be found later; "" if none
	Think   provider.Think
	Wrote   func(model string) (tokens int, took time.Duration) // its last long reply; 0 if unknown
	Tools   func(model string) (right, asked int)               // questions of aloud eval; 0 if unknown
}

// models is the list of models, with what helps to choose one.
type models struct {
	Models
	list
	infos  []provider.Info // of the rows
	listed bool            // the server has answered
	doomed string          // the model that the open question is about to remove
	marked string          // the model that was in use when the rows were made
	moving string          // the model that the server loads or lets go; "" if none
}

// NewModels returns the list of models, still empty, and the command that fills it. If you type a name that is not in
// it, you can download that model.
func NewModels(m Models) (Dialog, tea.Cmd) {
	l := &models{Models: m, list: list{
		title: "Models", empty: "Asking the server…", filter: "type to filter", enter: "to use",
	}}
	if _, ok := m.Library.(provider.Puller); ok {
		l.filter, l.other = "type to filter or download", l.download
	}
	manager, _ := m.Library.(provider.Manager) // nil if the server cannot do it
	l.acts = []act{
		{"space", "to keep in memory", func(i int) tea.Cmd { return l.keep(manager, l.infos[i]) }},
		{"ctrl+d", "to remove", func(i int) tea.Cmd { return l.remove(manager, l.infos[i]) }},
		{"right", "to think more", l.thinkMore},
	}
	l.can = func(key string, i int) bool {
		if i >= len(l.infos) { // a name that you typed
			return false
		}
		return key == "right" && l.infos[i].Levels || key != "right" && manager != nil && !l.infos[i].Remote
	}
	return l, l.work(func(context.Context) error { return nil })
}

// download returns the row that downloads a model, unless it is in the list.
func (l *models) download(name string) (r row, ok bool) {
	item := look.Item{Label: name, Detail: "download", Badge: "↓"}
	known := func(r row) bool { return provider.SameModel(r.Label, name) }
	return row{id: "/", Item: item, pick: PullModel{name}}, l.listed && !slices.ContainsFunc(l.given, known)
}

// work does something with a model, and then lists them again.
func (l *models) work(do func(ctx context.Context) error) tea.Cmd {
	return screen.Go(func(ctx context.Context, send func(tea.Msg)) {
		err := do(ctx)
		infos, listErr := l.Library.List(ctx)
		if err == nil {
			err = listErr
		}
		send(result(l, func() { l.show(infos, listErr == nil, err) }))
	})
}

// show shows the models, if the server has listed them, and the error of listing or changing them.
func (l *models) show(infos []provider.Info, known bool, err error) {
	first := !l.listed
	l.listed, l.moving, l.text, l.empty = true, "", "", ""
	if err != nil {
		l.text = Sentence(err)
	}
	if known {
		l.infos, l.empty = infos, "No models installed"
	}
	l.fill()
	if first {
		l.seen.At = max(0, slices.IndexFunc(l.shown, func(m fuzzy.Match) bool { return l.rows[m.Index].Badge == "●" }))
	}
}

// View implements Dialog.
func (l *models) View(width, height int, st *look.Look) []string {
	if l.marked != l.Current() {
		l.fill()
	}
	return l.list.View(width, height, st)
}

// fill updates the rows.
func (l *models) fill() {
	var rows []row
	l.marked = l.Current()
	if l.details != nil && provider.SameModel(l.doomed, l.marked) {
		l.details = nil
	}
	for _, info := range l.infos {
		item := look.Item{Label: info.Name, Detail: l.detail(info), Badge: " "}
		if provider.SameModel(info.Name, l.marked) {
			item.Badge = "●"
		}
		if info.Size > 0 {
			item.Amount = fmt.Sprintf("%7s", bytesText(info.Size))
		}
		rows = append(rows, row{id: info.Name, Item: item, pick: UseModel{info.Name}})
	}
	l.set(rows)
}

// detail describes a model: "in memory · 41k context · tools, thinking · 31 tok/s".
func (l *models) detail(info provider.Info) string {
	state, speed := "", ""
	switch {
	case l.moving == info.Name:
		state = "loading…"
	case info.Remote:
		state = "remote"
	case info.Kept:
		state = "kept"
	case info.Loaded:
		state = "in memory"
	case info.TooLarge:
		state = "too large"
	case info.Memory > 0:
		state = "fits"
	}
	if tokens, took := l.Wrote(info.Name); tokens > 0 {
		speed = quantity.PerSecond(tokens, took) + " tok/s"
	}
	params := sanitize.Line(info.Params)
	info.Size, info.Params = 0, ""
	about := Describe(info)
	if right, asked := l.Tools(info.Name); asked > 0 {
		about = strings.Replace(about, "tools", fmt.Sprintf("tools %d/%d", right, asked), 1)
	}
	if info.Levels && l.Think.IsLevel() {
		about = strings.Replace(about, "thinking", "thinking: "+string(l.Think), 1)
	}
	return look.Dotted(state, about, speed, params)
}

// keep keeps a model in memory, or no longer.
func (l *models) keep(manager provider.Manager, info provider.Info) tea.Cmd {
	if l.moving != "" {
		return nil
	}
	l.moving = info.Name
	l.fill()
	return l.work(func(ctx context.Context) error { return manager.Keep(ctx, info.Name, !info.Kept) })
}

// remove asks whether to remove a model, because it may take hours to download it again.
func (l *models) remove(manager provider.Manager, info provider.Info) tea.Cmd {
	if provider.SameModel(info.Name, l.Current()) {
		return screen.ShowFlash(look.Short(info.Name) + " is in use · choose another model first")
	}
	l.doomed = info.Name
	remove := l.work(func(ctx context.Context) error { return manager.Remove(ctx, info.Name) })
	l.details = &page{title: "Remove " + look.Short(info.Name) + "?", draw: func(width int, st *look.Look) []string {
		const text = "This cannot be undone. To use the model again, you must download it."
		return st.Prose(nil, text, width, st.Text.Render)
	}, answers: []answer{{"y", "to remove it", remove}, {"n", "to keep it", nil}, {"esc", "", nil}}}
	return nil
}

// thinkMore makes models with levels think more, and after the highest level as much as usual.
func (l *models) thinkMore(int) tea.Cmd {
	all := []provider.Think{provider.ThinkAuto, provider.ThinkLow, provider.ThinkMedium, provider.ThinkHigh}
	l.Think = all[(max(0, slices.Index(all, l.Think))+1)%len(all)]
	l.fill()
	return screen.Reply(SetThink{func() provider.Think { return l.Think }})
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
