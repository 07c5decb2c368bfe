package ui

import (
	"fmt"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"

	"github.com/aloudchat/aloud/mcpclient"
	"github.com/aloudchat/aloud/provider/event"
)

// edits runs a story in which a change of a file needs approval.
func edits(t *testing.T, width, height int, diff string, story func(d *driver)) {
	t.Helper()
	f := foresight{diff: diff, toolbox: newToolbox()}
	f.tools = append(f.tools, mcpclient.Tool{Name: "files__edit_file", Server: "files", ServerTool: "edit_file",
		Trusted: true, Destructive: true})
	o := with(says(calls("files__edit_file", `{"path":"todo.md"}`), chunks(0, "Done.")))
	o.Chat.Tools, o.Tools = f, f
	drive(t, width, height, o, func(d *driver) {
		d.typeText("Edit it\n").wait(2 * second)
		d.sees("Allow this call?")
		story(d)
	})
}

const shortDiff = "--- todo.md\n+++ todo.md\n@@ -1,4 +1,5 @@\n" +
	" # Todo\n-- buy milk\n+- buy oat milk\n+- buy bread\n - call Anna\n"

// longDiff adds n lines.
func longDiff(n int) string {
	var b strings.Builder
	fmt.Fprintf(&b, "--- todo.md\n+++ todo.md\n@@ -1,1 +1,%d @@\n", n)
	for i := range n {
		fmt.Fprintf(&b, "+line %d\n", i+1)
	}
	return b.String()
}

func TestLongChangeMustBeReadBeforeItIsAllowed(t *testing.T) {
	for _, key := range []string{"y", "s", "a"} {
		edits(t, 80, 24, longDiff(40), func(d *driver) {
			d.sees("↓ ", "more rows", "1 + line 1")
			d.press(key).wait(2 * second)
			d.sees("Allow this call?", "Read the call to its end first: pgdown")
			d.sees("› r  deny with a reason")
			d.press("enter").wait(second)
			d.sees("Reason: ")
			d.press("esc").wait(second)
			for range 9 {
				d.press("pgdown").wait(second)
			}
			d.sees("40 + line 40")
			d.seesNot("more rows", "to its end first")
			d.press("pgup").wait(second) // what was read stays read
			d.press(key).wait(2 * second)
			d.sees("✎ Edit File", "Done.")
		})
	}
}

func TestEnterNeverAllows(t *testing.T) {
	edits(t, 80, 24, shortDiff, func(d *driver) {
		d.sees("› r  deny with a reason")
		d.press("enter").wait(second)
		d.typeText("not today\n").wait(2 * second)
		d.seesNot("Allow this call?", "✎ Edit File")
		d.sees("Done.")
	})
}

// TestApprovalSaysWhatAnswersCover checks the words for the answers "until you quit" and "always".
func TestApprovalSaysWhatAnswersCover(t *testing.T) {
	for width, words := range map[int][]string{
		30: {"s and a allow every call of\n  Edit File on the server\n  files, a saved in\n  config.toml"},
		40: {"a  always, saved in config.toml ", "s and a allow every call of Edit ", "File on the server files "},
		80: {"s  until you quit      every call of Edit File on the server files ",
			"a  always              the same, saved in ~/.config/aloud/config.toml "},
	} {
		edits(t, width, 40, shortDiff, func(d *driver) { d.sees(words...) })
	}
	o := with(says(calls("web__fetch", `{"url":"https://example.org/x"}`), chunks(0, "Done.")))
	box := o.Tools.(*toolbox)
	box.tools = append(box.tools, mcpclient.Tool{Name: "web__fetch", Server: "web", ServerTool: "fetch",
		Schema: []byte(`{"properties":{"url":{"type":"string"}}}`), Trusted: true, ReadOnly: true, OpenWorld: true})
	drive(t, 80, 24, o, func(d *driver) {
		d.typeText("Read it\n").wait(2 * second)
		d.sees("s  until you quit      every call of Fetch to example.org ")
	})
}

func TestArrowsChooseAnswer(t *testing.T) {
	edits(t, 80, 24, shortDiff, func(d *driver) {
		d.press("down").wait(second)
		d.sees("› y  once")
		d.press("up", "up").wait(second)
		d.sees("› n  deny and stop")
		d.press("down", "down", "enter").wait(2 * second)
		d.sees("✎ Edit File")
	})
}

func TestSmallScreenShowsChangeFirst(t *testing.T) {
	edits(t, 40, 15, shortDiff, func(d *driver) {
		d.golden("approval-40x15")
		d.sees("2 - - buy milk", "2 + - buy oat milk", "3 + - buy bread", "1 more row")
		d.press("y").wait(2 * second)
		d.sees("Allow this call?", "Read the call to its end first")
		d.press("pgdown", "pgdown").wait(second)
		d.press("y").wait(2 * second)
		d.sees("✎ Edit File")
	})
}

func TestSignsAreEqualWithoutColours(t *testing.T) {
	edits(t, 80, 24, shortDiff, func(d *driver) {
		d.send(tea.ColorProfileMsg{Profile: colorprofile.ASCII})
		d.wait(second)
		view := d.m.View().Content
		for _, signed := range []string{"-", "+", "−1", "+2"} {
			if !strings.Contains(view, "\x1b[1m"+signed+"\x1b[m ") {
				t.Errorf("%q is not bold:\n%q", signed, view)
			}
		}
	})
}

func TestValueCannotLookLikeArgument(t *testing.T) {
	arguments := `{"path":"a\npath: b","n":"1","none":null,"deep":{"x":[1]}}`
	o := with(says(calls("files__delete_file", arguments), chunks(0, "Done.")))
	drive(t, 80, 30, o, func(d *driver) {
		d.typeText("Delete it\n").wait(2 * second)
		d.sees("  path: a", "  │ path: b", `n: "1"`, "none: null", `deep: {`)
		d.seesNot("┃   path: b")
	})
}

func TestChangeStaysUnderCall(t *testing.T) {
	for key, mark := range map[string]string{"y": "✎", "n": "–"} {
		edits(t, 80, 30, shortDiff, func(d *driver) {
			d.press(key).wait(2 * second)
			d.sees(mark + " Edit File     todo.md · +2 −1")
			d.seesNot("buy oat milk")
			d.press("ctrl+o").wait(second)
			d.sees("2 - - buy milk", "2 + - buy oat milk", "3 + - buy bread")
			d.seesNot("path: ")
		})
	}
}

func TestLongChangeUnderCallIsBounded(t *testing.T) {
	edits(t, 80, 60, longDiff(4000), func(d *driver) {
		d.press("end").wait(second)
		d.press("y").wait(2 * second)
		d.sees("✎ Edit File     todo.md · +4000 −0")
		d.press("ctrl+o").wait(second)
		d.sees("20 + line 20", "… more · /pager")
		d.seesNot("+ line 21")
	})
}

func TestHunksSayWhereTheyBegin(t *testing.T) {
	diff := "--- todo.md\n+++ todo.md\n@@ -1 +1 @@\n-a\n+b\n@@ -40,2 +40,2 @@\n-c\n+d\n e\n"
	edits(t, 80, 24, diff, func(d *driver) {
		d.sees("1 + b", "⋯ line 40", "40 - c", "40 + d", "41   e")
		d.seesNot("⋯ line 1")
	})
}

func TestWheelScrollsLongApproval(t *testing.T) {
	edits(t, 80, 24, longDiff(40), func(d *driver) {
		for range 20 {
			d.send(tea.MouseWheelMsg{Button: tea.MouseWheelDown})
		}
		d.wait(second)
		d.sees("40 + line 40")
		d.send(tea.MouseWheelMsg{Button: tea.MouseWheelUp})
		d.wait(second)
		d.seesNot("40 + line 40")
		d.sees("37 + line 37")
		d.press("y").wait(2 * second)
		d.sees("✎ Edit File")
	})
}

func TestWheelScrollsTranscriptAboveShortApproval(t *testing.T) {
	edits(t, 80, 22, shortDiff, func(d *driver) {
		d.seesNot("▌ Edit it")
		d.send(tea.MouseWheelMsg{Button: tea.MouseWheelUp})
		d.wait(second)
		d.sees("▌ Edit it")
	})
}

// Names of any length leave room for the answers.
func TestLongNamesLeaveRoomForAnswers(t *testing.T) {
	long := strings.Repeat("name_", 200)
	for _, size := range [][2]int{{40, 20}, {80, 24}, {200, 50}} {
		drive(t, size[0], size[1], with(says()), func(d *driver) {
			d.turn(event.Asked{Call: event.ToolCall{Title: long, Server: long}, Host: long, Pattern: long,
				Answer: func(event.Decision) {}}, event.Ended{})
			d.wait(second)
			d.checkFrame()
			d.sees("once", "deny with a reason")
		})
	}
}
