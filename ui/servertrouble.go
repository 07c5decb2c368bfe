package ui

import (
	"github.com/aloudchat/aloud/sanitize"
	"github.com/aloudchat/aloud/status"
	"github.com/aloudchat/aloud/ui/look"
)

// below is what there is to say of the chosen server, in as many rows as any of them needs: the list stands still under the cursor.
func (p *serverPanel) below(servers []status.Server, at, width, most int, st *look.Look) []string {
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
func (p *serverPanel) trouble(s status.Server, width, most int, st *look.Look) []string {
	step := prose(nil, p.nextStep(s), width, st, st.Text.Render)
	switch s.State {
	case status.ServerFailed, status.ServerReconnecting, status.ServerNeedsLogin:
	default:
		return step[:min(len(step), most)]
	}
	out := prose(nil, s.Detail, width, st, st.Text.Render)
	if words := min(3, len(s.Stderr)); len(out)+words+len(step) > most {
		step = nil // what it wrote says more
	}
	out = out[:min(len(out), most)]
	tail := s.Stderr[max(0, len(s.Stderr)-max(0, most-len(out)-len(step))):]
	for _, line := range tail {
		out = append(out, "  "+st.Dim.Render(st.Clip(sanitize.Line(line), max(1, width-4))))
	}
	return append(out, step...)
}

// nextStep says what a person can do about a server that is not ready.
func (p *serverPanel) nextStep(s status.Server) string {
	if p.keeper == nil {
		return ""
	}
	switch s.State {
	case status.ServerFailed:
		return "r tries again, and so does a change in the configuration file. Variables are read when aloud starts."
	case status.ServerReconnecting:
		return "It is tried again by itself; r tries at once."
	case status.ServerNeedsLogin:
		return "l does that here, with your browser."
	case status.ServerStarting:
		return "It may have to download itself first. It is given up after 20s, or after its startup_timeout_sec."
	case status.ServerOff:
		return "space switches it on for this session."
	default:
		return ""
	}
}
