package ui

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/aloudchat/aloud/internal/quantity"
	"github.com/aloudchat/aloud/internal/sanitize"
	"github.com/aloudchat/aloud/mcpclient"
	"github.com/aloudchat/aloud/provider"
	"github.com/aloudchat/aloud/session"
	"github.com/aloudchat/aloud/ui/dialog"
	"github.com/aloudchat/aloud/ui/look"
	"github.com/aloudchat/aloud/ui/screen"
)

// footer is the last row: the model, the use of its context, the servers and a hint.
type footer struct {
	fill    provider.Fill // of the context, as counted for the model
	model   string
	servers []mcpclient.ServerStatus
	summary string // the state of the servers
	trouble bool   // the summary is a warning
	flash   string // a short text about the last key, shown for some seconds
	flashes int    // number of flashes, so that an old timer does not clear a new one
	hints   bool   // the flash says what the next ctrl+c does
}

// setServers stores the state of the servers.
func (f *footer) setServers(servers []mcpclient.ServerStatus) {
	f.servers = servers
	f.summary, f.trouble = serversLine(servers)
}

// view draws the row. If it is too narrow, the hint is left out first, then the context, then the model.
func (f *footer) view(width int, st *look.Look, model, filled, hint string) string {
	if f.flash != "" {
		return "  " + st.Accent.Render(st.Clip(f.flash, max(0, width-2)))
	}
	name := sanitize.Line(model)
	short := look.Dotted(name, f.summary)
	left := st.Longest(width-2, look.Dotted(name, filled, f.summary), short, cmp.Or(f.summary, name))
	left = "  " + st.Clip(left, max(0, width-2))
	gap := width - st.Method.StringWidth(left) - st.Method.StringWidth(hint) - 1
	row := st.Dim.Render(left)
	if f.trouble {
		row = strings.Replace(row, f.summary, st.Warn.Render(f.summary), 1)
	}
	if gap < 2 {
		return row
	}
	return row + strings.Repeat(" ", gap) + st.Dim.Render(hint)
}

// context returns "context 3.2k/16.4k", or "" if it is unknown. Each model counts tokens in its own way.
func (f *footer) context(model string) string {
	if fill := f.fill.String(); fill != "" && provider.SameModel(model, f.model) {
		return "context " + fill
	}
	return ""
}

// resumed stores the use of the context after the last turn of a saved conversation, unless the conversation has
// changed since. Older versions did not count what followed the last whole reply.
func (f *footer) resumed(last session.Turn, conv provider.Conversation) {
	all, fill := conv.Messages(), last.Result.Usage.Fill()
	if len(all) == 0 || len(all) != last.Messages {
		return
	}
	if m := all[len(all)-1]; fill.Estimated || m.Role == provider.RoleAssistant && !m.Partial {
		f.fill, f.model = fill, last.Result.Model
	}
}

// serversLine summarises the servers: "3 servers", "connecting to servers 1/3", "2/3 servers, github failed",
// "2/3 servers, github not ready yet, may be installing · 40s".
func serversLine(servers []mcpclient.ServerStatus) (line string, trouble bool) {
	all, ready, starting := 0, 0, 0
	var problems, late []string
	for _, s := range servers {
		all++
		switch s.State {
		case mcpclient.ServerOff:
			all--
		case mcpclient.ServerReady:
			ready++
		case mcpclient.ServerStarting:
			if starting++; s.Late {
				late = append(late, sanitize.Line(s.Name+" "+s.Detail))
			}
		case mcpclient.ServerNeedsLogin:
			problems = append(problems, sanitize.Line(s.Name)+" needs login")
		case mcpclient.ServerFailed:
			problems = append(problems, sanitize.Line(s.Name)+" failed")
		}
	}
	switch {
	case len(problems) == 1:
		return fmt.Sprintf("%d/%d servers, %s", ready, all, problems[0]), true
	case len(problems) > 1:
		return fmt.Sprintf("%d/%d servers, %s, %d more", ready, all, problems[0], len(problems)-1), true
	case len(late) > 0:
		return fmt.Sprintf("%d/%d servers, %s", ready, all, late[0]), false
	case starting > 0:
		return fmt.Sprintf("connecting to servers %d/%d", ready, all), false
	case all == 0:
		return "", false
	}
	return quantity.Plural(all, "server"), false
}

// flashTime is how long a flash is shown.
const flashTime = 4 * time.Second

// show shows a short text about the last key. The command clears it.
func (f *footer) show(text string) tea.Cmd {
	f.flash = sanitize.Line(text)
	f.hints = false
	f.flashes++
	n := f.flashes
	return tea.Tick(flashTime, func(time.Time) tea.Msg { return unflashMsg{n} })
}

// unflash clears the flash, unless there is a newer one.
func (f *footer) unflash(msg unflashMsg) {
	if msg.n == f.flashes {
		f.flash = ""
	}
}

// hint shows what the next ctrl+c does, until another key.
func (f *footer) hint(text string) tea.Cmd {
	clear := f.show(text)
	f.hints = true
	return clear
}

// dropHint must be called for another key, after which ctrl+c may do something else.
func (f *footer) dropHint() {
	if f.hints {
		f.flash = ""
	}
}

// watchServers returns a command that reports the state of the servers whenever it changes.
func watchServers(board mcpclient.Statuses) tea.Cmd {
	if board == nil {
		return nil
	}
	return screen.Go(func(ctx context.Context, send func(tea.Msg)) {
		for seen := 0; ; {
			servers, version, err := board.Wait(ctx, seen)
			if err != nil {
				return
			}
			send(dialog.ServersChanged{Servers: servers})
			seen = version
		}
	})
}
