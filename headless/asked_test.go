package headless_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/aloudchat/aloud/headless"
	"github.com/aloudchat/aloud/mcpclient"
	"github.com/aloudchat/aloud/provider"
	"github.com/aloudchat/aloud/provider/desk"
)

// askedInLines is a talk in which a tool asks something, with what was typed then. It returns what stood on standard error, and what the server
// heard.
func askedInLines(t *testing.T, person bool, typed string, ask func(ctx context.Context, d *desk.Desk) string) (errs, heard string) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		d := desk.New(person, nil)
		chat := &provider.Chat{Asker: d}
		d.Use(chat)
		chat.Tools = tools{"clock__now": func(string) (mcpclient.Result, error) {
			heard = ask(t.Context(), d)
			return mcpclient.Result{Text: heard}, nil
		}}
		o := headless.LinesOptions{Options: headless.Options{Chat: chat, Desk: d, Quiet: true}, Ask: person}
		_, errs, _ = talk(t, o, "go\n"+typed, provider.Reply{call("clock__now", `{}`)}, provider.Reply{{Text: "Done."}})
	})
	return errs, heard
}

func fillIn(ctx context.Context, d *desk.Desk) string {
	got, err := d.Elicit(ctx, mcpclient.Elicitation{Server: "files", Message: "Who\x1b[2J?", Schema: json.RawMessage(`{"required":["name"],"properties":{
		"name":{"type":"string"},"mail":{"type":"string","format":"email"},"size":{"type":"string","enum":["s","m"],"default":"m"},"age":{"type":"integer","default":3}}}`)})
	content, _ := json.Marshal(got.Content)
	return fmt.Sprint(got.Action, " ", string(content), " ", err)
}

func TestFormsInLines(t *testing.T) {
	for typed, want := range map[string]string{
		"\nAnn\nann\n\n\n-\nmaybe\ny\n": `accept {"name":"Ann","size":"m"} <nil>`,
		"Ann\na@b.c\nS\n7\nyes\n":       `accept {"age":7,"mail":"a@b.c","name":"Ann","size":"s"} <nil>`,
		"Ann\n\n\n\nn\n":                `decline null <nil>`,
		"Ann\n\n\n\nl\n":                `cancel null <nil>`,
		".\nn\n":                        `decline null <nil>`,
		"Ann\n.\nl\n":                   `cancel null <nil>`,
		"Ann\n":                         `cancel null <nil>`, // the input ends
	} {
		errs, heard := askedInLines(t, true, typed, fillIn)
		if heard != want {
			t.Errorf("%q: the server heard %s, want %s\n%s", typed, heard, want, errs)
		}
		for _, words := range []string{"The server files asks: Who", "name (required): ", "size (s, m) [m]: ", "age [3]: "} {
			if strings.Count(typed, "\n") > 3 && !strings.Contains(errs, words) {
				t.Errorf("%q: the person does not read %q:\n%s", typed, words, errs)
			}
		}
		if strings.Contains(errs, "\x1b") {
			t.Errorf("the terminal obeys the server: %q", errs)
		}
	}
}

// TestWhatWasTypedAheadSendsNoForm: the lines fill the form in, and the one that follows at once is no answer to what is asked then.
func TestWhatWasTypedAheadSendsNoForm(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := desk.New(true, nil)
		heard := ""
		chat := &provider.Chat{Asker: d, Name: "m", Model: &provider.Script{Replies: []provider.Reply{{call("clock__now", `{}`)}, {{Text: "Done."}}, {{Text: "Hm."}}}}}
		d.Use(chat)
		chat.Tools = tools{"clock__now": func(string) (mcpclient.Result, error) {
			heard = fillIn(t.Context(), d)
			return mcpclient.Result{Text: heard}, nil
		}}
		o := headless.LinesOptions{Options: headless.Options{Chat: chat, Desk: d, Quiet: true, Stdout: io.Discard, Stderr: io.Discard}, Ask: true}
		in := &typist{[]string{"go\n", "Ann\n\n\n\ny\n", "n\n"}}
		headless.Lines(t.Context(), o, in)
		if want := "decline null <nil>"; heard != want {
			t.Errorf("the server heard %s, want %s", heard, want)
		}
	})
}

func TestPagesAndTheModelInLines(t *testing.T) {
	page := func(ctx context.Context, d *desk.Desk) string {
		got, err := d.Elicit(ctx, mcpclient.Elicitation{Server: "files", Message: "Log in.", URL: "https://example.org/x"})
		return fmt.Sprint(got.Action, err)
	}
	for typed, want := range map[string]string{"y\n": "accept<nil>", "n\n": "decline<nil>", "l\n": "cancel<nil>"} {
		errs, heard := askedInLines(t, true, typed, page)
		if heard != want || !strings.Contains(errs, "https://example.org/x\nThe page belongs to example.org.") {
			t.Errorf("%q: the server heard %s, the person read\n%s", typed, heard, errs)
		}
	}
	sample := func(ctx context.Context, d *desk.Desk) string {
		got, err := d.Sample(ctx, mcpclient.Sampling{Server: "files", MaxTokens: 10, Messages: []mcpclient.SampleMessage{{Role: "user", Text: "Say hello."}}})
		return fmt.Sprint(got.Text, err)
	}
	for typed, want := range map[string]string{"n\n": "does not want", "d\n": "does not want", "l\n": "left the question unanswered", "": "left the question unanswered"} {
		errs, heard := askedInLines(t, true, typed, sample)
		if !strings.Contains(heard, want) || !strings.Contains(errs, "The server files wants scripted to write up to 10 tokens for it:\nuser: Say hello.") {
			t.Errorf("%q: the server heard %s, the person read\n%s", typed, heard, errs)
		}
	}
}

// TestAllThatTheModelWouldGetIsShownInLines: what a person allows they have seen.
func TestAllThatTheModelWouldGetIsShownInLines(t *testing.T) {
	errs, _ := askedInLines(t, true, "n\n", func(ctx context.Context, d *desk.Desk) string {
		_, err := d.Sample(ctx, mcpclient.Sampling{Server: "files", System: "Be short.", Hints: []string{"claude\x1b[2J", "gpt"}, Stop: []string{"END\n", "---"},
			Messages: []mcpclient.SampleMessage{{Role: "user", Text: "Look.", Images: [][]byte{{1}}, Other: []string{"audio"}}, {Role: "assistant", Text: "I see"}}})
		return err.Error()
	})
	want := `The server files wants scripted to write up to 1k tokens for it (it would like claude[2J, gpt):
instructions: Be short.
user: Look.
(images: 1)
(with audio, which the model does not get)
assistant: I see
It ends before: "END\n", "---"
What it writes goes to that server once you have seen it; for the session, at once.
`
	if !strings.Contains(errs, want) {
		t.Errorf("the person read\n%s\nand not\n%s", errs, want)
	}
}

func TestWhateverAServerAsksIsDeclinedInLines(t *testing.T) {
	errs, heard := askedInLines(t, true, "Ann\n\n\n\nd\n", func(ctx context.Context, d *desk.Desk) string {
		return fillIn(ctx, d) + ", " + fillIn(ctx, d)
	})
	if heard != "decline null <nil>, decline null <nil>" || !strings.Contains(errs, "Whatever files asks is declined from now on") {
		t.Errorf("the server heard %s, the person read\n%s", heard, errs)
	}
}

func TestWithoutAPersonServersLearnThat(t *testing.T) {
	errs, heard := askedInLines(t, false, "", fillIn)
	if heard != "decline null <nil>" || !strings.Contains(errs, "nobody is here to answer, so it was declined: Who[2J?") {
		t.Errorf("the server heard %s, standard error has\n%s", heard, errs)
	}
}
