package dialog

import (
	"context"
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/aloudchat/aloud/internal/quantity"
	"github.com/aloudchat/aloud/internal/sanitize"
	"github.com/aloudchat/aloud/mcpclient"
	"github.com/aloudchat/aloud/ui/look"
	"github.com/aloudchat/aloud/ui/screen"
)

// ServerControl manages the servers, by their names. *servers.Set implements it.
type ServerControl interface {
	// Restart starts a server again, and waits until it is ready or has failed.
	Restart(ctx context.Context, name string) error
	SwitchServer(name string, on bool) error
	LogIn(ctx context.Context, name string, person mcpclient.Browser) error
	// LastWords returns the last lines that a ready server wrote to standard error. It does not block.
	LastWords(name string) []string
}

// servers is the list of servers with their states and actions.
type servers struct {
	list
	control ServerControl
	states  []mcpclient.ServerStatus
	adding  Adding
}

// ServersChanged has the new states of the servers, and reports that what they offer may have changed.
type ServersChanged struct{ Servers []mcpclient.ServerStatus }

// NewServers returns the list of servers. Without adding.Read it adds none.
func NewServers(control ServerControl, states []mcpclient.ServerStatus, adding Adding) Dialog {
	l := &servers{control: control, states: states, adding: adding}
	l.title, l.keyed, l.filter, l.enter = "Servers", true, "/ to filter", "for details"
	l.acts = []act{{"space", "on/off", l.switchServer}, {"r", "to restart", l.restart}, {"l", "to log in", l.logIn}}
	if adding.Read != nil {
		l.acts = slices.Insert(l.acts, 2, act{"a", "to add one", nil})
	}
	l.describe = func(i int) *page {
		name := l.rows[i].id
		return newText(name, func(width int, st *look.Look) []string { return l.drawDetails(name, width, st) })
	}
	l.empty = "No servers configured"
	return l
}

// Update implements Dialog.
func (l *servers) Update(msg tea.Msg) (done bool, cmd tea.Cmd) {
	if changed, ok := msg.(ServersChanged); ok {
		l.states = changed.Servers
	}
	if keyOf(msg) == "a" && l.details == nil && !l.types {
		if l.adding.Read == nil {
			return false, screen.ShowFlash("The demo changes no configuration")
		}
		l.adding.Open(newAddServer(l.adding))
		return false, nil
	}
	return l.list.Update(msg)
}

// View implements Dialog.
func (l *servers) View(width, height int, st *look.Look) []string {
	l.fill(width, *st)
	return l.list.View(width, height, st)
}

// fill updates the rows.
func (l *servers) fill(width int, st look.Look) {
	var rows []row
	for _, s := range l.states {
		rows = append(rows, row{id: s.Name, Item: look.Item{
			Label: st.Clip(sanitize.Line(s.Name), max(8, width/3)), Badge: serverMark(s.State, &st),
			Detail: look.Dotted(stateWords(s), sanitize.Line(s.Detail)),
		}})
	}
	l.set(rows)
}

// find returns the state of a server; ok is false if the server was removed.
func (l *servers) find(name string) (s mcpclient.ServerStatus, ok bool) {
	if i := slices.IndexFunc(l.states, func(s mcpclient.ServerStatus) bool { return s.Name == name }); i >= 0 {
		return l.states[i], true
	}
	return mcpclient.ServerStatus{}, false
}

// restart starts a server again. The list shows the result.
func (l *servers) restart(i int) tea.Cmd {
	name := l.rows[i].id
	return screen.Go(func(ctx context.Context, _ func(tea.Msg)) { _ = l.control.Restart(ctx, name) })
}

func (l *servers) logIn(i int) tea.Cmd {
	name := l.rows[i].id
	if s, _ := l.find(name); !s.LogsIn {
		return screen.ShowFlash(look.Short(name) + " does not use a login")
	}
	return screen.Reply(ByKey{LogIn{name}})
}

// switchServer turns a server on or off.
func (l *servers) switchServer(i int) tea.Cmd {
	name := l.rows[i].id
	s, _ := l.find(name)
	on := s.State == mcpclient.ServerOff
	return func() tea.Msg {
		if err := l.control.SwitchServer(name, on); err != nil {
			return screen.Flash{Text: err.Error()}
		} else if on {
			return nil
		}
		return screen.Flash{Text: "Off for this session · to keep it off, set enabled = false"}
	}
}

func serverMark(state mcpclient.ServerState, st *look.Look) string {
	switch state {
	case mcpclient.ServerReady:
		return st.OK.Render("●")
	case mcpclient.ServerStarting:
		return st.Accent.Render("◌")
	case mcpclient.ServerNeedsLogin:
		return st.Warn.Render("!")
	case mcpclient.ServerFailed:
		return st.Err.Render("✗")
	}
	return st.Dim.Render("○")
}

// stateWords describes the state of a server: "5 tools", "failed".
func stateWords(s mcpclient.ServerStatus) string {
	switch s.State {
	case mcpclient.ServerReady:
		return quantity.Plural(s.Tools, "tool")
	case mcpclient.ServerStarting:
		if !s.Since.IsZero() {
			return "starting since " + s.Since.Local().Format(time.TimeOnly)
		}
	}
	return string(s.State)
}

// drawDetails draws the details of a server.
func (l *servers) drawDetails(name string, width int, st *look.Look) []string {
	s, ok := l.find(name)
	if !ok {
		return st.Prose(nil, "This server is no longer configured.", width, st.Text.Render)
	}
	words := stateWords(s)
	if !s.Since.IsZero() && s.State != mcpclient.ServerStarting {
		words += s.Since.Local().Format(" · since 15:04 on Jan 2")
	}
	out := []string{st.Clip("  "+serverMark(s.State, st)+" "+words, max(1, width))}
	out = st.Prose(out, s.Detail, width, st.Text.Render)
	wrote := s.Stderr
	hint := ""
	switch s.State {
	case mcpclient.ServerReady:
		wrote = l.control.LastWords(name)
	case mcpclient.ServerFailed:
		hint = "To try again, press r in the list of servers or change the configuration file. " +
			"Environment variables are read when aloud starts."
	case mcpclient.ServerStarting:
		hint = "The first start may have to install the server. With npx, uvx and the like it has five minutes for that, " +
			"otherwise 20 seconds. startup_timeout_sec sets another limit."
	}
	out = st.Prose(out, hint, width, st.Text.Render)
	return lastOutput(out, wrote, width, st)
}
