package ui

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aloudchat/aloud/mcpclient"
	"github.com/aloudchat/aloud/mcpclient/servers"
	"github.com/aloudchat/aloud/status"
)

// library is a set of two servers whose tools take many tokens.
func library(schema int) *toolbox {
	d := newToolbox()
	d.tools = nil
	for _, name := range []string{"clock__now", "files__read_file", "files__search_files", "files__list_folder"} {
		server, tool, _ := strings.Cut(name, "__")
		d.tools = append(d.tools, mcpclient.Tool{
			Name: name, Server: server, ServerTool: tool,
			Description: "Does what its name says, and more than fits into a row of the screen.", OpenWorld: true,
			Schema: json.RawMessage(`{"type":"object","description":"` + strings.Repeat("word ", schema/5) + `"}`),
		})
	}
	return d
}

func TestTools(t *testing.T) {
	for _, width := range []int{40, 80, 200} {
		o := with(says())
		o.Tools = library(3000)
		drive(t, width, 20, o, func(d *driver) {
			d.typeText("/tools\n")
			d.golden(fmt.Sprintf("tools-%d", width))
		})
	}
}

func TestToolSwitchIsStored(t *testing.T) {
	o := with(says())
	tools, kept := library(3000), map[string]bool{}
	o.Tools = tools
	full := error(nil)
	o.RememberTool = func(server, tool string, on bool) error { kept[server+"__"+tool] = on; return full }
	o.Chat.Model, o.Chat.Context = says(chunks(10*second, "One.")), 4096
	drive(t, 80, 24, o, func(d *driver) {
		d.typeText("First?\n/tools\n") // also while a turn runs
		d.sees("4 tools on", "of 4.1k tokens", "Models choose")
		d.press("down", "down", "down", " ") // one of files
		d.sees("3 of 4 tools on", "◐ files", "2 of 3 tools", "○ Read File")
		d.press("up", " ") // all tools of files again
		d.sees("4 tools on", "✓ files", "✓ Read File")
		d.press(" ") // and none
		d.sees("1 of 4 tools on", "○ files", "○ List Folder", "✓ clock")
		d.seesNot("Models choose")
		for name, on := range map[string]bool{"files__read_file": false, "files__search_files": false,
			"files__list_folder": false} {
			if tools.off[name] == on || kept[name] != on {
				t.Errorf("%s is off: %v, remembered as on: %v", name, tools.off[name], kept[name])
			}
		}
		if _, told := kept["clock__now"]; told || tools.off["clock__now"] {
			t.Error("another server's tool was switched")
		}
		d.typeText("clock")
		d.sees("clock", "Now")
		d.seesNot("Read File")
		full = errors.New("the disk is full")
		d.press("down", " ", "esc")
		d.sees("! Your choice of tools is not saved for the next start: the disk is full.")
	})
}

func TestToolsFilterAndDetails(t *testing.T) {
	for _, width := range []int{40, 80} {
		o := with(says())
		tools := library(100)
		o.Tools = tools
		drive(t, width, 24, o, func(d *driver) {
			d.typeText("/tools\n")
			d.sees("› ✓ clock", "4")
			d.press("enter") // on a server: all its tools
			d.sees("── clock", "now", "Does what its name says", "uses the network", "esc to close")
			d.press("esc", "down", "enter")
			d.sees("── Now", "Does what its name says")
			d.press("esc")
			d.typeText("read")
			d.sees("filter read", "✓ Read File")
			d.seesNot("Search Files")
			if len(tools.off) > 0 {
				t.Errorf("switched are %v", tools.off)
			}
			d.press(" ")
			d.typeText("file") // a space in a filter switches nothing
			d.sees("filter read file", "✓ Read File", "↓ space on/off")
			d.press("down", " ") // the only tool
			d.sees("○ Read File", "3 of 4")
			d.typeText("x")
			d.sees("filter read filex▏", "no match for")
		})
	}
}

// TestToolsChangeWhileListed checks that the row under the cursor keeps its position, and that keys apply to it.
func TestToolsChangeWhileListed(t *testing.T) {
	o, board := with(says()), &servers.Board{}
	o.Board = board
	all := library(100)
	for i := range 30 {
		name := fmt.Sprintf("step_%02d", i)
		all.tools = append(all.tools, mcpclient.Tool{Name: "late__" + name, Server: "late", ServerTool: name})
	}
	some := newToolbox()
	o.Tools = some
	offer := func(d *driver, tools []mcpclient.Tool) {
		some.tools = tools
		board.Set(mcpclient.ServerStatus{Name: "files", State: mcpclient.ServerReady, Tools: len(tools)})
		d.wait(10 * time.Millisecond)
	}
	drive(t, 80, 24, o, func(d *driver) {
		some.tools = all.tools[1:4]
		d.typeText("/tools\n")
		d.press("down", "down")
		d.sees("›   ✓ Search Files", "3 tools on")
		offer(d, all.tools[:4]) // a server before that one becomes ready
		d.sees("›   ✓ Search Files", "✓ clock", "4 tools on")
		offer(d, all.tools) // and one after it, with more than fits
		d.sees("›   ✓ Search Files", "✓ late", "34 tools on")
		before := d.screen()
		offer(d, all.tools[1:])
		if row := func(screen string) int {
			return strings.Count(screen[:strings.Index(screen, "›   ✓ Search Files")], "\n")
		}; row(d.screen()) > row(before) {
			t.Errorf("the row moved down:\n%s\n%s", before, d.screen())
		}
		d.press(" ")
		if !some.off["files__search_files"] || len(some.off) != 1 {
			t.Errorf("switched are %v", some.off)
		}
		offer(d, slices.Concat(all.tools[1:2], all.tools[4:])) // its own server is removed
		d.sees("✓ Read File", "›", "31 tools on")
		d.seesNot("Search Files")
		offer(d, nil)
		d.sees("No tools yet", "0 tools on")
		d.press(" ", "enter", "down")
		offer(d, all.tools[:4])
		d.sees("› ✓ clock", "○ Search Files")
	})
}

// The name of a tool stands in the row, and the model's sentence beside it in quotes and italics.
func TestToolsBeforeServersAreReady(t *testing.T) {
	o, board, tools := with(says()), &servers.Board{}, newToolbox()
	o.Board, o.Tools = board, tools
	all := tools.tools
	tools.tools = nil
	drive(t, 80, 24, o, func(d *driver) {
		d.typeText("/tools\n")
		d.sees("No tools yet · see /servers")
		tools.tools = all
		board.Set(mcpclient.ServerStatus{Name: "files", State: mcpclient.ServerReady, Tools: len(all)})
		d.wait(10 * time.Millisecond)
		d.sees("› ✓ files")
	})
}

func TestSentenceBesideToolName(t *testing.T) {
	work := status.Using("Find User")
	work.Server, work.Quote = "shop", `Looking up the "user"`
	drive(t, 100, 24, with(says()), func(d *driver) {
		d.step(status.State{Phase: status.UsingTool, Work: work})
		d.wait(time.Second)
		d.sees(`Find User on shop · "Looking up the 'user'" · 1s · esc stops`)
		if want := d.m.look.Quote.Render(`"Looking up the 'user'"`); !strings.Contains(d.m.View().Content, want) ||
			!strings.Contains(want, "\x1b[3;") {
			t.Errorf("the sentence is not drawn as %q", want)
		}
	})
}
