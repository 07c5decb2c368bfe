package ui

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/aloudchat/aloud/mcpclient"
	"github.com/aloudchat/aloud/mcpclient/elicit"
	"github.com/aloudchat/aloud/provider"
)

// allKinds has a field of each kind.
const allKinds = `{"type":"object","required":["name","size"],"properties":{
	"name":    {"type":"string","title":"Your name","description":"As it stands on your passport","minLength":2},
	"mail":    {"type":"string","format":"email"},
	"age":     {"type":"integer","minimum":0,"maximum":150,"default":42},
	"agree":   {"type":"boolean","title":"May we write to you?"},
	"size":    {"type":"string","enum":["s","m","l"],"enumNames":["Small","Medium","Large"]},
	"colours": {"type":"array","title":"Colours","items":{"type":"string","enum":["red","green","blue"]},"default":["red"]}
}}`

// askedBy is a chat in which the model calls a tool that asks for input, at the first question.
func askedBy(ask func(ctx context.Context, d *elicit.Inbox) string) Options {
	o := with(says(calls("files__read_file", "{}"), chunks(0, "That was it.")))
	in := elicit.NewInbox(true)
	o.Tools.(*toolbox).answer = func(ctx context.Context) (mcpclient.Result, error) {
		return mcpclient.Result{Text: ask(ctx, in)}, nil
	}
	o.Chat.Asker, o.Inbox = in, in
	o.Title = true
	return o
}

// asked is a story that begins when a tool has asked for input.
func asked(t *testing.T, width, height int, ask func(context.Context, *elicit.Inbox) string, story func(d *driver)) {
	t.Helper()
	drive(t, width, height, askedBy(ask), func(d *driver) {
		d.typeText("go\n").wait(time.Second)
		story(d)
	})
}

// elicits asks with a form.
func elicits(message, schema string) func(context.Context, *elicit.Inbox) string {
	return elicitsAs(elicit.Elicitation{Server: "files", Message: message, Schema: json.RawMessage(schema)})
}

func elicitsAs(e elicit.Elicitation) func(context.Context, *elicit.Inbox) string {
	return func(ctx context.Context, d *elicit.Inbox) string {
		got, err := d.Elicit(ctx, e)
		content, _ := json.Marshal(got.Content)
		return fmt.Sprint(got.Action, " ", string(content), " ", err)
	}
}

// answered checks the answer that the server received, as reported by its tool.
func (d *driver) answered(want string) {
	d.t.Helper()
	d.wait(time.Second)
	got := ""
	for _, m := range d.m.talk.chat.Conversation().Messages() {
		if m.Role == provider.RoleTool {
			got = m.Text
		}
	}
	if got != want {
		d.t.Errorf("the server received %s, not %s", got, want)
	}
}

func TestForm(t *testing.T) {
	asked(t, 80, 24, elicits("Who are \x1b[31myou?", allKinds), func(d *driver) {
		d.sees("Server files asks for input", "Who are [31myou?", "› Your name *", "As it stands on your passport",
			"Files asks for input", "Do not enter passwords or keys")
		if title := d.m.title(); !strings.Contains(title, "waiting for you") {
			t.Errorf("the window says %q", title)
		}
		d.golden("form-80")
		d.typeText("A")
		d.press("tab")
		d.sees("must have at least 2 characters")
		d.press("shift+tab")
		d.typeText("nn")
		d.seesNot("at least 2 characters")
		d.press("enter")
		d.sees("name@example.org")
		d.typeText("ann")
		d.press("down")
		d.sees("not an email address")
		d.press("up", "ctrl+u", "tab")
		d.press("backspace")
		d.typeText("3")
		d.press("tab", " ", "tab") // agrees
		d.sees("not chosen")
		d.press("right", "right", "tab", "down", " ", "tab", "enter")
		d.answered(`accept {"age":43,"agree":true,"colours":["red","green"],"name":"Ann","size":"m"} <nil>`)
		d.sees("That was it.")
		d.seesNot("Server files asks for input")
		if title := d.m.title(); strings.Contains(title, "waiting for you") {
			t.Errorf("the window says %q", title)
		}
	})
}

func TestFormWithMistakes(t *testing.T) {
	asked(t, 80, 30, elicits("Who are you?", allKinds), func(d *driver) {
		d.press("up", "shift+tab", "tab", "tab", "tab", "tab", "tab", "tab") // the cursor stays on the first field
		d.sees("› Send")
		d.press("enter")
		d.sees("this field is required", "› Your name *", "Server files asks for input")
		d.typeText("Ann")
		d.press("tab", "tab", "tab", "tab")
		d.typeText("l").wait(time.Second) // a letter chooses the option that begins with it
		d.sees("‹ Large ›  3 of 3")
		d.press("tab", "tab", "right")
		d.sees("› Decline")
		d.press("left", "enter")
		d.answered(`accept {"age":42,"colours":["red"],"name":"Ann","size":"l"} <nil>`)
	})
}

func TestFormWithoutFields(t *testing.T) {
	for key, want := range map[string]string{"enter": "decline", "esc": "cancel", "ctrl+c": "cancel"} {
		asked(t, 80, 24, elicits("May I?", `{"type":"object","properties":{}}`), func(d *driver) {
			d.press("enter") // with the cursor on nothing
			d.sees("May I?")
			d.press("tab", "right", key)
			d.answered(want + " null <nil>")
		})
	}
}

func TestDeclineAll(t *testing.T) {
	ask := elicits("Who are you?", allKinds)
	twice := func(ctx context.Context, d *elicit.Inbox) string { return ask(ctx, d) + ", " + ask(ctx, d) }
	asked(t, 40, 24, twice, func(d *driver) {
		for range 11 { // one step for each field and colour
			d.press("down")
		}
		d.sees("› Decline all", "declines all requests of files")
		d.press("enter")
		d.answered("decline null <nil>, decline null <nil>")
		d.sees("All input requests of files")
	})
}

func TestFormSizes(t *testing.T) {
	asked(t, 40, 20, elicits(strings.Repeat("Please tell us who you are. ", 8), allKinds), func(d *driver) {
		d.golden("form-40")
		d.typeText("Ann")
		for _, size := range [][2]int{{200, 50}, {20, 6}, {1, 1}, {80, 10}, {40, 12}} {
			d.send(tea.WindowSizeMsg{Width: size[0], Height: size[1]})
			d.press("tab")
			for i, row := range strings.Split(d.screen(), "\n") {
				if d.m.look.Method.StringWidth(row) > size[0] || i >= size[1] {
					t.Errorf("%v: row %d is %q", size, i, row)
				}
			}
		}
		d.sees("Colours") // the row under the cursor is in view at every height
		d.press("pgup", "pgup", "pgup")
		d.sees("Please tell us")
		d.send(tea.WindowSizeMsg{Width: 200, Height: 50})
		d.golden("form-200")
	})
}

func TestFormOpensWhileTyping(t *testing.T) {
	o := askedBy(func(ctx context.Context, d *elicit.Inbox) string {
		time.Sleep(time.Second)
		return elicits("Who are you?", allKinds)(ctx, d)
	})
	drive(t, 80, 24, o, func(d *driver) {
		d.typeText("go\n")
		for _, letter := range "what about this then yes" {
			d.typeText(string(letter)).wait(100 * time.Millisecond)
		}
		d.press("enter")
		d.sees("Server files asks for input", "› Your name *")
		d.seesNot("then yes▏")
		d.wait(time.Second)
		d.typeText("Ann")
		d.sees("Ann▏")
		d.press("esc")
		d.sees("Ann▏", "press esc again to discard your input")
		d.typeText("e")
		d.seesNot("esc again")
		d.press("esc", "esc").wait(time.Second)
		d.sees("› what about this then yes")
	})
}

func TestTypingAtFormWithoutFields(t *testing.T) {
	asked(t, 80, 24, elicits("May I?", `{"type":"object","properties":{}}`), func(d *driver) {
		d.words("I wond")
		d.wait(time.Second)
		d.words("er whether")
		d.wait(time.Second)
		d.press("tab")
		d.words(" it may")
		d.sees("May I?", "› Yes")
		d.wait(time.Second)
		d.press("enter")
		d.answered("accept {} <nil>")
		d.sees("› I wonder whether it may")
	})
}

func TestFormWithdrawn(t *testing.T) {
	withdraws := func(ctx context.Context, d *elicit.Inbox) string {
		ctx, cancel := context.WithTimeout(ctx, 3*time.Second)
		defer cancel()
		return elicits("Who are you?", allKinds)(ctx, d)
	}
	asked(t, 80, 24, withdraws, func(d *driver) {
		d.typeText("An")
		d.sees("An▏")
		d.wait(3 * time.Second)
		d.seesNot("Your name")
		d.wait(10 * time.Second) // the dialog stays open
		d.sees(`Server "files" no longer needs your answer`, "That was it.")
	})
}

func TestStopWhileFormIsOpen(t *testing.T) {
	asked(t, 80, 24, elicits("Who are you?", allKinds), func(d *driver) {
		d.sees("Server files asks for input")
		d.m.stop()
		d.wait(time.Second)
		d.seesNot("Server files asks for input")
		d.sees("/continue goes on")
	})
}

// sendsTo asks you to open a page.
func sendsTo(address string) func(context.Context, *elicit.Inbox) string {
	return elicitsAs(elicit.Elicitation{Server: "files", Message: "Log in to go on.", URL: address})
}

func TestOpenPage(t *testing.T) {
	for key, want := range map[string]string{"y": "accept", "n": "decline", "x": "decline", "esc": "cancel"} {
		want += " null <nil>"
		o := askedBy(sendsTo("https://аpple.com/login?from=somewhere&" + strings.Repeat("x", 100)))
		opened := ""
		o.OpenPage = func(address string) error { opened = address; return nil }
		drive(t, 80, 24, o, func(d *driver) {
			d.typeText("go\n").wait(time.Second)
			d.sees("Server files asks to open a page", "Log in to go on.", "https://xn--pple-43d.com/login",
				"The host name uses letters that can look like others")
			if key == "y" {
				d.golden("page-80")
			}
			d.press("w", "y") // begins a word
			if opened != "" {
				t.Error("a word opened the page")
			}
			d.wait(time.Second)
			d.press(key)
			d.answered(want)
			if (opened != "") != (key == "y") {
				t.Errorf("after %s %q was opened", key, opened)
			}
		})
	}
}

func TestOpenPageFails(t *testing.T) {
	o := askedBy(sendsTo("https://example.org/login"))
	o.OpenPage = func(string) error { return errors.New("no browser is available") }
	drive(t, 40, 16, o, func(d *driver) {
		d.typeText("go\n").wait(time.Second)
		d.golden("page-40")
		d.press("y").wait(time.Second)
		d.sees("No browser is available.", "https://example.org/login")
	})
}

// TestHiddenRowsAreCounted includes a server whose name fills the row.
func TestHiddenRowsAreCounted(t *testing.T) {
	server := strings.Repeat("a-server-with-a-name-", 4)
	long := strings.Repeat("It was a dark night. ", 100)
	for _, e := range []elicit.Elicitation{
		{Server: server, Message: long, Schema: json.RawMessage(allKinds)},
		{Server: server, Message: long, URL: "https://example.org/login"},
	} {
		asked(t, 40, 16, elicitsAs(e), func(d *driver) {
			if !regexp.MustCompile(`── a-ser.*….* 1–\d+ of \d+ ──`).MatchString(d.screen()) {
				t.Errorf("the title does not say what is in view:\n%s", d.screen())
			}
			d.press("esc").wait(time.Second)
		})
	}
}

func TestNotificationOfForm(t *testing.T) {
	ask := elicits("Who are you?", allKinds)
	o := askedBy(func(ctx context.Context, d *elicit.Inbox) string {
		time.Sleep(time.Second) // the terminal has lost the focus by then
		return ask(ctx, d)
	})
	o.Notify = true
	program(t, 80, 24, o, func(term *terminal) {
		term.types("go" + enter + "\x1b[O").wait(2 * time.Second)
		term.has(term.raw.String(), "\x1b]9;aloud: Server files asks for input\a")
		term.types(esc).wait(time.Second)
		term.leave()
	})
}

func TestHostileForm(t *testing.T) {
	const csi, reverse = "\u009b", "\u202e"
	asked(t, 120, 30, elicits("Where?", `{"required":["to`+csi+`2J"],"properties":{
		"to`+csi+`2J": {"enum":["a`+reverse+`b"],"default":"a`+reverse+`b"},
		"note": {"type":"string","default":"c`+csi+reverse+`d"}
	}}`), func(d *driver) {
		for _, key := range []string{"tab", "tab", "tab"} {
			if seen := d.m.View().Content; strings.ContainsAny(seen, csi+reverse) {
				t.Errorf("before %s the terminal gets %q", key, seen)
			}
			d.press(key)
		}
	})
}

func TestFormKeepsSpaces(t *testing.T) {
	asked(t, 120, 30, elicits("What?", `{"properties":{
		"code": {"type":"string","default":"if a:\n    b\t"},
		"part": {"type":"string","default":"  "},
		"text": {"type":"string"}
	}}`), func(d *driver) {
		d.sees("if a:↵    b    ▏")
		d.press("tab", "tab")
		d.send(tea.PasteMsg{Content: "  one\r\n\ttwo\r\n"})
		d.send(tea.PasteMsg{Content: strings.Repeat("x", elicit.LongestTyped)}) // half of the text would be a different value
		d.wait(time.Second)
		d.sees(`  one↵    two`, "Not pasted: a field takes up to 1 MB")
		d.press("tab", "enter")
		d.answered(`accept {"code":"if a:\n    b\t","part":"  ","text":"  one\n\ttwo"} <nil>`)
	})
}

func TestFormWithHundredsOfOptions(t *testing.T) {
	options := make([]string, 400)
	for i := range options {
		options[i] = fmt.Sprint(string(rune('a'+i%26)), i)
	}
	enum, _ := json.Marshal(options)
	schema := fmt.Sprintf(`{"type":"object","required":["one"],"properties":{
		"one": {"type":"string","enum":%s},
		"some":{"type":"array","items":{"enum":%s}},
		"more":{"type":"string","enum":%s}}}`, enum, enum, enum)
	asked(t, 80, 24, elicits("Which?", schema), func(d *driver) {
		for range 2 { // a letter chooses the next option that begins with it
			d.typeText("C").wait(time.Second)
		}
		d.sees("‹ c28 ›  29 of 400")
		d.press("tab", "down", "down")
		d.typeText(" ")
		d.sees("› [x] c2", "of 407")
		d.press("tab") // a list of options has a limit: this one is typed
		d.typeText("i8")
		d.press("tab")
		d.sees("› Send")
		d.press("enter")
		d.answered(`accept {"more":"i8","one":"c28","some":["c2"]} <nil>`)
	})
}
