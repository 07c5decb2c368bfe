package dialog

import (
	"context"
	"fmt"
	"slices"
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
	// LastWords is what one that is ready has written for people until now. It returns at once.
	LastWords(name string) []string
}

// Servers shows how the servers stand, and what you can do about it.
type Servers struct {
	Base
	Context context.Context // of what is done
	Board   func() []mcpclient.ServerStatus
	Keeper  Keeper      // nil: they are only shown
	Tools   Toolbox     // nil: there are none
	Clocks  func() bool // clocks run; else the time of day is shown

	at     string // the name of the chosen server
	seen   look.List
	inside bool // all that is known of it is shown, in place of the list
	look.Scroller
}

// chosen is the server under the cursor, and its place. One that was taken away gives it to the first.
func (p *Servers) chosen() (mcpclient.ServerStatus, int) {
	servers := p.Board()
	if len(servers) == 0 {
		p.inside = false
		return mcpclient.ServerStatus{}, 0
	}
	at := max(0, slices.IndexFunc(servers, func(s mcpclient.ServerStatus) bool { return s.Name == p.at }))
	if servers[at].Name != p.at {
		p.at, p.inside = servers[at].Name, false
	}
	return servers[at], at
}

// Update implements Dialog.
func (p *Servers) Update(msg tea.Msg) (done bool, cmd tea.Cmd) {
	k, ok := msg.(tea.KeyPressMsg)
	if !ok {
		return false, nil
	}
	s, at := p.chosen()
	switch key := k.String(); {
	case key == "r", key == "space", key == "l":
		return false, p.act(key, s)
	case p.inside && (key == "esc" || key == "left" || key == "q" || key == "enter"):
		p.inside = false
	case p.inside:
		p.Scroll(key)
	case key == "esc", key == "q":
		return true, nil
	case key == "enter", key == "right":
		p.inside, p.Scroller = s.Name != "", look.Scroller{}
	case key == "up", key == "ctrl+p":
		p.choose(at - 1)
	case key == "down", key == "ctrl+n", key == "tab":
		p.choose(at + 1)
	case key == "home", key == "pgup":
		p.choose(0)
	case key == "end", key == "pgdown":
		p.choose(len(p.Board()) - 1)
	}
	return false, nil
}

func (p *Servers) choose(at int) {
	if servers := p.Board(); len(servers) > 0 {
		p.at = servers[max(0, min(at, len(servers)-1))].Name
	}
}

// act does what a key asks for. The board says how it goes; only what it cannot say is said here.
func (p *Servers) act(key string, s mcpclient.ServerStatus) tea.Cmd {
	if p.Keeper == nil || s.Name == "" {
		return nil
	}
	switch off := s.State == mcpclient.ServerOff; {
	case key == "r":
		return func() tea.Msg {
			_ = p.Keeper.Restart(p.Context, s.Name) // the list says why
			return nil
		}
	case key == "space":
		return func() tea.Msg {
			if err := p.Keeper.SwitchServer(s.Name, off); err != nil {
				return screen.Flash{Text: err.Error()}
			}
			if off {
				return nil
			}
			return screen.Flash{Text: "Off for this session; enabled = false in the configuration is for good"}
		}
	case !s.LogsIn:
		return flash(look.Short(s.Name) + " is configured without a login")
	}
	return reply(Meant{LogIn{s.Name}})
}

// Next is when what is shown changes by itself: while a server starts, or waits for its next attempt.
func (p *Servers) Next(now time.Time) time.Time {
	var next time.Time
	sooner := func(t time.Time) {
		if next.IsZero() || t.Before(next) {
			next = t
		}
	}
	for _, s := range p.Board() {
		switch {
		case s.State == mcpclient.ServerStarting && !s.Since.IsZero():
			sooner(now.Add(time.Second - now.Sub(s.Since)%time.Second))
		case s.State == mcpclient.ServerReconnecting && s.Next.After(now):
			sooner(now.Add((s.Next.Sub(now)-1)%time.Second + 1))
		}
	}
	return next
}

// View implements Dialog: a row for each server with the trouble of the chosen one below, or all that is known of that.
func (p *Servers) View(width, height int, st *look.Look) []string {
	s, at := p.chosen()
	if p.inside {
		rows, where := p.Window(p.describe(s, width, st), max(1, height-3))
		hint := "esc back"
		if p.Keeper != nil {
			hint += " · r restart · space on/off"
			if s.State == mcpclient.ServerNeedsLogin {
				hint = "l log in · " + hint
			}
		}
		if where != "" {
			hint = "↑↓ " + where + " · " + hint
		}
		return st.WithHint(append([]string{st.Title(s.Name, "", width)}, rows...), hint, width, height)
	}
	servers := p.Board()
	room := max(1, height-3)
	below := p.below(servers, at, width, min(8, max(room-len(servers), room/3)), st)
	p.seen.At = at
	rows := p.seen.View(len(servers), func(i int) look.Item {
		words := p.words(servers[i], time.Now(), width >= look.Roomy)
		switch {
		case width < look.Roomy:
		case servers[i].State == mcpclient.ServerNeedsLogin:
			words = look.Dotted(words, "l logs in")
		default:
			words = look.Dotted(words, sanitize.Line(servers[i].Detail))
		}
		return look.Item{Label: st.Clip(sanitize.Line(servers[i].Name), max(8, width/3)), Detail: words, Badge: serverMark(servers[i].State, st)}
	}, width, room-len(below), st)
	out := append([]string{st.Title("Servers", "", width)}, rows...)
	return st.WithHint(append(out, below...), p.help(s, width, st), width, height)
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

// words say how a server stands: "5 tools · ready in 1.2s", "next attempt in 12s". In full they say what is over, too.
func (p *Servers) words(s mcpclient.ServerStatus, now time.Time, full bool) string {
	switch s.State {
	case mcpclient.ServerReady:
		if full && s.Took >= time.Second {
			return look.Dotted(quantity.Plural(s.Tools, "tool"), "ready in "+quantity.Brief(s.Took))
		}
		return quantity.Plural(s.Tools, "tool")
	case mcpclient.ServerStarting:
		if p.Clocks() && !s.Since.IsZero() && now.Sub(s.Since) >= time.Second {
			return "starting · " + quantity.Duration(now.Sub(s.Since))
		}
		return "starting"
	case mcpclient.ServerReconnecting:
		switch wait := s.Next.Sub(now); {
		case s.Next.IsZero() || wait <= 0:
			return "connecting again"
		case p.Clocks():
			return "next attempt in " + quantity.Duration(wait+time.Second-1)
		}
		return "next attempt at " + s.Next.Local().Format("15:04:05")
	case mcpclient.ServerFailed:
		if full {
			return "failed" + timeOfDay(" at ", s.Since, now)
		}
		return "failed"
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
func (p *Servers) help(s mcpclient.ServerStatus, width int, st *look.Look) string {
	switch {
	case p.Keeper == nil:
		return "enter details · esc"
	case s.State == mcpclient.ServerNeedsLogin:
		return st.Longest(width-2, "l log in · enter details · r restart · space on/off · esc", "l log in · enter · r restart · esc")
	}
	return st.Longest(width-2, "enter details · r restart · space on/off · esc", "enter · r restart · space on/off · esc")
}

// below is what there is to say of the chosen server, in as many rows as any of them needs: the list stands still under
// the cursor.
func (p *Servers) below(servers []mcpclient.ServerStatus, at, width, most int, st *look.Look) []string {
	if most < 2 {
		return nil
	}
	var chosen []string
	rows := 0
	for i, s := range servers {
		text := p.trouble(s, width, most-1, st)
		if rows = max(rows, len(text)); i == at {
			chosen = text
		}
	}
	if rows == 0 {
		return nil
	}
	out := append([]string{""}, chosen...)
	return append(out, make([]string, 1+rows-len(out))...)
}

// trouble is why a server is not ready, what it wrote last, and what can be done about it.
func (p *Servers) trouble(s mcpclient.ServerStatus, width, most int, st *look.Look) []string {
	step := st.Prose(nil, p.nextStep(s), width, st.Text.Render)
	switch s.State {
	case mcpclient.ServerFailed, mcpclient.ServerReconnecting, mcpclient.ServerNeedsLogin:
	default:
		return step[:min(len(step), most)]
	}
	out := st.Prose(nil, s.Detail, width, st.Text.Render)
	if words := min(3, len(s.Stderr)); len(out)+words+len(step) > most {
		step = nil // what it wrote says more
	}
	out = out[:min(len(out), most)]
	for _, line := range s.Stderr[max(0, len(s.Stderr)-max(0, most-len(out)-len(step))):] {
		out = append(out, st.Hint(sanitize.Line(line), width-2))
	}
	return append(out, step...)
}

// nextStep says what you can do about a server that is not ready.
func (p *Servers) nextStep(s mcpclient.ServerStatus) string {
	if p.Keeper == nil {
		return ""
	}
	switch s.State {
	case mcpclient.ServerFailed:
		return "r tries again, and so does a change in the configuration file. Variables are read when aloud starts."
	case mcpclient.ServerReconnecting:
		return "It is tried again by itself; r tries at once."
	case mcpclient.ServerNeedsLogin:
		return "l does that here, with your browser."
	case mcpclient.ServerStarting:
		return "It may have to download itself first. It is given up after 20s, or after its startup_timeout_sec."
	case mcpclient.ServerOff:
		return "space switches it on for this session."
	default:
		return ""
	}
}

// describe draws all that is known of one server.
func (p *Servers) describe(s mcpclient.ServerStatus, width int, st *look.Look) []string {
	now := time.Now()
	words := p.words(s, now, true)
	switch s.State {
	case mcpclient.ServerReady:
		words = look.Dotted(words, timeOfDay("since ", s.Since, now))
	case mcpclient.ServerReconnecting:
		word := "lost at "
		if s.Tools == 0 { // most likely it was never there: the board does not tell, and "tried" is true in any case
			word = "tried since "
		}
		words = look.Dotted(words, timeOfDay(word, s.Since, now))
	}
	out := []string{st.Clip("  "+serverMark(s.State, st)+" "+words, max(1, width))}
	out = st.Prose(out, s.Detail, width, st.Text.Render)
	out = st.Prose(out, p.nextStep(s), width, st.Text.Render)
	wrote := s.Stderr
	if p.Keeper != nil && s.State == mcpclient.ServerReady {
		wrote = p.Keeper.LastWords(s.Name)
	}
	for _, section := range []struct {
		title string
		lines []string
	}{{"What it wrote last", wrote}, {"What it told for its log", s.Told}} {
		if len(section.lines) > 0 {
			out = append(out, "", "  "+st.Heading.Render(section.title))
		}
		for _, line := range section.lines {
			out = st.Prose(out, line, width, st.Dim.Render)
		}
	}
	return append(out, p.toolRows(s.Name, width, st)...)
}

// mostTools is how many tools of a server are described; /tools lists all.
const mostTools = 100

// toolRows are the tools of a server.
func (p *Servers) toolRows(name string, width int, st *look.Look) []string {
	if p.Tools == nil {
		return nil
	}
	var pairs [][2]string
	more := 0
	tools, on := p.Tools.AllTools()
	for i, t := range tools {
		switch {
		case t.Server != name:
			continue
		case len(pairs) == mostTools:
			more++
			continue
		}
		title := mcpclient.Title(t.Title, t.ServerTool)
		if !on[i] {
			title += " (off)"
		}
		pairs = append(pairs, [2]string{title, sanitize.Line(sanitize.Cut(t.Description, 1000))})
	}
	if len(pairs) == 0 {
		return nil
	}
	out := slices.Concat([]string{"", "  " + st.Heading.Render("Tools")}, st.Columns(pairs, width))
	if more > 0 {
		out = st.Prose(out, fmt.Sprintf("and %s more: /tools lists all", look.Thousands(more)), width, st.Dim.Render)
	}
	return out
}
