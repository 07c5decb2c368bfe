package ui

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/aloudchat/aloud/mcpclient"
	"github.com/aloudchat/aloud/mcpclient/servers"
	"github.com/aloudchat/aloud/provider"
	"github.com/aloudchat/aloud/provider/event"
	"github.com/aloudchat/aloud/provider/providertest"
	"github.com/aloudchat/aloud/session"
)

const second = time.Second

func TestAsk(t *testing.T) {
	for _, width := range []int{40, 80} {
		t.Run(fmt.Sprint(width), func(t *testing.T) {
			model := says(chunks(100*time.Millisecond, "The answer ", "is **42**", ".\n\nAsk ", "another."))
			board := &servers.Board{}
			board.Set(mcpclient.ServerStatus{Name: "files", State: mcpclient.ServerReady, Tools: 2})
			board.Set(mcpclient.ServerStatus{Name: "github", State: mcpclient.ServerFailed,
				Detail: "The program \"npx\" was not found."})
			o := with(model)
			o.Board = board
			drive(t, width, 16, o, func(d *driver) {
				d.golden(fmt.Sprintf("welcome-%d", width))
				d.typeText("What is it?\n").wait(250 * time.Millisecond)
				d.sees("The answer", "Formulating respon")
				d.golden(fmt.Sprintf("answering-%d", width))
				d.wait(second)
				d.seesNot("Formulating")
				d.golden(fmt.Sprintf("answered-%d", width))
			})
		})
	}
}

func TestApproval(t *testing.T) {
	arguments := "{\"path\":\"notes.txt\U000e0172\U000e016d\",\"why\":\"w\u00adord\u200b \u3164 Z" +
		strings.Repeat("\u0301", 9) + "\"}"
	for name, story := range map[string]func(d *driver){
		"once": func(d *driver) {
			d.press("enter", "enter").wait(2 * second) // does not approve
			d.sees("Allow this call?", "Reason: ")
			d.press("esc", "y").wait(2 * second)
			d.sees("It is gone.", "✓ Delete File")
			d.seesNot("Allow this call?")
		},
		"no": func(d *driver) {
			d.send(tea.PasteMsg{Content: "y"}) // goes to the draft
			d.wait(second)
			d.press("n").wait(second)
			d.sees("Stopped", "› y")
			d.seesNot("It is gone.")
		},
		"esc": func(d *driver) {
			d.press("esc").wait(second)
			d.sees("Stopped", "/continue goes on")
			d.seesNot("It is gone.")
		},
		"ctrl+c": func(d *driver) {
			d.press("ctrl+c").wait(second)
			d.seesNot("Allow this call?")
			d.sees("■ Stopped by you · ")
		},
		"deny with a reason": func(d *driver) {
			d.press("r").wait(second)
			d.typeText("keep it")
			d.sees("Reason: keep it")
			d.press("enter").wait(second)
			d.sees("It is gone.")
			messages := d.m.talk.chat.Conversation().Messages()
			if tool := messages[2]; tool.Role != provider.RoleTool || !strings.Contains(tool.Text, "keep it") {
				t.Errorf("the model received %+v", tool)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			drive(t, 80, 24, with(says(calls("files__delete_file", arguments), chunks(0, "It is gone."))), func(d *driver) {
				d.typeText("Delete it\n").wait(2 * second)
				d.sees("Allow this call?", "Delete File", "delete_file of files", "Waiting for your approval",
					`path: notes.txt\U000e0172\U000e016d`, `w\u00adord\u200b \u3164 Z`, `\u0301`) // nothing is hidden
				story(d)
			})
		})
	}
}

func TestApprovalOpensWhileTyping(t *testing.T) {
	deletes := append(providertest.Reply{{Wait: second}}, calls("files__delete_file", `{"path":"notes.txt"}`)...)
	model := says(deletes, deletes, chunks(0, "It is gone."))
	drive(t, 80, 24, with(model), func(d *driver) {
		d.typeText("Delete it\n")
		for range 15 { // the question appears while you type
			d.typeText("yes ").wait(100 * time.Millisecond)
		}
		d.sees("Allow this call?")
		if got := d.m.prompt.Value(); got != strings.Repeat("yes ", 15) {
			t.Errorf("the draft is %q", got)
		}
		d.press("ctrl+c") // stops
		d.wait(5 * second)
		d.press("ctrl+c") // clears the draft
		d.typeText("Delete it\n").wait(2 * second)
		d.sees("Allow this call?")
		d.typeText("/servers\n") // in which s is not an answer
		d.sees("Allow this call?")
		d.wait(second)
		d.press("y").wait(2 * second)
		d.sees("It is gone.", "› /servers")
	})
}

func TestQueue(t *testing.T) {
	model := says(chunks(second, "One."), chunks(second, "Two."))
	drive(t, 80, 20, with(model), func(d *driver) {
		d.typeText("First?\n/model other:1b\nSecond?\nThird?\n")
		d.sees("Queued: /model other:1b", "Queued: Second?", "Queued: Third?")
		d.press("backspace")
		if got := d.m.prompt.Value(); got != "Third?" {
			t.Errorf("taken back was %q", got)
		}
		d.press("ctrl+c")
		d.typeText("/tools\n").wait(3 * second)
		d.sees("Queued: Second?", "2 tools") // the queue continues when the dialog closes
		d.press("esc").wait(2 * second)
		d.sees("Two.")
		d.seesNot("↳")
		if asked := model.Requests(); asked[0].Model != "test:8b" || asked[1].Model != "other:1b" {
			t.Errorf("asked were %q and %q", asked[0].Model, asked[1].Model)
		}
	})
}

func TestStopKeepsPartialAnswer(t *testing.T) {
	model := says(append(chunks(100*time.Millisecond, "Half an answer"), providertest.Step{Block: true}),
		chunks(0, "the rest"))
	drive(t, 80, 20, with(model), func(d *driver) {
		d.typeText("Go\n").wait(second)
		d.typeText("Next\n")
		d.press("esc").wait(second)
		d.sees("Half an answer\n\n■ Stopped by you · about 1 tok · 1s", "Queued: Next")
		if n := strings.Count(d.screen(), "topped"); n != 1 {
			t.Errorf("the stop is shown %d times:\n%s", n, d.screen())
		}
		d.press("up", "ctrl+c") // removes it
		d.typeText("/continue\n").wait(second)
		d.sees("the rest")
	})
}

func TestContinueAfterError(t *testing.T) {
	model := says(
		providertest.Reply{{Text: "Some"}, {Err: &provider.Error{Kind: provider.KindFailed, Text: "the server went away",
			Hint: "start it again"}}},
		chunks(0, "Here I am."),
	)
	drive(t, 80, 20, with(model), func(d *driver) {
		d.typeText("Go\n").wait(second)
		d.sees("Some", "✗ The server went away. Start it again.\n    /continue goes on · /retry asks again", "✗ Failed · ")
		if n := strings.Count(d.screen(), "/continue"); n != 1 {
			t.Errorf("/continue is offered %d times", n)
		}
		d.typeText("/retry\n").wait(second)
		d.sees("Here I am.")
		d.seesNot("Some", "went away")
		if n := d.m.talk.chat.Conversation().Len(); n != 2 {
			t.Errorf("the conversation has %d messages", n)
		}
	})
}

func TestPanicInTurn(t *testing.T) {
	drive(t, 80, 20, with(says()), func(d *driver) {
		breaks := func(context.Context) event.Events {
			return func(func(event.Event, error) bool) { panic("a fault") }
		}
		d.exec(d.m.begin(breaks))
		d.wait(second)
		d.sees("Internal error, please report it")
		if d.m.talk.busy() {
			t.Error("the turn still runs")
		}
	})
}

func TestCommands(t *testing.T) {
	o := with(says(chunks(0, "One."), chunks(0, "Two.")))
	board := &servers.Board{}
	o.Board = board
	board.Set(mcpclient.ServerStatus{Name: "github", State: mcpclient.ServerFailed, Detail: "It ended.",
		Stderr: []string{"npx: \x1b[2Jnot found"}})
	drive(t, 80, 30, o, func(d *driver) {
		d.typeText("/")
		d.sees("/help", "show commands and keys", "/model")
		d.typeText("se")
		d.seesNot("/help")
		d.press("tab", "enter")
		d.sees("Servers", "github", "It ended.")
		d.press("esc")
		d.typeText("/tools\n")
		d.sees("✓ files", "✓ Read File")
		d.press("down", "down", " ", "esc")
		if tools := o.Tools.(*toolbox); !tools.off["files__delete_file"] || tools.off["files__read_file"] {
			t.Errorf("off are %v", tools.off)
		}
		d.typeText("/systme\n")
		d.sees("Unknown command /systme: did you mean /system?")
		d.press("ctrl+c")
		d.typeText("/think off\n")
		d.typeText("/think on\n")
		d.sees("Thinking: on")
		d.typeText("/think off\n")
		d.typeText("/system Be short.\n")
		if c := d.m.talk.chat.Settings(); c.Think != provider.ThinkOff || c.System != "Be short." {
			t.Errorf("the chat is %+v", c)
		}
		d.typeText("Hello\n").wait(second)
		d.sees("One.")
		d.typeText("/clear\n")
		d.seesNot("One.")
		if d.m.talk.chat.Conversation().Len() != 0 {
			t.Error("the conversation was not cleared")
		}
		d.typeText("/etc/hosts is a file?\n").wait(second)
		d.sees("Two.")
		d.typeText("/help\n")
		d.sees("Ask and stop", "enter ")
		d.press("end")
		d.sees("/theme [name]")
		d.press("ctrl+c")
		d.seesNot("/theme [name]")
	})
}

func TestModels(t *testing.T) {
	model := says(chunks(0, "Hello."))
	model.Models = []provider.Info{{Name: "small:1b", Tools: true, Size: 1.2e9},
		{Name: "big:70b", Thinking: true, Size: 40e9}}
	o := with(model)
	o.Chat.Name = "small:1b"
	var used string
	o.UseModel = func(name string) error { used = name; return errors.New("the disk is full") }
	drive(t, 80, 24, o, func(d *driver) {
		d.sees("small:1b")
		d.typeText("/model\n").wait(second)
		d.golden("models-80")
		d.typeText("big")
		d.press("enter").wait(second)
		if d.m.talk.chat.Settings().Name != "big:70b" || used != "big:70b" {
			t.Errorf("the model is %q, remembered %q", d.m.talk.chat.Settings().Name, used)
		}
		d.sees("big:70b", "the disk is full")
		d.typeText("/model new:3b\n").wait(second)
		d.sees("Model not installed", "Download new:3b")
		d.press("enter").wait(second)
		if d.m.talk.chat.Settings().Name != "new:3b" {
			t.Errorf("after fetching the model is %q", d.m.talk.chat.Settings().Name)
		}
	})
}

func TestQueueWaitsForModel(t *testing.T) {
	model := says(chunks(second, "One."), chunks(second, "Two."))
	model.Models = []provider.Info{{Name: "test:8b", Tools: true}, {Name: "big:70b", Tools: true}}
	drive(t, 80, 24, with(model), func(d *driver) {
		d.typeText("First?\n")
		d.typeText("/model gone:1b\n")
		d.typeText("/model\n")
		d.typeText("Second?\n").wait(3 * second)
		d.sees("Model not installed", "Queued: Second?")
		d.press("down", "enter") // another one
		d.wait(second)
		d.sees("Models", "Queued: Second?")
		d.press("esc") // now the queued command runs
		d.wait(second)
		d.sees("Models", "Queued: Second?")
		d.press("down", "enter").wait(3 * second)
		d.sees("Two.")
		if asked := model.Requests(); asked[1].Model != "big:70b" {
			t.Errorf("the second question went to %q", asked[1].Model)
		}
	})
}

func TestContinueInterrupted(t *testing.T) {
	model := says(chunks(0, "Here is the rest."), chunks(0, "Again from the start."))
	o := with(model)
	o.Conversation = o.Conversation.With(
		provider.Message{Role: provider.RoleUser, Text: "Tell me."},
		provider.Message{Role: provider.RoleAssistant, Text: "It begins", Partial: true},
		provider.Message{Role: provider.RoleUser, Text: "Go on from where you stopped."},
		provider.Message{Role: provider.RoleAssistant, Text: "and goes on", Partial: true},
	)
	drive(t, 80, 24, o, func(d *driver) {
		d.sees("▌ Tell me.", "It begins", "and goes on", "/continue goes on")
		d.seesNot("Go on from")
		d.typeText("/continue\n").wait(second)
		d.sees("Here is the rest.")
		d.typeText("/retry\n").wait(second)
		d.sees("▌ Tell me.", "Again from the start.")
		d.seesNot("It begins", "Go on from")
		if asked := model.Requests()[1].Messages; asked[len(asked)-1].Text != "Tell me." {
			t.Errorf("asked again: %q", asked[len(asked)-1].Text)
		}
	})
}

func TestFirstRunWithoutServer(t *testing.T) {
	down := &provider.Error{Kind: provider.KindUnavailable,
		Text: `cannot reach the Ollama server at "http://127.0.0.1:11434"`, Hint: "start it with: ollama serve"}
	model := says(chunks(0, "Hello."))
	model.Down = down
	o := with(model)
	o.StartServer = func(context.Context) error { time.Sleep(second); return errors.New("it is not installed") }
	drive(t, 80, 24, o, func(d *driver) {
		d.wait(second)
		d.golden("first-run-80")
		d.press("enter")
		d.sees("starting Ollama…")
		d.wait(2 * second)
		d.sees("It is not installed.")
		d.press("esc")
		d.typeText("Hi\n") // asks again, and waits
		d.wait(second)
		d.sees("Queued: Hi", "No model server")
		model.Down = nil
		d.press("down", "enter").wait(second) // try again
		d.sees("Hello.", "test:8b")
	})
}

func TestResumeCommandAtExit(t *testing.T) {
	o := with(says(chunks(0, "Hello.")))
	o.Recorder = session.Open(t.TempDir()).New()
	defer o.Recorder.Close()
	drive(t, 80, 20, o, func(d *driver) {
		if back := d.m.talk.saved(); back != "" {
			t.Errorf("an empty conversation is saved: %s", back)
		}
		d.typeText("Hi\n").wait(second)
		if back, want := d.m.talk.saved(), o.Recorder.ID(); back != want {
			t.Errorf("the saved session is %q, not %q", back, want)
		}
	})
}

func TestIdle(t *testing.T) {
	drive(t, 80, 20, with(says(chunks(0, "Hello."))), func(d *driver) {
		d.typeText("Hi\n").wait(5 * second)
		select {
		case msg := <-d.msgs:
			t.Errorf("an idle chat got %#v", msg)
		case <-time.After(time.Hour):
		}
	})
}

func TestApprovalSizes(t *testing.T) {
	for _, c := range []struct {
		width, height     int
		after             time.Duration
		golden, arguments string
	}{
		{80, 24, 2 * second, "approval-80", `{"path":"notes.txt","why":"hidden \u202e text"}`},
		{40, 10, second, "approval-40x10", `{"path":"notes.txt"}`},
		{20, 5, second, "approval-20x5", `{"path":"notes.txt"}`}, {10, 3, second, "approval-10x3", `{"path":"notes.txt"}`},
	} {
		drive(t, c.width, c.height, with(says(calls("files__delete_file", c.arguments), chunks(0, "Gone."))),
			func(d *driver) {
				d.typeText("Delete it\n").wait(c.after)
				d.golden(c.golden)
				for range 9 { // to the end of the call
					d.press("pgdown").wait(second)
				}
				d.press("y").wait(2 * second)
				allowed := d.m.talk.chat.Conversation().Len() == 4
				if readable := c.height >= 5; allowed != readable {
					t.Errorf("%s: the call was allowed: %t, and could be read: %t", c.golden, allowed, readable)
				}
			})
	}
}

// For all sizes and texts, the frame is right, see checkFrame.
func TestFrameFits(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	texts := []string{"plain words that wrap", "日本語のテキスト", "👩‍👩‍👧 family", "`code`", "| a | b |\n|---|---|\n| 1 | 2 |",
		"```\nfunc f() {}\n```", "\x1b[2J\x9b31m"}
	for range 40 {
		width, height := 1+random.IntN(90), 1+random.IntN(30)
		model := says(chunks(50*time.Millisecond, texts[random.IntN(len(texts))], " ", texts[random.IntN(len(texts))]),
			calls("files__delete_file", `{"path":"`+strings.Repeat("very/long/", 30)+`"}`), chunks(0, "Done."))
		drive(t, width, height, with(model), func(d *driver) {
			for _, text := range []string{"Hi 日本語", "\n", "/", "\n", "again\n"} {
				d.typeText(text)
				d.checkFrame()
				d.wait(120 * time.Millisecond)
				d.checkFrame()
				d.send(tea.WindowSizeMsg{Width: 1 + random.IntN(90), Height: 1 + random.IntN(30)})
				d.checkFrame()
				d.press("esc")
			}
			d.wait(2 * second)
			d.checkFrame()
		})
	}
}

func TestPaste(t *testing.T) {
	large := strings.Repeat("A line of the pasted text.\r\n", 4000)
	model := says(chunks(0, "Read."))
	drive(t, 80, 20, with(model), func(d *driver) {
		d.send(tea.PasteMsg{Content: "two\r\nlines "})
		d.send(tea.PasteMsg{Content: large})
		d.typeText(" end")
		d.sees("› two", "lines [Pasted text #1 · 4,000 lines] end")
		d.press("enter").wait(second)
		asked := model.Requests()[0].Messages
		want := "two\nlines " + strings.ReplaceAll(large, "\r\n", "\n") + " end"
		if got := asked[len(asked)-1].Text; got != want {
			t.Errorf("asked were %d bytes instead of %d: %.60q", len(got), len(want), got)
		}
		d.send(tea.PasteMsg{Content: large})
		d.press("backspace")
		if !d.m.prompt.Empty() {
			t.Errorf("backspace left %q", d.m.prompt.Value())
		}
	})
}

func TestHistory(t *testing.T) {
	file := filepath.Join(t.TempDir(), "state", "history")
	for run := range 2 {
		o := with(says(chunks(0, "One."), chunks(0, "Two.")))
		o.History = file
		drive(t, 80, 20, o, func(d *driver) {
			if run == 0 {
				d.typeText("first\n").wait(second)
				d.typeText("second")
				d.press("ctrl+j")
				d.typeText("line\n").wait(second)
				d.typeText("/think off\n")
				return
			}
			d.typeText("draft")
			for _, step := range []struct{ key, draft string }{
				{"up", "/think off"}, {"up", "second\nline"}, {"up", "second\nline"}, {"up", "first"}, {"up", "first"},
				{"down", "second\nline"}, {"down", "/think off"}, {"down", "draft"},
			} {
				d.press(step.key)
				if got := d.m.prompt.Value(); got != step.draft {
					t.Errorf("after %s the draft is %q, not %q", step.key, got, step.draft)
				}
			}
		})
	}
	info, err := os.Stat(file)
	if err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
		t.Errorf("the file has mode %v, %v", info.Mode(), err)
	}
}
