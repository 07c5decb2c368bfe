package ui

import (
	tea "charm.land/bubbletea/v2"

	"github.com/aloudchat/aloud/provider"
	"github.com/aloudchat/aloud/provider/attach"
	"github.com/aloudchat/aloud/ui/dialog"
	"github.com/aloudchat/aloud/ui/screen"
	"github.com/aloudchat/aloud/ui/transcript"
)

// openContext opens the list of what fills the context window of a model.
func openContext(
	dialogs *dialog.Stack, o Options, t *talk, model *models, shown *transcript.Transcript, fill *provider.Fill,
) tea.Cmd {
	dialogs.Open(dialog.NewContext(dialog.Context{
		Counted: *fill,
		Read: func() (provider.Prompt, provider.Window) {
			chat := t.chat.Settings()
			if model.ready() && !model.info.Tools {
				chat.Tools = nil // which are not sent
			}
			return chat.Prompt(t.chat.Conversation()), t.room()
		},
		Tools: func(server string) tea.Cmd { return openTools(dialogs, o, t.room(), server) },
		LeaveOut: func(a provider.PromptPart) tea.Cmd {
			if t.busy() {
				return screen.ShowFlash("Wait for the end of the answer to leave this out")
			}
			m, err := t.chat.LeaveOut(a)
			shown.Summary(m)
			fill.Tokens, fill.Estimated = max(0, fill.Tokens-a.Tokens), true
			warn(shown, err)
			return nil
		},
		Compact: func() { t.queue.add(attach.Typed("/compact")) },
	}))
	return nil
}
