//go:build unix

package main

import (
	"cmp"
	"regexp"
	"strings"
	"time"

	"github.com/aloudchat/aloud/e2e/terminal"
	"github.com/aloudchat/aloud/e2e/tinymodel"
)

// picture describes the steps before a picture is taken, and its content.
type picture struct {
	name string

	width, height int           // of the terminal; 0: see size
	above, below  int           // rows around the matching row; below: 0 means all, -1 none
	settings      string        // more of the configuration
	earlier       string        // a question of an earlier chat; "" means none
	cold          bool          // the model is not in memory
	openAI        bool          // uses the server's OpenAI-compatible API
	deafServer    bool          // one tool server never responds
	toolTime      time.Duration // the duration of each call
	holds         holds
	script        string // the only one that the model of a scene plays; "" for a picture
	look          string // of a scene: "dark", "light" or "plain"; "" means dark
	acts          []act
	sees          string // pattern of the row to show
}

// act is an action of the user.
type act struct {
	after string // pattern to wait for
	enter string // typed before the key
	keys  string // pressed
}

// ask sends a message that starts a script of the tiny model.
func ask(script string) []act { return []act{{enter: "[[" + script + "]] please"}} }

// pasted and pasteEnd are how a terminal marks pasted text.
const pasted, pasteEnd = "\x1b[200~", "\x1b[201~"

// aLongQuestion takes the model a while to read.
var aLongQuestion = "[[answer]] " + strings.Repeat("It crashed on start again, "+
	"right after the window came up, and this is the next line of its log.\n", 120)

func askLong() []act { return []act{{enter: pasted + aLongQuestion + pasteEnd}} }

const byName, bySentence = "[status]\nstyle = \"name\"", "[status]\nstyle = \"sentence\""

// album has all pictures, in the order of docs/status.md.
var album = []picture{
	{
		name: "connecting", deafServer: true, acts: ask("answer"),
		sees: `Connecting to servers \(\d/\d\) · 3s`,
	},
	{
		name: "analyzing", openAI: true, holds: holds{answer: map[int]int{0: 0}}, acts: ask("answer"),
		sees: `Analyzing request… · 3s`,
	},
	{
		name: "loading", cold: true, holds: holds{load: true}, acts: ask("answer"),
		sees: `Loading tiny-full… · 4s`,
	},
	{
		name: "loading-again", earlier: "[[answer]] please", cold: true,
		holds: holds{load: true}, acts: ask("answer"), sees: `Loading tiny-full · 4s of about \d+s`,
	},
	{
		name: "reading", cold: true, holds: holds{answer: map[int]int{0: 0}}, acts: askLong(),
		sees: `Reading (about|up to) [0-9.k]+ tokens… · 2s`,
	},
	{
		name: "reading-again", earlier: aLongQuestion, cold: true,
		holds: holds{answer: map[int]int{0: 0}}, acts: askLong(),
		sees: `Reading (about|up to) [0-9.k]+ tokens · 2s of about \d+s`,
	},
	{
		name: "thinking", above: 6,
		holds: holds{answer: map[int]int{0: 12}, word: 100 * time.Millisecond},
		acts:  ask("think"), sees: `Thinking… · 3s`, height: 12,
	},
	{
		name: "selecting", holds: holds{answer: map[int]int{0: 1}}, acts: ask("wait"),
		sees: `Selecting appropriate tools… · 2s`,
	},
	{
		name: "tool-name", settings: byName, acts: ask("wait"),
		sees: `Using Search Issues on code… · 4s`,
	},
	{
		name: "tool-sentence", settings: bySentence, acts: ask("wait"),
		sees: `"Looking .* · 4s`,
	},
	{
		name: "tools", settings: byName, acts: ask("three"),
		sees: `Using 3 tools: .* · 4s`,
	},
	{
		name: "progress", acts: ask("index"),
		sees: `Index Repository on code · 40/120 · 4s`,
	},
	{
		name: "tool-failed", openAI: true, settings: byName,
		holds: holds{answer: map[int]int{1: 0}}, acts: ask("fails"),
		sees: `Tool Read File failed, trying alternative approach… · 2s`,
	},
	{
		name: "approval", settings: byName, holds: holds{reads: 4 * time.Second}, acts: ask("delete"),
		sees: `Waiting for your approval · 3s`, height: 20,
	},
	{
		name: "processing", openAI: true, settings: byName,
		holds: holds{answer: map[int]int{1: 0}}, acts: ask("quick"), sees: `Processing tool results… · 2s`,
	},
	{
		name: "formulating", holds: holds{answer: map[int]int{0: 16}, word: 100 * time.Millisecond}, acts: ask("answer"),
		sees: `Formulating response… · 3s`,
	},
	{
		name: "retrying", holds: holds{lost: 1, answer: map[int]int{1: 0}}, acts: ask("answer"),
		sees: `Retrying \(2/\d\).* 3s`,
	},
	{
		name: "silence", holds: holds{answer: map[int]int{0: 16}, word: 100 * time.Millisecond},
		acts: ask("answer"), sees: `no output for 12s`,
	},
	{
		name: "compacting", holds: holds{summary: true},
		acts: append(askLong(), act{after: `✓ `, enter: "[[think]] please"},
			act{after: `(?s)Issue 12 it is.*✓ `, enter: "/compact"}),
		sees: `Compacting… · 3s`,
	},
	{
		name: "stopped", settings: "[limits]\niterations = 2\n" + byName,
		acts: append(ask("forever"), act{after: `enter continues`}),
		sees: `■ Stopped · `, height: 16, above: 7,
	},
	{
		name: "receipt", cold: true, settings: byName, acts: ask("report"),
		holds: receiptHolds, sees: `✓ 2 tools`, above: 3, below: -1,
	},
	{
		name: "receipt-unfolded", cold: true, settings: byName,
		holds: receiptHolds, acts: append(ask("report"), act{after: `✓ 2 tools`, keys: "\x0f"}),
		sees: `✓ 2 tools.*\n.*\n +load 3s`, below: 10,
	},
	{
		name: "narrow", width: 40, settings: bySentence, acts: ask("wait"), sees: `Using Search Issues… · 4s`,
	},
	{
		name: "wide", width: 200, settings: bySentence, holds: holds{reads: 700 * time.Millisecond}, acts: ask("second"),
		sees: `"Looking .* · 4s .*round 2/10`,
	},
}

// model returns the model that plays the script. aloud does not request sentences from thinking models.
func (p picture) model() string {
	if p.settings == bySentence {
		return tinymodel.Tools
	}
	return tinymodel.Full
}

// size returns the size of the terminal.
func (p picture) size() (columns, rows int) {
	if p.script != "" {
		return cmp.Or(p.width, 100), cmp.Or(p.height, 34)
	}
	return cmp.Or(p.width, 80), cmp.Or(p.height, 24)
}

// crop returns the rows around the one that the picture shows.
func (p picture) crop(rows [][]terminal.Cell, at int) [][]terminal.Cell {
	until := len(rows)
	if p.below != 0 {
		until = min(until, at+1+max(p.below, 0))
	}
	return rows[max(0, at-p.above):until]
}

// finder returns a function that finds the row in which the pattern starts, or -1.
func finder(pattern string) (func(screen string) int, error) {
	expression, err := regexp.Compile(pattern)
	if err != nil {
		return nil, err
	}
	return func(screen string) int {
		found := expression.FindStringIndex(screen)
		if found == nil {
			return -1
		}
		return strings.Count(screen[:found[0]], "\n")
	}, nil
}
