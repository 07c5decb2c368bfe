package headless_test

import (
	"io"
	"strings"
	"testing"

	"github.com/aloudchat/aloud/headless"
	"github.com/aloudchat/aloud/mcpclient"
	"github.com/aloudchat/aloud/provider/loop"
	"github.com/aloudchat/aloud/provider/providertest"
)

func TestNewsAreToldBetweenTheMessages(t *testing.T) {
	for ask, want := range map[bool]string{
		false: "aloud: notes: added, [31mgithub: restarted.\n",
		true:  "> \naloud: notes: added, [31mgithub: restarted.\n> ",
	} {
		news := make(chan string)
		in, typed := io.Pipe()
		var out, errs strings.Builder
		o := headless.LinesOptions{Ask: ask, News: news, Options: headless.Options{
			Chat:   &loop.Chat{Name: "scripted", Model: &providertest.Script{Replies: []providertest.Reply{{{Text: "1"}}}}},
			Stdout: &out, Stderr: &errs, Quiet: true,
		}}
		over := make(chan int)
		go func() { over <- headless.Lines(t.Context(), o, in) }()
		news <- "notes: added, \x1b[31mgithub: restarted."
		if _, err := io.WriteString(typed, "one\n"); err != nil {
			t.Fatal(err)
		}
		typed.Close()
		if code := <-over; code != 0 || out.String() != "1\n" || !strings.HasPrefix(errs.String(), want) {
			t.Errorf("asking %v: %d, %q, %q", ask, code, out.String(), errs.String())
		}
	}
}

func TestServersThatAreMissingAreToldWithAWayOn(t *testing.T) {
	board := &mcpclient.Board{}
	board.Set(mcpclient.ServerStatus{Name: "dead", State: mcpclient.ServerFailed, Detail: "exited with status 1"})
	board.Set(mcpclient.ServerStatus{Name: "locked", State: mcpclient.ServerNeedsLogin, Detail: "wants a login"})
	board.Set(mcpclient.ServerStatus{Name: "far", State: mcpclient.ServerReconnecting, Detail: "no route"})
	board.Set(mcpclient.ServerStatus{Name: "resting", State: mcpclient.ServerOff})
	board.Set(mcpclient.ServerStatus{Name: "fine", State: mcpclient.ServerReady})
	_, errs, _ := talk(t, headless.LinesOptions{Options: headless.Options{Board: board, Quiet: true}}, "one\ntwo\n", providertest.Reply{{Text: "1"}}, providertest.Reply{{Text: "2"}})
	want := `The server "dead" failed, the chat goes on without it: exited with status 1. See more with: aloud mcp list
The server "locked" needs a login, the chat goes on without it. Log in with: aloud mcp login locked
The server "far" is gone, the chat goes on without it until it is back: no route. See more with: aloud mcp list
`
	if errs != want {
		t.Errorf("got %q", errs)
	}
}
