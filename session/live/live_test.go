package live_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/aloudchat/aloud/provider"
	"github.com/aloudchat/aloud/provider/event"
	"github.com/aloudchat/aloud/provider/loop"
	"github.com/aloudchat/aloud/provider/providertest"
	"github.com/aloudchat/aloud/session"
	"github.com/aloudchat/aloud/session/live"
	"github.com/aloudchat/aloud/status"
)

// with returns the parts of a chat with a model that gives these replies.
func with(replies ...providertest.Reply) (live.Parts, *providertest.Script) {
	model := &providertest.Script{Replies: replies}
	return live.Parts{Chat: loop.Chat{Model: model, Name: "small:1b"}}, model
}

func says(text string) providertest.Reply { return providertest.Reply{{Text: text}} }

func question(text string) provider.Message {
	return provider.Message{Role: provider.RoleUser, Text: text}
}

// tell runs a turn. It returns its notices and its end.
func tell(t *testing.T, turn event.Events) (notices []string, ended event.Ended) {
	t.Helper()
	for ev, err := range turn {
		switch ev := ev.(type) {
		case event.Notice:
			notices = append(notices, ev.Text)
		case event.Ended:
			if ended = ev; (err != nil) != (ev.Result.Stop.Reason == event.Failed) {
				t.Errorf("the turn ended as %s with the error %v", ev.Result.Stop.Reason, err)
			}
		}
	}
	if ended.Result.Stop.Reason == "" {
		t.Error("the turn did not end")
	}
	return notices, ended
}

// texts returns the texts of a conversation.
func texts(conv provider.Conversation) string {
	var all []string
	for _, m := range conv.Messages() {
		all = append(all, m.Text)
	}
	return strings.Join(all, " | ")
}

func check(t *testing.T, what, got, want string) {
	t.Helper()
	if got != want {
		t.Errorf("%s: got %q, want %q", what, got, want)
	}
}

func TestStopAndContinue(t *testing.T) {
	parts, _ := with(providertest.Reply{{Text: "Half"}, {Block: true}}, says("and the rest."))
	chat := live.New(parts)
	if chat.Stopped() {
		t.Error("a new chat has something to continue")
	}
	var phases []status.Phase
	chat.Watch(func(s status.State) { phases = append(phases, s.Phase) })
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	for ev := range chat.Send(ctx, question("Go")) {
		if _, ok := ev.(event.Text); ok {
			check(t, "the phase when the text arrives", string(phases[len(phases)-1]), string(status.Formulating))
			stop()
		}
	}
	if !chat.Stopped() {
		t.Error("the stopped turn cannot be continued")
	}
	tell(t, chat.Resume(t.Context()))
	if chat.Stopped() {
		t.Error("the finished turn can be continued")
	}
	check(t, "the conversation", texts(chat.Conversation()), "Go | Half | "+provider.ContinueText+" | and the rest.")
}

func TestCompactKeepsStoppedTurn(t *testing.T) {
	parts, _ := with(providertest.Reply{{Text: "Half", Done: "length"}})
	chat := live.New(parts)
	tell(t, chat.Send(t.Context(), question("Go")))
	tell(t, chat.Compact(t.Context()))
	if !chat.Stopped() {
		t.Error("after compacting, the cut answer cannot be continued")
	}
}

func TestRetryAfterFailureAtOnce(t *testing.T) {
	store := session.Open(t.TempDir())
	parts, _ := with(providertest.Reply{{Err: &provider.Error{Text: "the server went away"}}}, says("Noon."))
	parts.Recorder = store.New()
	chat := live.New(parts)
	defer chat.Close()
	if again, err := chat.TakeBack(); again != nil || err != nil {
		t.Errorf("an empty chat gives back %v, %v", again, err)
	}
	_, ended := tell(t, chat.Send(t.Context(), question("Time?")))
	check(t, "the first turn", string(ended.Result.Stop.Reason), string(event.Failed))
	again, err := chat.TakeBack()
	if err != nil {
		t.Fatal(err)
	}
	tell(t, chat.Send(t.Context(), again...))
	check(t, "the conversation", texts(chat.Conversation()), "Time? | Noon.")
	chat.Close()
	check(t, "the saved conversation", texts(resume(t, store).Conversation), "Time? | Noon.")
}

// resume returns parts with the newest session of a store.
func resume(t *testing.T, store *session.Store, replies ...providertest.Reply) live.Parts {
	t.Helper()
	parts, _ := with(replies...)
	var err error
	if parts.Recorder, parts.Conversation, err = store.Resume(""); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { parts.Recorder.Close() })
	return parts
}

func TestClear(t *testing.T) {
	store := session.Open(t.TempDir())
	parts, model := with(says("One."), says("Two."))
	parts.Recorder, parts.Sessions = store.New(), store
	parts.Choice.Before = session.Used{Model: "gone:8b"}
	chat := live.New(parts)
	defer chat.Close()
	_, first := tell(t, chat.Send(t.Context(), question("First?")))
	if !chat.Saved() {
		t.Error("the first turn is not saved")
	}
	if err := chat.Clear(); err != nil {
		t.Fatal(err)
	}
	if chat.Saved() || chat.Stopped() || chat.Conversation().Len() > 0 {
		t.Error("the new conversation is not empty")
	}
	check(t, "the change of the model in the new conversation", chat.Use(provider.Info{Name: "small:1b"}), "")
	_, second := tell(t, chat.Send(t.Context(), question("Second?")))
	if a, b := first.Result.Session, second.Result.Session; a == "" || b == "" || a == b || b != chat.Settings().Session {
		t.Errorf("the turns are in the sessions %q and %q", a, b)
	}
	sent := model.Requests()[1].Messages
	if n := len(sent); n != 2 || sent[1].Text != "Second?" { // with the system prompt
		t.Errorf("the model read %d messages", n)
	}
	if infos, err := store.List(); err != nil || len(infos) != 2 {
		t.Errorf("%d sessions are saved, %v", len(infos), err)
	}
}

func TestAnotherModel(t *testing.T) {
	parts, model := with(says("One."), says("Two."))
	model.Models = []provider.Info{{Name: "small:1b", Tools: true}, {Name: "big:70b"}}
	parts.Chat.Name = ""
	parts.Choice = live.Choice{Others: []string{"gone:8b"}, Before: session.Used{Model: "gone:8b"}}
	chat := live.New(parts)
	if chat.HasModel() {
		t.Error("a chat has a model before one was found")
	}
	wanted, search := chat.Search()
	info, err := search(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	check(t, "the wanted model", wanted, "gone:8b")
	check(t, "the report", chat.Use(info),
		"This conversation was with gone:8b, which is not available. It continues with small:1b.")
	check(t, "the report again", chat.Use(info), "")
	tell(t, chat.Send(t.Context(), question("First?")))
	chat.Use(provider.Info{Name: "big:70b"})
	_, ended := tell(t, chat.Send(t.Context(), question("Second?")))
	check(t, "the model of the second turn", ended.Result.Model, "big:70b")
	check(t, "the first request", model.Requests()[0].Model, "small:1b")
	check(t, "the second request", model.Requests()[1].Model, "big:70b")
}

func TestInstructionsHoldFromNextTurn(t *testing.T) {
	parts, model := with(says("One."), says("Two."))
	chat := live.New(parts)
	tell(t, chat.Send(t.Context(), question("First?")))
	chat.Instruct("Be brief.")
	chat.Think(provider.ThinkOff)
	tell(t, chat.Send(t.Context(), question("Second?")))
	for i, want := range []bool{false, true} {
		request := model.Requests()[i]
		if got := strings.Contains(request.Messages[0].Text, "Be brief."); got != want {
			t.Errorf("request %d has the instructions: %v", i, got)
		}
		if got := request.Think == provider.ThinkOff; got != want {
			t.Errorf("request %d is without thinking: %v", i, got)
		}
	}
}

// A process that is killed records nothing more, and its lock ends.
func TestResumeAfterKill(t *testing.T) {
	store := session.Open(t.TempDir())
	parts, _ := with(providertest.Reply{{Text: "Half"}, {Block: true}})
	parts.Recorder = store.New()
	chat := live.New(parts)
	for ev := range chat.Send(t.Context(), question("Go")) {
		if _, ok := ev.(event.Text); ok {
			chat.Close()
			break
		}
	}
	chat = live.New(resume(t, store, says("and the rest.")))
	if !chat.Stopped() {
		t.Error("the turn cannot be continued")
	}
	tell(t, chat.Resume(t.Context()))
	check(t, "the conversation", texts(chat.Conversation()), "Go | Half | "+provider.ContinueText+" | and the rest.")
}

// The turn goes on when it can no longer be saved, and that is said once.
func TestRecordErrorIsNoticeOnce(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	parts, _ := with(says("One."))
	parts.Recorder = session.Open(file).New()
	chat := live.New(parts)
	notices, ended := tell(t, chat.Send(t.Context(), question("Go")))
	if len(notices) != 1 || !strings.HasPrefix(notices[0], "This conversation is no longer saved: ") ||
		!strings.HasSuffix(notices[0], "XDG_STATE_HOME.") {
		t.Errorf("the notices are %q", notices)
	}
	check(t, "the answer", ended.Result.Answer, "One.")
	if chat.Saved() {
		t.Error("it counts as saved")
	}
}

// The conversation is kept up to where a turn fails.
func TestPanicKeepsConversation(t *testing.T) {
	parts, _ := with(says("One."))
	chat := live.New(parts)
	func() {
		defer func() {
			_ = recover()
		}()
		for ev := range chat.Send(t.Context(), question("Go")) {
			if _, ok := ev.(event.Text); ok {
				panic("a fault")
			}
		}
	}()
	check(t, "the conversation", texts(chat.Conversation()), "Go")
	if !chat.Stopped() {
		t.Error("the turn cannot be continued")
	}
}

// With the race detector: the screen explains a running turn by the conversation so far.
func TestConversationDuringTurn(t *testing.T) {
	parts, _ := with(says("Hello."))
	chat := live.New(parts)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		tell(t, chat.Send(t.Context(), question("Go")))
	}()
	for before := 0; ; {
		n := chat.Conversation().Len()
		if n < before {
			t.Fatalf("the conversation went from %d messages to %d", before, n)
		}
		before = n
		select {
		case <-ended:
			check(t, "the conversation", texts(chat.Conversation()), "Go | Hello.")
			return
		default:
		}
	}
}

func TestLeftOutAttachmentStaysOut(t *testing.T) {
	store := session.Open(t.TempDir())
	parts, model := with(says("One."), says("Two."), says("Three."), says("Another."))
	parts.Recorder = store.New()
	chat := live.New(parts)
	ask := question("Look?")
	for _, name := range []string{"a", "b"} {
		ask.Attached = append(ask.Attached, provider.Attachment{Server: "files", URI: name, Text: "content of " + name})
	}
	reads := func(model *providertest.Script, request int, want string) {
		t.Helper()
		got := ""
		for _, name := range []string{"a", "b"} {
			if strings.Contains(model.Requests()[request].Messages[1].Text, "content of "+name) {
				got += name
			}
		}
		check(t, "the content that the model reads", got, want)
	}
	leaveOut := func(chat *live.Chat, i int) {
		t.Helper()
		prompt := chat.Settings().Prompt(chat.Conversation())
		if _, err := chat.LeaveOut(prompt[provider.PromptAttachments].Of[i]); err != nil {
			t.Fatal(err)
		}
	}
	tell(t, chat.Send(t.Context(), ask))
	reads(model, 0, "ab")
	tell(t, chat.Send(t.Context(), question("And?")))
	leaveOut(chat, 0)
	again, err := chat.Fork(2)
	if err != nil {
		t.Fatal(err)
	}
	tell(t, chat.Send(t.Context(), again...))
	reads(model, 2, "b")
	again, err = chat.TakeBack() // of the second question
	if err != nil {
		t.Fatal(err)
	}
	tell(t, chat.Send(t.Context(), again...))
	reads(model, 3, "b")
	chat.Close()

	next, resumed := with(says("Four."), says("Five."))
	loaded := resume(t, store)
	next.Recorder, next.Conversation = loaded.Recorder, loaded.Conversation
	chat = live.New(next)
	tell(t, chat.Send(t.Context(), question("More?")))
	reads(resumed, 0, "b")
	leaveOut(chat, 0)
	for range 3 { // back to the first question
		if again, err = chat.TakeBack(); err != nil {
			t.Fatal(err)
		}
	}
	tell(t, chat.Send(t.Context(), again...))
	reads(resumed, 1, "")
}
