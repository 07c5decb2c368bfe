package ui

import (
	"fmt"
	"strings"
	"testing"

	"github.com/aloudchat/aloud/mcpclient"
	"github.com/aloudchat/aloud/provider"
)

// full returns options with a conversation of every part, and the model.
func full() Options {
	o := with(says(chunks(second, "Done.")))
	o.Tools = library(3000)
	o.Chat.Tools, o.Chat.Context = library(3000), 16384
	attached := []provider.Attachment{
		{Server: "files", URI: "file:///a\x1b[2J.md", Text: strings.Repeat("word ", 1000), Cut: true},
		{Server: "files", URI: "file:///todo.md", Text: "milk"},
	}
	o.Conversation = o.Conversation.With(
		provider.Message{Role: provider.RoleUser, Text: "Look at this.", Images: [][]byte{{1}}, Attached: attached},
		provider.Message{Role: provider.RoleAssistant, Calls: []provider.Call{{ID: "1", Name: "files__read_file"}}},
		provider.Message{Role: provider.RoleTool, CallID: "1", Text: strings.Repeat("word ", 500)},
		provider.Message{Role: provider.RoleAssistant, Text: "I see."})
	return o
}

func TestContext(t *testing.T) {
	for _, size := range [][2]int{{40, 15}, {80, 24}, {200, 50}} {
		drive(t, size[0], size[1], full(), func(d *driver) {
			d.typeText("/context\n")
			d.golden(fmt.Sprintf("context-%d", size[0]))
			d.press("q")
			d.sees("› Ask anything")
		})
	}
}

func TestContextOfEmptyConversation(t *testing.T) {
	model := says()
	model.Models = []provider.Info{{Name: "test:8b"}}
	o := with(model)
	o.Tools, o.Chat.Tools = nil, nil
	drive(t, 80, 24, o, func(d *driver) {
		d.typeText("/context\n")
		d.sees("Context · ", "of about ", "a guess: the server does not say", "instructions", "free")
		d.press("d").press("enter").press("end").press("c")
		d.sees("Nothing to compact yet")
	})
}

func TestContextLeavesAttachmentOut(t *testing.T) {
	o := full()
	drive(t, 80, 24, o, func(d *driver) {
		d.typeText("/context\n").press("end", "up", "up", "up")
		d.sees("› ", "parts of it are left out", "d to leave out an attachment")
		d.press("d")
		d.sees("═ attachments", "@files:file:///todo.md")
		d.seesNot("parts of it are left out")
		d.press("esc")
		d.sees("Left out @files:file:///a", "from your next message on")
		d.typeText("And now?\n").wait(10 * second)
		sent := d.m.talk.chat.Conversation()
		read := provider.ViewOf(provider.Message{}, sent.Messages()).Sent[0].Text
		if strings.Contains(read, "word word") || !strings.Contains(read, "milk") {
			t.Errorf("the model reads %q", read)
		}
	})
}

func TestContextKeepsAttachmentsDuringTurn(t *testing.T) {
	o := full()
	o.Chat.Model = says(chunks(10*second, "Done."))
	drive(t, 80, 24, o, func(d *driver) {
		d.typeText("And now?\n").wait(second)
		d.typeText("/context\n").press("end", "up", "up", "up", "d")
		d.sees("parts of it are left out", "Wait for the end of the answer")
	})
}

// switched is a toolbox whose tools can be turned off.
type switched struct{ *toolbox }

func (s switched) Tools() (tools []mcpclient.Tool) {
	all, on := s.AllTools()
	for i, t := range all {
		if on[i] {
			tools = append(tools, t)
		}
	}
	return tools
}

func TestContextTurnsToolsOff(t *testing.T) {
	o := full()
	tools := switched{library(3000)}
	o.Tools, o.Chat.Tools = tools, tools
	drive(t, 80, 24, o, func(d *driver) {
		d.typeText("/context\n")
		d.sees("1 tool", "3 tools")
		d.press("down", "down")
		d.sees("enter for the tools")
		d.press("enter")
		d.sees("› ✓ files", "4 tools on")
		d.press(" ", "esc")
		d.sees("Context · ", "1 tool")
		d.seesNot("3 tools")
	})
}

func TestContextCompacts(t *testing.T) {
	o := full()
	drive(t, 80, 24, o, func(d *driver) {
		d.wait(second)
		d.typeText("/context\n").press("c").wait(10 * second)
		d.seesNot("── Context")
		d.sees("Nothing to compact: a summary would save almost nothing")
	})
}

func TestContextHasNoToolsThatAreNotSent(t *testing.T) {
	for _, can := range []bool{true, false} {
		model := says()
		model.Models = []provider.Info{{Name: "test:8b", Tools: can}}
		drive(t, 80, 24, with(model), func(d *driver) {
			d.wait(second)
			d.typeText("/context\n")
			if d.has("▓ tools") != can {
				t.Errorf("for a model that can use tools, %v:\n%s", can, d.screen())
			}
		})
	}
}
