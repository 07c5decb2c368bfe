package headless_test

import (
	"context"
	"io"
	"os"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/aloudchat/aloud/headless"
	"github.com/aloudchat/aloud/mcpclient/elicit"
	"github.com/aloudchat/aloud/provider/attach"
	"github.com/aloudchat/aloud/provider/loop"
	"github.com/aloudchat/aloud/provider/providertest"
	"github.com/aloudchat/aloud/session/live"
)

// idle runs the plain mode after you have typed something and calls act. It returns the output.
func idle(t *testing.T, o headless.LinesOptions, typed string,
	act func(t *testing.T, interrupts chan<- os.Signal)) string {
	t.Helper()
	var written strings.Builder
	synctest.Test(t, func(t *testing.T) {
		interrupts := make(chan os.Signal, 1)
		in, input := io.Pipe()
		o.Chat.Interactive, o.Interrupts, o.Stdout, o.Stderr, o.StdoutTTY = true, interrupts, &written, &written, true
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

// Only the screen can show elicitations. The next turn reports that they were declined.
func TestLinesDeclinesElicitation(t *testing.T) {
	d := elicit.NewInbox(false)
	chat := loop.Chat{Model: &providertest.Script{Replies: []providertest.Reply{{{Text: "Hello."}}}}, Name: "m"}
	o := headless.LinesOptions{Options: headless.Options{Parts: parts(chat), Inbox: d, Quiet: true}}
	got := idle(t, o, "go\n", func(t *testing.T, _ chan<- os.Signal) {
		heard, err := d.Elicit(t.Context(), elicit.Elicitation{Server: "files", Message: "Who\x1b[2J?"})
		if heard.Action != elicit.Decline || err != nil {
			t.Errorf("the server heard %v, %v", heard, err)
		}
	})
	if want := "> Hello.\n> "; got != want {
		t.Errorf("%q", got)
	}
	if told := strings.Join(d.Notices(),
		"\n"); told != `Server "files" asked for input, which only the full-screen chat can show. Declined: Who[2J?` {
		t.Errorf("the next turn tells %q", told)
	}
}

// starting is a server that never becomes ready.
type starting struct{ attach.Source }

func (starting) Offering(ctx context.Context, _ string) error {
	<-ctx.Done()
	return ctx.Err()
}

func TestInterruptStopsWaitingForServer(t *testing.T) {
	model := &providertest.Script{}
	o := headless.LinesOptions{Options: headless.Options{
		Parts: live.Parts{Chat: loop.Chat{Model: model, Name: "m"}, Offers: starting{}},
		Quiet: true}}
	got := idle(t, o, "see @files:note\n", func(_ *testing.T, interrupts chan<- os.Signal) { interrupts <- os.Interrupt })
	if got != "> \n> " || len(model.Requests()) != 0 {
		t.Errorf("%q", got)
	}
}
