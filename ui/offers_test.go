package ui

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/aloudchat/aloud/mcpclient"
	"github.com/aloudchat/aloud/mcpclient/servers"
	"github.com/aloudchat/aloud/provider"
)

// fair has the prompts and resources of two servers. Requests take a while.
type fair struct {
	prompts   []mcpclient.Prompt
	resources []mcpclient.Resource
	texts     map[string]string
	said      []mcpclient.PromptMessage
	asked     map[string]string // arguments of the prompt
	starts    time.Duration     // until the servers are ready
	takes     time.Duration     // duration of a request; 0 means a second
}

func newFair() *fair {
	return &fair{
		prompts: []mcpclient.Prompt{
			{Server: "all", Name: "greet", Title: "Greeting"},
			{Server: "all", Name: "promote", Title: "Team", Description: "Promotes somebody.",
				Arguments: []mcpclient.PromptArgument{
					{Name: "department", Description: "Choose the department.", Required: true},
					{Name: "name", Title: "Who", Required: true}, {Name: "why"}}},
		},
		resources: []mcpclient.Resource{
			{Server: "all", URI: "demo://note.txt", Name: "note", Title: "A note"},
			{Server: "all", URI: "demo://day/{n}", Title: "Days", Template: true},
			{Server: "files", URI: "file:///big.txt"},
		},
		texts: map[string]string{"demo://note.txt": "buy milk\nand bread", "demo://day/mon": "monday",
			"file:///big.txt": strings.Repeat("line\n", 1_000_000)},
		said: []mcpclient.PromptMessage{{Role: "user", Text: "Promote Bob\x1b]0;owned\x07, please."},
			{Role: "assistant", Text: "Why him?"},
			{Role: "user", Text: "He is good."}},
	}
}

func (f *fair) Servers() []string { return nil }

func (f *fair) Offering(ctx context.Context, server string) error {
	if server != "all" && server != "files" {
		return mcpclient.ErrNoServer
	}
	if f.starts > 0 {
		starts := f.starts
		f.starts = 0
		return f.wait(ctx, starts)
	}
	return nil
}

func (f *fair) Prompts() []mcpclient.Prompt {
	if f.starts > 0 {
		return nil
	}
	return f.prompts
}

func (f *fair) Resources() []mcpclient.Resource { return f.resources }
func (f *fair) wait(ctx context.Context, d time.Duration) error {
	if d == time.Second {
		d = cmp.Or(f.takes, d)
	}
	select {
	case <-time.After(d):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (f *fair) Prompt(ctx context.Context, _, _ string, arguments map[string]string) (
	[]mcpclient.PromptMessage, error) {
	f.asked = arguments
	if arguments["why"] == "none" {
		return nil, errors.New(`server "all" returned no prompt: no reason`)
	}
	return f.said, f.wait(ctx, time.Second)
}

func (f *fair) Read(ctx context.Context, _, uri string) (mcpclient.Contents, error) {
	text, ok := f.texts[uri]
	if !ok {
		return mcpclient.Contents{}, cmp.Or(f.wait(ctx, 100*time.Millisecond), errors.New("there is none"))
	}
	return mcpclient.Contents{Text: text}, f.wait(ctx, time.Second)
}

// at returns the options of a chat with the fair.
func at(f *fair, model provider.Model) Options {
	o := with(model)
	o.Offers, o.Board = f, &servers.Board{}
	return o
}

func TestPrompt(t *testing.T) {
	f, model := newFair(), says(chunks(0, "Done."))
	drive(t, 80, 24, at(f, model), func(d *driver) {
		d.typeText("/all:pr")
		d.sees("/all:promote department=… name=… [why=…]  Team: Promotes somebody.")
		d.press("enter").wait(100 * time.Millisecond)
		d.golden("prompt-argument")
		d.press("enter")
		d.press("enter", "enter")
		d.sees("› department *", "this field is required")
		d.typeText("Support").press("enter")
		d.sees("department *  Support", "› name *", "Who")
		d.typeText("Bob").press("enter")
		d.sees("› why")
		d.press("enter").wait(200 * time.Millisecond)
		d.sees("Reading /all:promote… · 0s · esc stops")
		d.wait(900 * time.Millisecond)
		d.golden("prompt-preview")
		if got := fmt.Sprint(f.asked); got != "map[department:Support name:Bob]" {
			t.Errorf("asked with %s", got)
		}
		d.wait(time.Second)
		d.press("enter").wait(time.Second)
		d.sees("/all:promote\n▌ Promote Bob]0;owned, please.", "/all:promote, as the model\n▌ Why him?", "Done.")
		if n := len(model.Requests()); n != 1 {
			t.Fatalf("%d requests", n)
		}
		var roles []string
		for _, m := range model.Requests()[0].Messages[1:] {
			roles = append(roles, string(m.Role))
		}
		if got := strings.Join(roles, " "); got != "user assistant user" {
			t.Errorf("sent %s", got)
		}
	})
}

func TestCancelPromptKeepsDraft(t *testing.T) {
	f := newFair()
	drive(t, 80, 24, at(f, says()), func(d *driver) {
		d.typeText("/all:promote\nSales\nBo")
		d.press("shift+tab").wait(100 * time.Millisecond)
		d.sees("› department *  Sales▏", "name *        Bo")
		d.press("enter")
		d.sees("› name *        Bo▏")
		d.typeText("b\n\n").wait(2 * time.Second)
		if got := fmt.Sprint(f.asked); got != "map[department:Sales name:Bob]" {
			t.Errorf("asked with %s", got)
		}
	})
}

func TestPromptCancelledOrEdited(t *testing.T) {
	f := newFair()
	drive(t, 80, 24, at(f, says()), func(d *driver) {
		d.typeText("/all:promote\n")
		d.sees("› department *")
		d.press("esc")
		d.sees("› /all:promote")
		d.clear()
		d.typeText("/all:promote department=Sales name=\"Bob B\"\n")
		d.press("esc").wait(100 * time.Millisecond)
		d.sees("› /all:promote department=Sales")
		d.press("enter").wait(2 * time.Second)
		d.sees("3 messages", "e to edit")
		d.press("e").wait(time.Second)
		d.sees("› Promote Bob]0;owned, please.", "He is good.")
		if got := fmt.Sprint(f.asked); got != "map[department:Sales name:Bob B]" {
			t.Errorf("asked with %s", got)
		}
	})
}

func TestUnknownPromptIsSentAsMessageBySecondEnter(t *testing.T) {
	for text, doubt := range map[string]string{
		"/all:nothing":    `Server "all" has no prompt "nothing". Its prompts: greet, promote`,
		"/nobody:welcome": "Unknown command /nobody:welcome: type / to list all commands",
		"/alk:greet":      "Unknown command /alk:greet: did you mean /all:greet?",
	} {
		model := says(chunks(0, "Fine."))
		drive(t, 100, 24, at(newFair(), model), func(d *driver) {
			d.typeText(text + "\n").wait(time.Second)
			d.sees(doubt+" · enter sends it", "› "+text)
			d.press("enter").wait(time.Second)
			d.sees("▌ "+text, "Fine.")
			if asked := model.Requests(); len(asked) != 1 {
				t.Errorf("the model was asked %d times", len(asked))
			}
		})
	}
}

func TestPromptOrResourceFails(t *testing.T) {
	for text, said := range map[string]string{
		"/all:promote department=a name=b why=none": `! Server "all" returned no prompt: no reason.`,
		"/all:promote where=x":                      `! Prompt /all:promote has no argument "where"`,
		"see @files:file:///gone":                   "! Cannot attach @files:file:///gone: there is none.",
	} {
		drive(t, 80, 24, at(newFair(), says()), func(d *driver) {
			d.typeText(text + "\n").wait(time.Second)
			d.sees(said, "› "+text)
		})
	}
	drive(t, 80, 24, at(newFair(), says(chunks(0, "Long."))), func(d *driver) {
		d.typeText("see @files:file:///big.txt now\n").wait(200 * time.Millisecond)
		d.sees("Reading @files:file:///big.txt…")
		d.press("esc").wait(100 * time.Millisecond)
		d.sees("› see @files:file:///big.txt now")
		d.seesNot("Reading @", "1.4M")
		d.press("enter").wait(2 * time.Second)
		d.sees("has about 1.4M tokens, but only 13", "are left out", "tok · truncated")
	})
}

func TestPromptWhileServerStarts(t *testing.T) {
	f := newFair()
	f.starts = 20 * time.Second
	drive(t, 80, 24, at(f, says()), func(d *driver) {
		d.typeText("/all:promote name=Bob\nbecause of @all:demo://note.txt\n").wait(10 * time.Second)
		d.sees("Reading /all:promote… · 10s · esc stops")
		d.typeText("and more")
		d.sees("enter queues")
		d.wait(11 * time.Second)
		d.sees("/all:promote", "› department *")
	})
}

func TestCompletionsNarrow(t *testing.T) {
	drive(t, 40, 20, at(newFair(), says()), func(d *driver) {
		d.typeText("/all:promote\n").wait(100 * time.Millisecond)
		d.sees("── /all:promote ─", "enter to continue · esc to cancel")
		d.press("esc").wait(time.Second)
		d.clear()
		d.typeText("/all:greet\n").wait(2 * time.Second)
		d.sees("── /all:greet · 3 messages · about", "enter to send", "esc to cancel")
	})
}

func TestAttachResource(t *testing.T) {
	f, model := newFair(), says(chunks(0, "Milk."), chunks(0, "Milk."))
	o := at(f, model)
	o.Board.(*servers.Board).Set(mcpclient.ServerStatus{Name: "all", State: mcpclient.ServerReady})
	drive(t, 80, 24, o, func(d *driver) {
		d.typeText("what is in @")
		d.sees("@all:demo://note.txt    A note", "@all:demo://day/{n}     Days", "@files:file:///big.txt",
			"1 of 3 · tab completes")
		d.typeText("note")
		d.sees("@all:demo://note.txt", "A note")
		d.press("enter")
		d.sees("› what is in @all:demo://note.txt")
		d.typeText("?\n").wait(200 * time.Millisecond)
		d.sees("Reading @all:demo://note.txt… · 0s · esc stops")
		d.wait(2 * time.Second)
		d.sees("▌ what is in @all:demo://note.txt?\n▌ @all:demo://note.txt · about 37 tok", "Milk.")
		d.seesNot("bread", "Reading @")
		d.press("ctrl+o")
		d.sees("▌   buy milk\n▌   and bread")
		d.press("ctrl+o")
		f.texts["demo://note.txt"] = "something else"
		d.typeText("/retry\n").wait(2 * time.Second)
		if again := model.Requests()[1].Messages[1].Text; again != model.Requests()[0].Messages[1].Text {
			t.Errorf("asked again: %q", again)
		}
		if sent := model.Requests()[0].Messages[1].Text; !strings.Contains(sent, "buy milk\nand bread") {
			t.Errorf("the model read %q", sent)
		}
	})
}

func TestResourceTemplate(t *testing.T) {
	f, model := newFair(), says(chunks(0, "Fine."))
	drive(t, 80, 24, at(f, model), func(d *driver) {
		d.typeText("see @all:da")
		d.sees("@all:demo://day/{n}  Days")
		d.press("tab")
		d.sees("› see @all:demo://day/{n}")
		d.press("backspace", "backspace", "backspace")
		d.typeText("mon now\n").wait(2 * time.Second)
		d.sees("see @all:demo://day/mon now", "@all:demo://day/mon · ", "Fine.")
	})
}

func TestPasteAttachesNothing(t *testing.T) {
	log := strings.Repeat("log\n", 100) + "read @all:demo://note.txt\n"
	model := says(chunks(0, "Fine."), chunks(0, "Fine."), chunks(0, "Fine."))
	drive(t, 80, 24, at(newFair(), model), func(d *driver) {
		d.send(tea.PasteMsg{Content: log})
		d.press("enter").wait(2 * time.Second)
		d.press("up")
		d.sees("› [Pasted text #1 · 101 lines]")
		d.press("enter").wait(2 * time.Second)
		d.typeText("see @all:demo://note.txt and ")
		d.send(tea.PasteMsg{Content: log})
		d.press("enter").wait(2 * time.Second)
		for i, want := range []int{0, 0, 1} {
			messages := model.Requests()[i].Messages
			if m := messages[len(messages)-1]; strings.Count(m.Text, "Attached: ") != want ||
				!strings.Contains(m.Text, "read @all:demo://note.txt") {
				t.Errorf("%d were read: %q", want, m.Text)
			}
		}
	})
}

// Only a typed @ attaches: a server could name any file of the folder.
func TestEditedPromptAttachesNothing(t *testing.T) {
	f, model := newFair(), says(chunks(0, "Fine."))
	o, _ := inFolder(t, model, map[string]string{})
	o.Offers = f
	long := strings.Repeat("A line that the server wrote.\n", 100) + "See @all:demo://note.txt and @todo.md"
	f.said = []mcpclient.PromptMessage{{Role: "user", Text: long}}
	drive(t, 80, 24, o, func(d *driver) {
		d.typeText("/all:greet\n").wait(2 * time.Second)
		d.press("e").wait(time.Second)
		d.sees("A line that the server wrote.", "See [Pasted text #1 · 20 characters] and [Pasted text #2 · 8 characters]")
		d.typeText(", please.\n").wait(2 * time.Second)
		if got := sent(t, model); got != long+", please." {
			t.Errorf("sent %q", got)
		}
	})
}

func TestTypingWhileAttaching(t *testing.T) {
	drive(t, 80, 24, at(newFair(), says()), func(d *driver) {
		d.typeText("/all:greet\n")
		d.typeText("and this").wait(2 * time.Second)
		d.press("e").wait(time.Second)
		d.sees("› Promote Bob]0;owned, please.\n\n  He is good.\n\n  and this")
		d.clear()
		d.typeText("/all:greet\n")
		d.typeText("only this").wait(2 * time.Second)
		d.press("esc")
		d.sees("› only this")
		d.clear()
		d.typeText("see @files:file:///gone\n")
		d.typeText("second\n")
		d.typeText("third").wait(time.Second)
		d.sees("Queued: second", "› see @files:file:///gone\n\n  third")
		if in := d.m.prompt.Take(); in.Text != "see @files:file:///gone\n\nthird" {
			t.Errorf("%q", in.Text)
		}
	})
}

func TestSlowAttachmentInStatusRow(t *testing.T) {
	f := newFair()
	f.takes = time.Minute
	o := at(f, says(chunks(0, "Milk.")))
	o.Title = true
	drive(t, 80, 24, o, func(d *driver) {
		d.typeText("compare @all:demo://note.txt with @files:file:///big.txt\n").wait(45 * time.Second)
		d.sees("Reading @all:demo://note.txt + 1… · 45s · esc stops")
		if title := d.m.title(); !strings.HasPrefix(title, "aloud · working") {
			t.Errorf("the window is called %q", title)
		}
		d.typeText("and then?\n")
		d.press("enter")
		d.typeText("/retry\n").wait(time.Second)
		d.sees("· 46s", "Queued: and then?", "Queued: /retry")
		d.press("esc")
		d.sees("› compare @all:demo://note.txt with", "Queued: and then?", "Queued: /retry")
		d.seesNot("Reading")
	})
}

func TestQueuedAttachments(t *testing.T) {
	model := says(chunks(3*time.Second, "One."), chunks(0, "Two."), chunks(0, "Three."))
	drive(t, 80, 24, at(newFair(), model), func(d *driver) {
		d.typeText("first\n")
		d.typeText("and @all:demo://note.txt now\n")
		d.typeText("/all:greet\n")
		d.sees("Queued: and @all:demo://note.txt now", "Queued: /all:greet")
		d.wait(5 * time.Second)
		d.sees("Two.", "/all:greet · 3 messages")
		d.wait(time.Second)
		d.press("enter").wait(2 * time.Second)
		d.sees("Three.")
	})
}

func TestLoadAttachments(t *testing.T) {
	o := at(newFair(), says())
	o.Conversation = provider.Conversation{}.With(
		provider.Message{Role: provider.RoleUser, Text: "see it",
			Attached: []provider.Attachment{{Server: "all", URI: "demo://note.txt", Text: "buy milk", Images: 2}}},
		provider.Message{Role: provider.RoleAssistant, Text: "As it says.", From: "/all:greet"},
		provider.Message{Role: provider.RoleUser, Text: "So?"}, provider.Message{Role: provider.RoleAssistant, Text: "Fine."})
	drive(t, 40, 24, o, func(d *driver) {
		d.sees("▌ see it\n▌ @all:….txt · about 1.6k tok · 2 images", "/all:greet, as the model\n▌ As it says.", "Fine.")
	})
}

func TestHostileCompletions(t *testing.T) {
	f := newFair()
	for i := range 100_000 {
		f.resources = append(f.resources, mcpclient.Resource{Server: "all", URI: fmt.Sprint("demo://", i),
			Title: "\x1b[31mred\n\u202e" + strings.Repeat("x", 200)})
	}
	for i := range 10_000 {
		f.prompts = append(f.prompts, mcpclient.Prompt{Server: "all", Name: fmt.Sprint("p", i),
			Description: "\x1b]52;c;aGk=\x07" + strings.Repeat("y", 2000)})
	}
	f.said = []mcpclient.PromptMessage{{Role: "user", Text: strings.Repeat("\x1b[2J\u202e\r", 10_000)}}
	for _, size := range [][2]int{{1, 1}, {20, 5}, {40, 10}, {200, 50}} {
		drive(t, size[0], size[1], at(f, says()), func(d *driver) {
			check := func() {
				d.t.Helper()
				if strings.ContainsAny(d.screen(), "\x1b\u202e\r\x07") {
					d.t.Errorf("%v shows what a terminal obeys: %q", size, d.screen())
				}
			}
			d.typeText("@")
			check()
			d.typeText("all:9999")
			check()
			d.clear()
			d.typeText("/all:p999")
			check()
			d.press("tab", "enter").wait(2 * time.Second)
			check()
			d.press("esc", "ctrl+c").wait(5 * time.Second)
			d.typeText("/all:promote\n").wait(time.Second)
			check()
		})
	}
}
