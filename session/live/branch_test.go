package live_test

import (
	"testing"

	"github.com/aloudchat/aloud/provider"
	"github.com/aloudchat/aloud/session"
	"github.com/aloudchat/aloud/session/live"
)

func TestStayKeepsTurnsSinceTheBranchWasEntered(t *testing.T) {
	parts, _ := with(says("One."))
	chat := live.New(parts)
	tell(t, chat.Send(t.Context(), question("Go")))
	chat.Stay()
	check(t, "the conversation", texts(chat.Conversation()), "Go | One.")
}

// The model of the flag --model is there, but another conversation wants its own.
func TestOpenDoesNotSayThatTheNamedModelIsMissing(t *testing.T) {
	store := session.Open(t.TempDir()).For(t.TempDir(), "box")
	parts, _ := with(says("One."))
	parts.Chat.Name, parts.Recorder = "old:1b", store.New()
	chat := live.New(parts)
	tell(t, chat.Send(t.Context(), question("Go")))
	id := chat.Settings().Session
	chat.Close()

	parts, _ = with()
	parts.Sessions, parts.Choice = store, live.Choice{Named: "small:1b", From: "--model", Provider: "box"}
	chat = live.New(parts)
	defer chat.Close()
	wants, err := chat.Open(id)
	if err != nil {
		t.Fatal(err)
	}
	check(t, "the model to use", wants, "old:1b")
	check(t, "what is said about it", chat.Use(provider.Info{Name: wants}), "")
}
