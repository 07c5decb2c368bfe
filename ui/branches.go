package ui

import (
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/aloudchat/aloud/internal/sanitize"
	"github.com/aloudchat/aloud/provider"
	"github.com/aloudchat/aloud/provider/attach"
	"github.com/aloudchat/aloud/session/live"
	"github.com/aloudchat/aloud/ui/composer"
	"github.com/aloudchat/aloud/ui/dialog"
	"github.com/aloudchat/aloud/ui/screen"
	"github.com/aloudchat/aloud/ui/transcript"
)

// branchMsg goes to another branch of the conversation, or begins one with a question to edit.
type branchMsg struct {
	change func(*live.Chat) (question []provider.Message, err error)
}

// twice is the longest time between two keys that belong together, and the time after the end of a turn in which esc
// was meant to stop it.
const twice = time.Second

// escape handles esc while there is nothing to stop. It leaves the question that you edit, and opens the list of your
// questions the second time.
func (t *talk) escape(now time.Time, prompt *composer.Composer, dialogs *dialog.Stack, f *footer) tea.Cmd {
	again := now.Sub(t.escaped) < twice
	t.escaped = time.Time{}
	switch {
	case t.chat.Forking():
		return tea.Batch(f.hint(prompt.Discard("up brings the draft back")), screen.Reply(branchMsg{stay}))
	case !prompt.Empty() || now.Sub(t.rested) < twice:
		return nil
	case again:
		openQuestions(t.chat, dialogs)
		return nil
	case len(t.chat.Conversation().Questions()) == 0:
		return nil
	}
	t.escaped = now
	return f.hint("esc again lists your questions")
}

func stay(chat *live.Chat) ([]provider.Message, error) {
	chat.Stay()
	return nil, nil
}

// openQuestions lists your questions, the last one chosen.
func openQuestions(chat *live.Chat, dialogs *dialog.Stack) {
	var questions []string
	messages := chat.Conversation().Messages()
	for _, at := range chat.Conversation().Questions() {
		questions = append(questions, start(messages[at].Text))
	}
	dialogs.Open(dialog.NewQuestions(questions, func(i int) tea.Msg {
		return branchMsg{func(chat *live.Chat) ([]provider.Message, error) { return chat.Fork(i + 1) }}
	}))
}

// start returns the first words of a question.
func start(question string) string {
	const bytes = 1000
	return sanitize.Line(sanitize.Cut(question, bytes))
}

// tree runs /tree.
func tree(m *model, _ string) tea.Cmd { return openTree(m.talk.chat, &m.dialogs) }

func openTree(chat *live.Chat, dialogs *dialog.Stack) tea.Cmd {
	all, current := chat.Branches()
	if len(all) == 1 {
		return screen.ShowFlash("No branches yet · esc twice on an empty line begins one")
	}
	rows := make([]dialog.Branch, len(all))
	for i, b := range all {
		rows[i] = dialog.Branch{Number: b.Number, Parent: b.Parent, Words: "nothing new yet"}
		messages := b.Conversation.Messages()
		for _, at := range slices.Backward(b.Conversation.Questions()) {
			if rows[i].Questions++; at >= b.Kept {
				rows[i].Words = start(messages[at].Text)
			}
		}
	}
	dialogs.Open(dialog.NewTree(rows, current, func(number int) tea.Msg {
		return branchMsg{func(chat *live.Chat) ([]provider.Message, error) { return nil, chat.Switch(number) }}
	}))
	return nil
}

// branch changes and shows the conversation. A question comes into the composer.
func (t *talk) branch(
	msg branchMsg, shown *transcript.Transcript, bar *statusBar, f *footer, prompt *composer.Composer,
) tea.Cmd {
	if t.busy() {
		return screen.ShowFlash("Not while an answer is running")
	}
	question, err := msg.change(t.chat)
	if t.show(shown, bar, f); err != nil {
		shown.Notice(transcript.Warn, dialog.Sentence(err))
	}
	if question == nil {
		return nil
	}
	prompt.PutBack(attach.Again(question[0]))
	return nil
}
