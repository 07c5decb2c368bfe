package ui

import (
	"io/fs"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aloudchat/aloud/provider"
	"github.com/aloudchat/aloud/provider/loop"
	"github.com/aloudchat/aloud/provider/providertest"
	"github.com/aloudchat/aloud/session/live"
)

// The name of a folder in the root folder is a question, not a command with a mistake.
func TestFolderAloneIsMessage(t *testing.T) {
	entries, err := os.ReadDir("/")
	i := slices.IndexFunc(entries, fs.DirEntry.IsDir)
	if err != nil || i < 0 {
		t.Fatal(i, err)
	}
	folder := "/" + entries[i].Name()
	model := &providertest.Script{
		Models:  []provider.Info{{Name: "test:8b", Context: 32768, Known: true}},
		Replies: []providertest.Reply{{{Text: "Fine."}}, {{Text: "Great."}}},
	}
	drive(t, 80, 24, Options{Parts: live.Parts{Chat: loop.Chat{Model: model, Name: "test:8b"}}}, func(d *driver) {
		d.typeText(folder + "\n").wait(time.Second)
		d.sees("Fine.")
		d.typeText(strings.ToUpper(folder) + ", what is in it?\n").wait(time.Second)
		d.sees("Great.")
		d.typeText("/no-such-folder\n").wait(time.Second)
		d.sees("Unknown command /no-such-folder: type / to list all", "· enter sends it", "› /no-such-folder")
	})
}

func TestUnknownCommandOnNarrowScreenSaysWhatEnterDoes(t *testing.T) {
	drive(t, 40, 15, with(says()), func(d *driver) {
		d.typeText("/nonsense\n").wait(100 * time.Millisecond)
		d.sees("Unknown command /n… · enter sends it")
	})
}

func TestUnknownCommandIsSentAsMessageBySecondEnter(t *testing.T) {
	for text, doubt := range map[string]string{
		"/quti":               "Unknown command /quti: did you mean /quit?",
		"/retyr":              "Unknown command /retyr: did you mean /retry?",
		"/clear the table":    "/clear takes no words",
		"/think hard about x": "Usage: /think auto|on|off | low|medium|high",
		"/model is broken":    "Usage: /model [name]",
		"/copy that for me":   "Usage: /copy [code [N]|tape]",
	} {
		model := says(chunks(0, "Fine."))
		drive(t, 100, 24, with(model), func(d *driver) {
			d.typeText(text + "\n").wait(100 * time.Millisecond)
			d.sees(doubt+" · enter sends it", "› "+text)
			d.wait(5 * time.Second)
			d.sees("enter sends")
			d.typeText("!").press("backspace", "enter").wait(100 * time.Millisecond)
			d.sees(doubt)
			d.press("enter").wait(time.Second)
			d.sees("▌ "+text, "Fine.")
			if asked := model.Requests(); len(asked) != 1 {
				t.Errorf("the model was asked %d times", len(asked))
			}
		})
	}
}

func TestUnknownCommandIsQueuedAsMessage(t *testing.T) {
	drive(t, 80, 24, with(says(blocked("Half"), chunks(0, "Fine."))), func(d *driver) {
		d.typeText("Go\n").wait(time.Second)
		d.typeText("/quti\n").press("enter").wait(time.Second)
		d.sees("Queued: /quti")
		d.press("esc").wait(time.Second)
		d.press("enter").wait(100 * time.Millisecond) // it is in the composer again
		d.sees("did you mean /quit?")
		d.press("enter").wait(time.Second)
		d.sees("▌ /quti", "Fine.")
	})
}

func TestPrefixCompletesCommandThatChangesConversation(t *testing.T) {
	drive(t, 80, 24, with(says(chunks(0, "Hello."))), func(d *driver) {
		d.typeText("Hi\n").wait(time.Second)
		for _, prefix := range []string{"/cl", "/com", "/ret"} {
			d.typeText(prefix + "\n").wait(time.Second)
			d.sees("▌ Hi", "Hello.", "› "+prefix)
			d.clear()
		}
		d.typeText("/cl\n").press("enter").wait(time.Second)
		d.seesNot("Hello.")
		d.typeText("/help\n")
		d.sees("Ask and stop")
	})
}

func TestThinkOnUnsupported(t *testing.T) {
	model := &providertest.Script{
		Models:  []provider.Info{{Name: "test:8b", Context: 32768, Known: true}},
		Replies: []providertest.Reply{{{Text: "Fine."}}},
	}
	drive(t, 80, 24, Options{Parts: live.Parts{Chat: loop.Chat{Model: model, Name: "test:8b"}}}, func(d *driver) {
		d.typeText("/think on\n")
		d.sees("Thinking: on")
		d.typeText("How are you?\n").wait(time.Second)
		d.sees("test:8b cannot think and answers without thinking", "Fine.")
		if asked := model.Requests(); len(asked) != 1 || asked[0].Think == provider.ThinkOn {
			t.Errorf("it was asked %+v", asked)
		}
	})
}
