package ui

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"github.com/aloudchat/aloud/provider"
	"github.com/aloudchat/aloud/provider/providertest"
	"github.com/aloudchat/aloud/session"
)

// blocked is a reply that stalls in the middle.
func blocked(text string) providertest.Reply {
	return append(chunks(0, text), providertest.Step{Block: true})
}

// TestRetryKeepsEarlierTurns checks that sending the last question again changes nothing above it, with a session or
// without.
func TestRetryKeepsEarlierTurns(t *testing.T) {
	model := says(calls("files__read_file", `{"path":"a"}`), blocked("Half"), chunks(0, "Second."), chunks(0, "Third."))
	drive(t, 80, 30, with(model), func(d *driver) {
		d.typeText("One?\n").wait(3 * second)
		d.press("esc").wait(second)
		d.typeText("Two?\n").wait(second)
		above, _, _ := strings.Cut(d.screen(), "▌ Two?")
		d.typeText("/retry\n").wait(second)
		d.sees("Third.")
		d.seesNot("Second.")
		if now, _, _ := strings.Cut(d.screen(), "▌ Two?"); now != above {
			t.Errorf("above the question there is now\n%s\nit was\n%s", now, above)
		}
	})
}

// TestCutAnswerGoesOn checks that enter and /continue go on with an answer that was cut off.
func TestCutAnswerGoesOn(t *testing.T) {
	full := providertest.Step{Done: provider.ReasonLength, Usage: provider.Usage{PromptTokens: 8000, AnswerTokens: 192}}
	model := says(providertest.Reply{{Text: "One,"}, full}, providertest.Reply{{Text: "two,"}, full}, chunks(0, "three."))
	drive(t, 80, 30, with(model), func(d *driver) {
		d.typeText("Count\n").wait(2 * second)
		d.sees("The context window of 8.2k tokens is full. Set a larger context, or start a\n"+
			"  new conversation.\n  /continue goes on · /compact makes room\n  ■ Stopped · 192 tok", "enter continues")
		d.press("enter").wait(2 * second)
		d.sees("two,", "enter continues")
		d.typeText("/continue\n").wait(2 * second)
		d.sees("three.")
		d.seesNot("enter continues")
	})
}

// TestResumedTranscript compares all ends of turns, folded and unfolded, with repairs, times, reasons and limits.
func TestResumedTranscript(t *testing.T) {
	store := session.Open(t.TempDir())
	r := store.New()
	model := says(
		calls("files__read_file", `{"path":3}`), blocked("Half"),
		calls("files__delete_file", `{"path":"b"}`),
		calls("files__nothing", `{}`), chunks(0, "It is used up."),
		chunks(0, "[cannot] No way."),
		providertest.Reply{{Text: "Some"}, {Err: &provider.Error{Kind: provider.KindFailed, Text: "the server went away",
			Hint: "start it again"}}},
		providertest.Reply{{Text: "Half a list"}, {Done: provider.ReasonLength}},
		calls("files__read_file", `{"path":"c"}`),
	)
	options := with(model)
	options.Tools.(*toolbox).tools[0].Schema = json.RawMessage(`{"type":"object","properties":{"path":{"type":"string"}}}`)
	options.Chat.Limits.Iterations = 1
	options.Recorder = r
	var folded, unfolded, footer string
	look := func(d *driver) (folded, unfolded, footer string) {
		rows := strings.Split(d.screen(), "\n")
		return strings.Join(rows[:60], "\n"), ansi.Strip(strings.Join(d.m.transcript.Unfolded().View(), "\n")),
			rows[len(rows)-1]
	}
	drive(t, 100, 80, options, func(d *driver) {
		d.typeText("One?\n").wait(3 * second)
		d.press("esc").wait(second)
		d.typeText("Two?\n").wait(2 * second)
		d.press("n").wait(second)
		for _, question := range []string{"Three?\n", "Four?\n", "Five?\n", "Six?\n", "Seven?\n"} {
			d.typeText(question).wait(second / 2)
		}
		d.press("esc").wait(second)
		d.sees(
			callRow("✓ Read File     3  · done", "repaired · 1s", 100)+
				"\n\nHalf\n\n▓▓▓═══════  ■ Stopped by you · 1 tool · about 1 tok · 3s",
			callRow("– Delete File   b", "denied", 100)+"\n\n■ Stopped: Delete File was refused · 1 tool · 2s",
			"[Unable to complete task: 1 tool round used (limits.iterations = 1)]\n/continue goes on\n"+
				"■ Stopped · 1 tool, 1 failed · ",
			"■ Stopped: the model says that it cannot do this · ",
			"Some\n\n✗ The server went away. Start it again.\n"+
				"  /continue goes on · /retry asks again · /model changes the model\n\n✗ Failed · about 1 tok",
			"Half a list\n\nThe model server's limit of 1 token is reached. Ask for a shorter answer.\n"+
				"/continue goes on\n■ Stopped · 1 tok",
			callRow("– Read File     c", "stopped", 100)+"\n\n■ Stopped by you · 1 tool · ",
			"/continue goes on")
		folded, unfolded, footer = look(d)
	})
	r.Close()

	again, conv, err := store.Resume("")
	if err != nil {
		t.Fatal(err)
	}
	defer again.Close()
	options.Conversation, options.Recorder = conv, again
	drive(t, 100, 80, options, func(d *driver) {
		f, u, foot := look(d)
		if f != folded {
			t.Errorf("folded there is\n%s\nand was\n%s", f, folded)
		}
		if u != unfolded {
			t.Errorf("unfolded there is\n%s\nand was\n%s", u, unfolded)
		}
		if foot != footer {
			t.Errorf("the footer is %q and was %q", foot, footer)
		}
	})
}
