package live_test

import (
	"testing"

	"github.com/aloudchat/aloud/session/live"
)

func TestUnsteerTakesBackWhatNoRequestTook(t *testing.T) {
	parts, _ := with(says("One."), says("Two."))
	chat := live.New(parts)
	for range chat.Send(t.Context(), question("First?")) {
		if len(chat.Steered()) == 0 && chat.Conversation().Len() == 2 { // the last request was answered
			chat.Steer(question("Second?"))
		}
	}
	if left := chat.Unsteer(); len(left) == 0 || left[0].Text != "Second?" || len(chat.Steered()) > 0 {
		t.Errorf("taken back was %+v, and left %+v", left, chat.Steered())
	}
	chat.Steer(question("Third?"))
	for range chat.Send(t.Context(), question("Second?")) {
	}
	check(t, "conversation", texts(chat.Conversation()), "First? | One. | Second? | Third? | Two.")
}
