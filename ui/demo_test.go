package ui

import (
	"testing"
	"time"

	"github.com/aloudchat/aloud/mcpclient"
	"github.com/aloudchat/aloud/mcpclient/builtin"
	"github.com/aloudchat/aloud/mcpclient/servers"
	"github.com/aloudchat/aloud/provider/demo"
	"github.com/aloudchat/aloud/status"
)

// demoChat returns the options of the demo with its shop.
func demoChat(t *testing.T) Options {
	shop, err := builtin.Shop()
	if err != nil {
		t.Fatal(err)
	}
	board := &servers.Board{}
	set := servers.Start(t.Context(), []mcpclient.Server{
		{Name: "shop", BuiltIn: "shop", Local: shop, Insider: shop, Trusted: true},
	}, servers.Options{Board: board})
	t.Cleanup(func() {
		set.Close()
		if err := shop.Close(); err != nil {
			t.Error(err)
		}
	})
	o := with(demo.NewSlow())
	o.Chat.Name, o.Chat.Tools, o.Offers, o.Tools, o.Board = demo.Name, set, set, set, board
	o.Demo, o.Style = demo.Questions(), status.StyleSentence
	return o
}

// soon waits up to a minute until the screen has a text.
func (d *driver) soon(text string) {
	d.t.Helper()
	for end := time.Now().Add(time.Minute); !d.has(text) && time.Now().Before(end); {
		d.wait(10 * time.Millisecond)
	}
	d.sees(text)
}

// ask types the next question of the demo and sends it.
func (d *driver) ask(question string) {
	d.t.Helper()
	d.press("tab")
	d.sees("› " + question)
	d.press("enter")
}

func TestDemoQuestionsShowWhatAloudDoes(t *testing.T) {
	t.Setenv("XDG_CACHE_HOME", t.TempDir()) // locks of files go there
	driveMade(t, 100, 34, demoChat, func(d *driver) {
		d.sees(append(demo.Questions(), "This is the demo", "tab types the next one")...)

		d.ask("what has John Doe ordered?")
		d.soon("Loading demo…")
		d.soon("Reading about")
		d.soon("Find Customer · \"Looking for John Doe\"")
		d.press("tab") // nothing is typed while it works
		d.sees("Ask anything")
		d.soon("✓ 2 tools · load 2s")
		d.sees("✓ Find Customer  John Doe", "1041  │ desk lamp", "aloud --demo -p", "not a language model")

		d.ask("note in todo.md to call John")
		d.soon("Allow this call?")
		d.sees("- call Anna", "+ - call Anna and John Doe", "+ - send John Doe his receipt")
		d.wait(time.Second)
		d.press("y")
		d.soon("✓ 2 tools · read")
		d.sees("✎ Edit File     todo.md · +2 −1", "Done: todo.md now says")

		d.ask("where is order 1043?")
		d.soon("1 failed")
		d.sees("✗ Track Parcel  order 1043", "✓ Open File     shipping.log", "left with a neighbour at number 12")

		d.ask("are all bills right?")
		d.soon("enter continues")
		d.sees("So far I have done 10 of 12 steps:", "10 tool rounds used")
		d.wait(2 * time.Second)
		d.press("enter")
		d.soon("11 of the 12 bills are right")
		d.wait(10 * time.Second)

		d.ask("does @shop:returns.md let John return his lamp?")
		d.soon("Yes, until 3 December")
		d.sees("▌ @shop:file://")
		d.wait(10 * time.Second)

		d.ask("draw the sales of this week")
		d.soon("Saturday was the best day")
		d.wait(10 * time.Second)
		d.sees("✓ Draw Sales    this week", "PNG image")

		d.ask("what has John Doe ordered?")
	})
}

func TestDemoAcceptsRefusal(t *testing.T) {
	driveMade(t, 100, 34, demoChat, func(d *driver) {
		d.typeText("Note in todo.md to call John.\n").soon("Allow this call?")
		d.wait(time.Second)
		d.press("enter").typeText("not today\n").soon("✓ 2 tools")
		d.sees("– Edit File     todo.md", "was not run: The user refused this call and says: not today.")
	})
}
