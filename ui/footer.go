package ui

import (
	"cmp"
	"context"
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/aloudchat/aloud/internal/sanitize"
	"github.com/aloudchat/aloud/mcpclient"
	"github.com/aloudchat/aloud/provider"
	"github.com/aloudchat/aloud/session"
	"github.com/aloudchat/aloud/ui/dialog"
	"github.com/aloudchat/aloud/ui/look"
	"github.com/aloudchat/aloud/ui/screen"
)

// footer is the last row: the model, how full its context is, the folder, servers with trouble, and what keys do now.
type footer struct {
	fill    provider.Fill // of the context, as counted for the model
	model   string
	folder  string
	servers []mcpclient.ServerStatus
	news    news   // about the servers
	flash   string // a short text about the last key, shown for some seconds
	flashes int    // number of flashes, so that an old timer does not clear a new one
	hints   bool   // the flash says what the next ctrl+c does
}

// setServers stores the state of the servers.
func (f *footer) setServers(servers []mcpclient.ServerStatus) {
	f.servers, f.news = servers, newsOf(servers)
}

// setFolder stores the folder: "~/notes", or only the last part of a long path.
func (f *footer) setFolder(folder string) {
	const most = 20
	if f.folder = sanitize.Line(folder); sanitize.CutEnd(f.folder, most) != f.folder {
		f.folder = sanitize.CutEnd(path.Base(filepath.ToSlash(f.folder)), most)
	}
}

// view draws the row. If it is too narrow, the hint becomes shorter first. Then the folder leaves, the names of further
// servers, the rest of the hint, the model, and the servers.
func (f *footer) view(width int, st *look.Look, label, inUse string, keys hints) string {
	room := max(0, width-4) // between the margins
	if f.flash != "" {
		return "  " + st.Accent.Render(clipFlash(f.flash, room, st))
	}
	model, folder := st.Dim.Render(sanitize.Line(label)), st.Dim.Render(f.folder)
	style := st.Dim
	if f.news.trouble {
		style = st.Warn
	}
	used, long, short := f.context(inUse, width, st), style.Render(f.news.long), style.Render(f.news.short)
	var left string
	for _, try := range [][]string{
		{keys.long, model, used, folder, long},
		{keys.short, model, used, folder, long},
		{keys.short, model, used, long},
		{keys.short, model, used, short},
		{keys.last, model, used, short},
		{keys.last, used, short},
		{keys.last, used},
	} {
		hint := try[0]
		parts := slices.DeleteFunc(try[1:], func(part string) bool { return part == "" })
		left = cmp.Or(strings.Join(parts, st.Dim.Render(" · ")), left)
		if gap := room - st.Method.StringWidth(left+hint); gap >= 2 || gap >= 0 && hint == "" {
			return "  " + left + strings.Repeat(" ", gap) + st.Dim.Render(hint)
		}
	}
	return "  " + st.Clip(left, room)
}

// clipFlash shortens a flash. What a key does, which follows the last dot, is kept if there is room for it.
func clipFlash(flash string, room int, st *look.Look) string {
	const least = 12 // cells of what was wrong
	if i := strings.LastIndex(flash, " · "); i > 0 {
		if head := room - st.Method.StringWidth(flash[i:]); head >= least {
			return st.Clip(flash[:i], head) + flash[i:]
		}
	}
	return st.Clip(flash, room)
}

// context draws how full the context is: "▰▱▱▱▱▱ 20% of 16.4k", on a narrow screen without the bar, or "" if it is
// unknown. It is amber from 70% and red from 90%. Each model counts tokens in its own way.
func (f *footer) context(inUse string, width int, st *look.Look) string {
	percent, style := f.fill.Percent(), st.Dim
	switch {
	case percent == 0 || !provider.SameModel(inUse, f.model):
		return ""
	case percent >= 90:
		style = st.Err
	case percent >= 70:
		style = st.Warn
	}
	text := f.fill.String()
	if width >= look.Roomy {
		const cells = 6
		full := max(1, min((percent*cells+50)/100, cells))
		text = strings.Repeat("▰", full) + strings.Repeat("▱", cells-full) + " " + text
	}
	return style.Render(text)
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

// news is what you should know about the servers, in two lengths. It is empty if all of them work.
type news struct {
	long, short string
	trouble     bool
}

// newsOf names the servers with trouble, "github failed, drive needs login", or else one that is late, "github not
// ready yet, may be installing · 40s", or else says how many are ready, "connecting to servers 1/3".
func newsOf(servers []mcpclient.ServerStatus) news {
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
	case len(problems) > 0:
		return news{firstOf(problems, 3), firstOf(problems, 1), true}
	case len(late) > 0:
		return news{long: late[0], short: late[0]}
	case starting > 0:
		line := fmt.Sprintf("connecting to servers %d/%d", ready, all)
		return news{long: line, short: line}
	}
	return news{}
}

// firstOf joins at most n texts, and says how many more there are.
func firstOf(texts []string, n int) string {
	if more := len(texts) - n; more > 0 {
		return fmt.Sprintf("%s, %d more", strings.Join(texts[:n], ", "), more)
	}
	return strings.Join(texts, ", ")
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

// hint shows what the next key does, until another one.
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
