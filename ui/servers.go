package ui

import (
	"context"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/aloudchat/aloud/sanitize"
	"github.com/aloudchat/aloud/status"
	"github.com/aloudchat/aloud/ui/look"
	"github.com/aloudchat/aloud/ui/screen"
)

// serverPanel is what /servers shows: how the servers stand, and what a person can do about it.
type serverPanel struct {
	ctx    context.Context
	board  func() []status.Server
	keeper Keeper      // nil: they are only shown
	tools  Toolbox     // nil: there are none
	runs   func() bool // clocks run; else the panel tells the time of day

	at     string // the name of the chosen server
	seen   look.List
	inside bool // what is known of it is shown, in place of the list
	drawn  look.Memo[toolsFrom, []string]
	look.Scroller
}

// showServers is /servers.
func showServers(m *model, _ string) tea.Cmd {
	if len(m.footer.servers) == 0 {
		return reply(screen.Flash{Text: "No servers are configured"})
	}
	m.dialogs.open(&serverPanel{
		ctx:    m.ctx,
		board:  func() []status.Server { return m.footer.servers },
		keeper: m.options.Servers, tools: m.options.Tools,
		runs: func() bool { return m.status.motion.runs },
	})
	return nil
}

// chosen is the server under the cursor, and its place. One that was taken away gives it to the first.
func (p *serverPanel) chosen() (status.Server, int) {
	servers := p.board()
	if len(servers) == 0 {
		p.inside = false
		return status.Server{}, 0
	}
	at := max(0, slices.IndexFunc(servers, func(s status.Server) bool { return s.Name == p.at }))
	if servers[at].Name != p.at {
		p.at, p.inside = servers[at].Name, false
	}
	return servers[at], at
}

func (p *serverPanel) update(msg tea.Msg) (done bool, cmd tea.Cmd) {
	k, ok := msg.(tea.KeyPressMsg)
	if !ok {
		return false, nil
	}
	s, at := p.chosen()
	switch k.String() {
	case "r", "space", "l":
		return false, p.act(k.String(), s)
	}
	if p.inside {
		switch k.String() {
		case "esc", "left", "q", "enter":
			p.inside = false
		default:
			p.Scroll(k.String())
		}
		return false, nil
	}
	switch k.String() {
	case "esc", "q":
		return true, nil
	case "enter", "right":
		p.inside, p.Scroller = s.Name != "", look.Scroller{}
	case "up", "ctrl+p":
		p.choose(at - 1)
	case "down", "ctrl+n", "tab":
		p.choose(at + 1)
	case "home", "pgup":
		p.choose(0)
	case "end", "pgdown":
		p.choose(len(p.board()) - 1)
	}
	return false, nil
}

func (p *serverPanel) choose(at int) {
	if servers := p.board(); len(servers) > 0 {
		p.at = servers[max(0, min(at, len(servers)-1))].Name
	}
}

// act does what a key asks for. The board tells how it goes; only what it cannot tell is said here.
func (p *serverPanel) act(key string, s status.Server) tea.Cmd {
	if p.keeper == nil || s.Name == "" {
		return nil
	}
	ctx, keeper, off := p.ctx, p.keeper, s.State == status.ServerOff
	switch key {
	case "r":
		return func() tea.Msg {
			_ = keeper.Restart(ctx, s.Name) // the panel says why
			return nil
		}
	case "space":
		return func() tea.Msg {
			if err := keeper.SwitchServer(s.Name, off); err != nil {
				return screen.Flash{Text: err.Error()}
			}
			if off {
				return nil
			}
			return screen.Flash{Text: "Off for this session; enabled = false in the configuration is for good"}
		}
	}
	if !s.LogsIn {
		return reply(screen.Flash{Text: cutMiddle(sanitize.Line(s.Name), 40) + " is configured without a login"})
	}
	return reply(meantMsg{logInMsg{s.Name}})
}

// next is when what the panel shows changes by itself: while a server starts, or waits for its next attempt.
func (p *serverPanel) next(now time.Time) time.Time {
	var next time.Time
	for _, s := range p.board() {
		switch {
		case s.State == status.ServerStarting && !s.Since.IsZero():
			next = earliest(next, now.Add(time.Second-now.Sub(s.Since)%time.Second))
		case s.State == status.ServerReconnecting && s.Next.After(now):
			next = earliest(next, now.Add((s.Next.Sub(now)-1)%time.Second+1))
		}
	}
	return next
}

func (p *serverPanel) view(width, height int, st *look.Look) []string {
	if s, _ := p.chosen(); p.inside {
		return p.details(s, width, height, st)
	}
	return p.list(width, height, st)
}

// list is a row for each server, and below them the trouble of the chosen one.
func (p *serverPanel) list(width, height int, st *look.Look) []string {
	servers := p.board()
	_, at := p.chosen()
	wide := 0
	for _, s := range servers {
		wide = max(wide, st.Method.StringWidth(sanitize.Line(s.Name)))
	}
	wide = min(wide, max(8, width/3))
	room := max(1, height-3)
	below := p.below(servers, at, width, min(8, max(room-len(servers), room/3)), st)
	room -= len(below)
	p.seen.At = at
	from, to := p.seen.Scroll(len(servers), room)
	out := []string{titleRow("Servers", width, st)}
	for i := from; i < to; i++ {
		out = append(out, p.row(servers[i], i == at, wide, width, st))
	}
	return withHint(append(out, below...), p.help(width, st), width, height, st)
}

// row draws one server.
func (p *serverPanel) row(s status.Server, chosen bool, wide, width int, st *look.Look) string {
	cursor, style := "  ", st.Strong
	if chosen {
		cursor, style = st.Accent.Render("› "), st.Chosen
	}
	name := st.Clip(sanitize.Line(s.Name), wide)
	gap := strings.Repeat(" ", max(0, wide-st.Method.StringWidth(name))+2)
	words := p.words(s, time.Now(), width >= look.Roomy)
	if width >= look.Roomy {
		words = dotted([]string{words, rowDetail(s)})
	}
	return st.Clip(cursor+serverMark(s.State, st)+" "+style.Render(name)+gap+st.Dim.Render(words), max(1, width))
}

func serverMark(state status.ServerState, st *look.Look) string {
	switch state {
	case status.ServerReady:
		return st.OK.Render("●")
	case status.ServerStarting:
		return st.Accent.Render("◌")
	case status.ServerReconnecting:
		return st.Warn.Render("◌")
	case status.ServerNeedsLogin:
		return st.Warn.Render("!")
	case status.ServerFailed:
		return st.Err.Render("✗")
	}
	return st.Dim.Render("○")
}

// rowDetail is what follows the words in the list.
func rowDetail(s status.Server) string {
	if s.State == status.ServerNeedsLogin {
		return "l logs in"
	}
	return sanitize.Line(s.Detail)
}

// words say how a server stands: "5 tools · ready in 1.2s", "next attempt in 12s". In full they say what is over, too.
func (p *serverPanel) words(s status.Server, now time.Time, full bool) string {
	switch s.State {
	case status.ServerReady:
		if full && s.Took >= time.Second {
			return dotted([]string{look.Plural(s.Tools, "tool"), "ready in " + status.Brief(s.Took)})
		}
		return look.Plural(s.Tools, "tool")
	case status.ServerStarting:
		if p.runs() && !s.Since.IsZero() && now.Sub(s.Since) >= time.Second {
			return "starting · " + status.Duration(now.Sub(s.Since))
		}
		return "starting"
	case status.ServerReconnecting:
		switch wait := s.Next.Sub(now); {
		case s.Next.IsZero() || wait <= 0:
			return "connecting again"
		case p.runs():
			return "next attempt in " + status.Duration(wait+time.Second-1)
		}
		return "next attempt at " + s.Next.Local().Format("15:04:05")
	case status.ServerFailed:
		if !full {
			return "failed"
		}
		return "failed" + timeOfDay(" at ", s.Since, now)
	}
	return string(s.State)
}

// timeOfDay is a time of day, with the day when that is another one; "" for the zero time.
func timeOfDay(word string, at, now time.Time) string {
	switch at, now = at.Local(), now.Local(); {
	case at.IsZero():
		return ""
	case at.YearDay() == now.YearDay() && at.Year() == now.Year():
		return word + at.Format("15:04")
	}
	return word + at.Format("15:04 on Jan 2")
}

// help names the keys that make sense for the chosen server.
func (p *serverPanel) help(width int, st *look.Look) string {
	if p.keeper == nil {
		return "enter details · esc"
	}
	s, _ := p.chosen()
	long, short := "enter details · r restart · space on/off · esc", "enter · r restart · space on/off · esc"
	if s.State == status.ServerNeedsLogin {
		long, short = "l log in · "+long, "l log in · enter · r restart · esc"
	}
	if st.Method.StringWidth(long)+2 > width {
		return short
	}
	return long
}
