package headless_test

import (
	"context"
	"io"
	"os"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/aloudchat/aloud/headless"
	"github.com/aloudchat/aloud/mcpclient"
	"github.com/aloudchat/aloud/provider"
	"github.com/aloudchat/aloud/provider/attach"
	"github.com/aloudchat/aloud/provider/desk"
)

// idle is the plain mode with a person who has typed something, and nothing else goes on. act is what happens then; it returns what was written.
func idle(t *testing.T, o headless.LinesOptions, typed string, act func(t *testing.T, interrupts chan<- os.Signal)) string {
	t.Helper()
	var written strings.Builder
	synctest.Test(t, func(t *testing.T) {
		interrupts := make(chan os.Signal, 1)
		in, input := io.Pipe()
		o.Ask, o.Interrupts, o.Stdout, o.Stderr, o.StdoutTTY = true, interrupts, &written, &written, true
		over := make(chan int)
		go func() { over <- headless.Lines(t.Context(), o, in) }()
		io.WriteString(input, typed)
		synctest.Wait()
		act(t, interrupts)
		synctest.Wait()
		input.Close()
		<-over
	})
	return written.String()
}

// TestThePromptStandsThereOnce: a server for which the model writes is no reason for another prompt, what is told of one is.
func TestThePromptStandsThereOnce(t *testing.T) {
	d := desk.New(true, map[string]string{"files": mcpclient.SamplingAllow, "other": mcpclient.SamplingDeny})
	chat := &provider.Chat{Model: &provider.Script{Replies: []provider.Reply{{{Text: "Hello."}}}}, Name: "m"}
	d.Use(chat)
	o := headless.LinesOptions{Options: headless.Options{Chat: chat, Desk: d, Quiet: true}}
	got := idle(t, o, "go\n", func(t *testing.T, _ chan<- os.Signal) {
		for _, server := range []string{"files", "files", "other", "files"} {
			s := mcpclient.Sampling{Server: server, MaxTokens: 1000, Messages: []mcpclient.SampleMessage{{Role: "user", Text: "Hi"}}}
			if _, err := d.Sample(t.Context(), s); err == nil {
				t.Error("the model wrote something")
			}
			synctest.Wait()
		}
	})
	want := "> Hello.\n> \naloud: The server \"other\" wanted the model to write something, which its configuration does not allow.\n> "
	if got != want {
		t.Errorf("%q", got)
	}
}

// starting is a server that does not get ready.
type starting struct{ attach.Source }

func (starting) Offering(ctx context.Context, _ string) error {
	<-ctx.Done()
	return ctx.Err()
}

func TestWaitingForAServerCanBeStopped(t *testing.T) {
	model := &provider.Script{}
	o := headless.LinesOptions{Options: headless.Options{Chat: &provider.Chat{Model: model, Name: "m"}, Offers: starting{}, Quiet: true}}
	for typed, want := range map[string]string{
		"/files:greet\n":    "> \n> ",
		"see @files:note\n": "> \n> ",
	} {
		if got := idle(t, o, typed, func(_ *testing.T, interrupts chan<- os.Signal) { interrupts <- os.Interrupt }); got != want || len(model.Requests()) != 0 {
			t.Errorf("%q: %q", typed, got)
		}
	}
}
