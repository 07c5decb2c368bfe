package dialog

import (
	"context"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/aloudchat/aloud/mcpclient"
	"github.com/aloudchat/aloud/quantity"
	"github.com/aloudchat/aloud/sanitize"
	"github.com/aloudchat/aloud/ui/look"
	"github.com/aloudchat/aloud/ui/screen"
)

// Keeper looks after the servers, by their names: *mcpclient.Set.
type Keeper interface {
	// Restart starts a server again, and waits until that has gone well or wrong.
	Restart(ctx context.Context, name string) error
	SwitchServer(name string, on bool) error
	LogIn(ctx context.Context, name string, person mcpclient.Browser) error
	// LastWords is what a server that is ready has written to standard error. It returns at once.
	LastWords(name string) []string
}

// Servers is the list of servers with their states, and what you can do about them. Give it to NewServers.
type Servers struct {
	Context context.Context // of restarts
	Board   func() []mcpclient.ServerStatus
	Keeper  Keeper
	Tools   Toolbox      // nil: there are none
	Open    func(Dialog) // shows the details

	list
}

// NewServers returns the list.
func NewServers(l *Servers) Dialog {
	l.title, l.fixed = "Servers", true
	l.keys = []string{"enter details · r restart · space on/off · l log in · esc", "enter · r restart · space on/off · esc"}
	l.fill(80, look.New())
	return l
}

// Answers implements Dialog.
func (l *Servers) Answers(string) bool { return true }

// Update implements Dialog.
func (l *Servers) Update(msg tea.Msg) (done bool, cmd tea.Cmd) {
	k, isKey := msg.(tea.KeyPressMsg)
	at := l.chosen()
	if !isKey || at < 0 {
		return l.list.Update(msg)
	}
	name := l.rows[at].id
	switch key := k.String(); key {
	case "r", "space", "l":
		return false, l.act(key, name)
	case "enter":
		l.Open(l.details(name))
		return false, nil
	case "q":
		return true, nil
	}
	return l.list.Update(msg)
}

// View implements Dialog.
func (l *Servers) View(width, height int, st *look.Look) []string {
	l.fill(width, *st)
	return l.list.View(width, height, st)
}

// fill brings the rows up to date.
func (l *Servers) fill(width int, st look.Look) {
	var rows []row
	for _, s := range l.Board() {
		rows = append(rows, row{id: s.Name, Item: look.Item{
			Label: st.Clip(sanitize.Line(s.Name), max(8, width/3)), Badge: serverMark(s.State, &st),
			Detail: look.Dotted(l.words(s), sanitize.Line(s.Detail)),
		}})
	}
	l.set(rows)
}

// find returns the state of a server; ok is false if the server is gone.
func (l *Servers) find(name string) (s mcpclient.ServerStatus, ok bool) {
	servers := l.Board()
	if i := slices.IndexFunc(servers, func(s mcpclient.ServerStatus) bool { return s.Name == name }); i >= 0 {
		return servers[i], true
	}
	return mcpclient.ServerStatus{}, false
}

// act does what a key asks for. The list shows how it goes.
func (l *Servers) act(key, name string) tea.Cmd {
	s, ok := l.find(name)
	off := s.State == mcpclient.ServerOff
	switch {
	case !ok:
		return nil
	case key == "l" && s.LogsIn:
		return reply(Meant{LogIn{name}})
	case key == "l":
		return flash(look.Short(name) + " is configured without a login")
	}
	return func() tea.Msg {
		if key == "r" {
			_ = l.Keeper.Restart(l.Context, name)
			return nil
		}
		if err := l.Keeper.SwitchServer(name, off); err != nil {
			return screen.Flash{Text: err.Error()}
		} else if off {
			return nil
		}
		return screen.Flash{Text: "Off for this session; enabled = false in the configuration is for good"}
	}
}

// details returns the page with everything about a server.
func (l *Servers) details(name string) *page {
	p := newText(name, func(width int, st *look.Look) []string { return l.describe(name, width, st) })
	may := func(key, words string) {
		p.answers = append(p.answers, answer{key, words, func() tea.Cmd { return l.act(key, name) }})
	}
	may("r", "restart")
	may("space", "on/off")
	if s, _ := l.find(name); s.LogsIn {
		may("l", "log in")
	}
	return p
}

func serverMark(state mcpclient.ServerState, st *look.Look) string {
	switch state {
	case mcpclient.ServerReady:
		return st.OK.Render("●")
	case mcpclient.ServerStarting:
		return st.Accent.Render("◌")
	case mcpclient.ServerReconnecting:
		return st.Warn.Render("◌")
	case mcpclient.ServerNeedsLogin:
		return st.Warn.Render("!")
	case mcpclient.ServerFailed:
		return st.Err.Render("✗")
	}
	return st.Dim.Render("○")
}

// words describes the state of a server: "5 tools · ready in 1.2s", "next attempt at 15:04:05".
func (l *Servers) words(s mcpclient.ServerStatus) string {
	switch s.State {
	case mcpclient.ServerReady:
		if s.Took >= time.Second {
			return look.Dotted(quantity.Plural(s.Tools, "tool"), "ready in "+quantity.Brief(s.Took))
		}
		return quantity.Plural(s.Tools, "tool")
	case mcpclient.ServerStarting:
		if !s.Since.IsZero() {
			return "starting since " + s.Since.Local().Format(time.TimeOnly)
		}
	case mcpclient.ServerReconnecting:
		if s.Next.After(time.Now()) {
			return "next attempt at " + s.Next.Local().Format(time.TimeOnly)
		}
		return "connecting again"
	}
	return string(s.State)
}

// describe draws everything about a server.
func (l *Servers) describe(name string, width int, st *look.Look) []string {
	s, ok := l.find(name)
	if !ok {
		return st.Prose(nil, "It is not configured any more.", width, st.Text.Render)
	}
	words := l.words(s)
	if !s.Since.IsZero() && s.State != mcpclient.ServerStarting {
		words += s.Since.Local().Format(" · since 15:04 on Jan 2")
	}
	out := []string{st.Clip("  "+serverMark(s.State, st)+" "+words, max(1, width))}
	out = st.Prose(out, s.Detail, width, st.Text.Render)
	wrote := s.Stderr
	hint := ""
	switch s.State {
	case mcpclient.ServerReady:
		wrote = l.Keeper.LastWords(name)
	case mcpclient.ServerFailed:
		hint = "r tries again, and so does a change in the configuration file. Variables are read when aloud starts."
	case mcpclient.ServerStarting:
		hint = "It may have to download itself first. It is given up after 20s, or after its startup_timeout_sec."
	}
	out = st.Prose(out, hint, width, st.Text.Render)
	section := func(title string, lines ...string) {
		for i, line := range lines {
			if i == 0 {
				out = append(out, "", "  "+st.Heading.Render(title))
			}
			out = st.Prose(out, line, width, st.Dim.Render)
		}
	}
	section("What it wrote last", wrote...)
	section("What it told for its log", s.Told...)
	if names := l.toolsOf(name); len(names) > 0 {
		section("Tools", strings.Join(names, ", "))
	}
	return out
}

// toolsOf returns the names of a server's tools.
func (l *Servers) toolsOf(name string) (names []string) {
	if l.Tools == nil {
		return nil
	}
	tools, _ := l.Tools.AllTools()
	for _, t := range tools {
		if t.Server == name {
			names = append(names, mcpclient.Title(t.Title, t.ServerTool))
		}
	}
	return names
}
