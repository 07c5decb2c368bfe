//go:build unix

package main

import (
	"fmt"
	"strings"

	"github.com/aloudchat/aloud/e2e/tinymodel"
)

// scenes are whole screens, in the order of docs/ui.md.
var scenes = []picture{
	{name: "welcome", script: "hello", sees: `(?s)model +tiny.*do with shop`},
	{
		name: "tool", script: "orders", cold: true, acts: []act{{enter: "which orders does John have?"}},
		holds: holds{loads: 4e9, reads: 2e9, word: 100e6}, sees: `List Orders.* · 3s`,
	},
	{
		name: "answer", script: "sorting", acts: []act{{enter: "how does quicksort work?"}},
		holds: holds{reads: 1e9, word: 20e6}, sees: `tok at`,
	},
	{
		name: "approval", script: "edit", acts: []act{{enter: "put oat milk and bread on my list"}},
		sees: `Allow this call\?`,
	},
	{
		name: "failure", script: "hello", cold: true, holds: holds{tooLarge: true},
		acts: []act{{enter: "summarise the report"}}, sees: `✗ Failed`,
	},
	{
		name: "limit", script: "limit", settings: "[limits]\niterations = 3\n",
		acts: []act{{enter: "are there orders of more people?"}}, sees: `■ Stopped · `,
	},
	{name: "models", script: "hello", acts: []act{{after: `shop 2`, enter: "/model"}}, sees: `tiny-raw`},
	{
		name: "files", script: "hello",
		acts: []act{{after: `shop 2`, keys: "which of @todo.md is in @re"}}, sees: `(?s)recipes.*room for`,
	},
	{
		name: "find", script: "sorting", holds: holds{word: 5e6},
		acts: []act{{enter: "how does quicksort work?"}, {after: `✓ \d+ tok`, keys: "\x13sort"}}, sees: `sort +\d of \d`,
	},
	{
		name: "branches", script: "hello", acts: []act{
			{enter: "greet Anna"}, {after: `✓ \d+ tok`, enter: "greet Bob"},
			{after: `(?s)✓ \d+ tok.*✓ \d+ tok`, enter: "/copy"}, {after: `Copied`}, // esc soon after stops
			{after: `/ commands`, keys: "\x1b"}, {after: `esc again`, keys: "\x1b"}, {after: `Your questions`, keys: "\r"},
			{after: `esc goes back`, enter: " in Dutch"}, {after: `(?s)Bob in Dutch.*✓ \d+ tok`, enter: "/tree"},
		}, sees: `● greet Bob in Dutch`,
	},
	{
		name: "conversations", script: "hello", acts: []act{
			{enter: "greet Anna"}, {after: `✓ \d+ tok`, enter: "/clear"}, {after: `try  `, enter: "greet Bob in Dutch"},
			{after: `✓ \d+ tok`, enter: "/resume"},
		}, sees: `● greet Bob`,
	},
	{
		name: "context", script: "sorting", holds: holds{word: 5e6},
		acts: []act{{enter: "how does quicksort work?"}, {after: `✓ \d+ tok`, enter: "/context"}}, sees: `Context · `,
	},
	{name: "help", script: "hello", acts: []act{{after: `shop 2`, keys: "?"}}, sees: `type to filter`},
}

// shown returns the pictures of docs/ui: the scenes, the narrow one, and two other looks.
func shown() []picture {
	all := append([]picture{}, scenes...)
	for _, p := range scenes {
		switch p.name {
		case "tool":
			all = append(all, variant(p, "narrow", "dark", 40, 15))
		case "answer":
			all = append(all, variant(p, "answer-light", "light", 0, 0))
		case "approval":
			all = append(all, variant(p, "approval-plain", "plain", 0, 0))
		}
	}
	return all
}

// looks returns the scenes with these names, or all, in three sizes and three looks.
func looks(names []string) (all []picture) {
	for _, p := range scenes {
		if len(names) > 0 && !strings.Contains(" "+strings.Join(names, " ")+" ", " "+p.name+" ") {
			continue
		}
		for _, size := range [][2]int{{40, 15}, {100, 34}, {200, 50}} {
			for _, look := range []string{"dark", "light", "plain"} {
				all = append(all, variant(p, fmt.Sprintf("%s-%d-%s", p.name, size[0], look), look, size[0], size[1]))
			}
		}
	}
	return all
}

func variant(p picture, name, look string, width, height int) picture {
	p.name, p.look, p.width, p.height = name, look, width, height
	return p
}

// scripts returns what the model of a picture plays. The message in the film names no script.
func (p picture) scripts() map[string]tinymodel.Script {
	if p.script != "" {
		return map[string]tinymodel.Script{
			tinymodel.Fallback: tinymodel.Scenes()[p.script],
			"status":           {{Text: "Looking at what the shop knows"}},
			"last":             {{Text: "People with the numbers 40 to 42 have two orders each."}},
		}
	}
	scripts := tinymodel.Pictures()
	if p.name == film.name {
		scripts[tinymodel.Fallback] = scripts["film"]
	}
	return scripts
}
