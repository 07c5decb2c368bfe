package ui

import (
	"strings"
	"testing"
	"time"

	"github.com/aloudchat/aloud/mcpclient"
	"github.com/aloudchat/aloud/mcpclient/servers"
	"github.com/aloudchat/aloud/session"
	"github.com/aloudchat/aloud/ui/dialog"
)

// withServers returns options of a chat in a folder with a list, three servers, and an earlier conversation.
func withServers() Options {
	o := with(says(chunks(0, "Yes.")))
	board := &servers.Board{}
	for name, tools := range map[string]int{"files": 3, "clock": 1} {
		board.Set(mcpclient.ServerStatus{Name: name, State: mcpclient.ServerReady, Tools: tools})
	}
	board.Set(mcpclient.ServerStatus{Name: "github", State: mcpclient.ServerFailed, Detail: `"GITHUB_TOKEN" is not set`})
	o.Board = board
	o.Here = func() Here {
		return Here{Folder: "~/notes", Branch: "main", Files: []string{"todo.md"}, Earlier: session.Info{
			ID: "20261120-235412-k3f9", Title: "which crashes are still open?", Changed: time.Now().Add(-26 * time.Hour),
		}}
	}
	return o
}

func TestWelcomeKnowsWhereYouAre(t *testing.T) {
	for _, width := range []int{40, 100} {
		drive(t, width, 34, withServers(), func(d *driver) {
			d.sees("~/notes · main", "files 3", "github", "which crashes are still")
			d.sees("summarise todo.md", "what is in this folder?")
			if width == 100 {
				d.sees(`"which crashes are still open?" · 1 day ago · /resume`, `"GITHUB_TOKEN" is not set · /servers`)
			}
		})
	}
}

func TestTabTypesNextQuestion(t *testing.T) {
	drive(t, 80, 24, withServers(), func(d *driver) {
		d.press("tab").wait(second)
		d.sees("› summarise todo.md")
		d.press("tab").wait(second)
		d.sees("› what is in this folder?")
		d.press("tab", "tab").wait(second)
		d.sees("› summarise todo.md")
		d.typeText(" please").press("tab").wait(second)
		d.sees("› summarise todo.md please")
		d.press("enter").wait(second)
		d.sees("Yes.")
		d.press("tab").wait(second)
		d.sees("Ask anything")
	})
}

func TestWelcomeOnSmallScreen(t *testing.T) {
	for _, size := range [][2]int{{20, 5}, {30, 10}, {23, 30}} {
		drive(t, size[0], size[1], withServers(), func(d *driver) {
			d.sees("aloud")
			for row := range strings.SplitSeq(d.screen(), "\n") {
				if n := len([]rune(row)); n > size[0] {
					t.Errorf("%v: a row has %d cells: %q", size, n, row)
				}
			}
		})
	}
}

func TestWelcomeSaysThatThereAreNoTools(t *testing.T) {
	o := with(says())
	o.Tools = nil
	drive(t, 80, 24, o, func(d *driver) { d.sees("tools   off") })
	drive(t, 80, 24, with(says()), func(d *driver) {
		d.sees("tools   …")
		d.send(dialog.ServersChanged{Servers: []mcpclient.ServerStatus{
			{Name: "one", State: mcpclient.ServerFailed}, {Name: "two", State: mcpclient.ServerOff},
		}})
		d.sees("tools   none")
	})
}
