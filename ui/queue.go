package ui

import (
	"fmt"
	"slices"

	tea "charm.land/bubbletea/v2"

	"github.com/aloudchat/aloud/internal/sanitize"
	"github.com/aloudchat/aloud/provider/attach"
	"github.com/aloudchat/aloud/session/live"
	"github.com/aloudchat/aloud/ui/composer"
	"github.com/aloudchat/aloud/ui/dialog"
	"github.com/aloudchat/aloud/ui/look"
	"github.com/aloudchat/aloud/ui/screen"
)

// queue has your inputs while something else runs. The chat has those that go with the next request of the turn.
type queue struct {
	chat   *live.Chat
	inputs []attach.Input
	held   bool // they wait for enter, since what ran was stopped
	edited bool // one of them is in the composer
	behind int  // inputs behind that one
}

// add adds an input. One that was edited gets its place again.
func (q *queue) add(in attach.Input) {
	q.held = q.holds()
	q.inputs = slices.Insert(q.inputs, max(0, len(q.inputs)-q.behind), in)
	q.edited, q.behind = false, 0
}

// back takes an edited input from the composer, if there are others, and reports whether it did.
func (q *queue) back(in attach.Input) bool {
	if !q.edited || len(q.inputs) == 0 {
		return false
	}
	q.add(in)
	return true
}

// follow must be called after each change of the draft.
func (q *queue) follow(prompt *composer.Composer) {
	if prompt.Empty() {
		q.edited, q.behind = false, 0
	}
}

// edit moves an input to the composer.
func (q *queue) edit(i int, prompt *composer.Composer) {
	in := q.inputs[i]
	q.remove(i)
	q.edited, q.behind = true, len(q.inputs)-i
	prompt.PutBack(in)
}

func (q *queue) remove(i int) { q.inputs = slices.Delete(slices.Clone(q.inputs), i, i+1) }

// take removes the first input.
func (q *queue) take() attach.Input {
	first := q.inputs[0]
	q.remove(0)
	return first
}

// takeAll empties the queue.
func (q *queue) takeAll() []attach.Input {
	q.unsteer()
	all := q.inputs
	q.inputs = nil
	return all
}

// holds reports whether inputs wait for enter.
func (q *queue) holds() bool { return q.held && len(q.inputs) > 0 }

// release lets the inputs that wait for enter be sent, and reports whether there are any.
func (q *queue) release() bool {
	held := q.holds()
	q.held = false
	return held
}

// key handles a key on an empty line, and reports whether it was for the queue.
func (q *queue) key(act action, busy bool, prompt *composer.Composer) (taken bool, cmd tea.Cmd) {
	switch {
	case !prompt.Empty():
		return false, nil
	case act == doComplete && busy && len(q.inputs) > 0:
		return true, q.steer()
	case act == doEditQueued, act == doEarlier:
		if len(q.inputs) == 0 {
			q.unsteer()
		}
		if n := len(q.inputs); n > 0 {
			q.edit(n-1, prompt)
			return true, nil
		}
	}
	return act == doEditQueued, nil
}

// steer sends the first input with the next request of the turn. If none comes, the input stays the first.
func (q *queue) steer() tea.Cmd {
	in := q.inputs[0]
	switch name, _, isCommand := in.Command(); {
	case isCommand:
		return screen.ShowFlash("/" + name + " waits for the end of the answer")
	case q.chat.Wants(in) != "" || in.Images != nil:
		return screen.ShowFlash("A message with attachments waits for the end of the answer")
	}
	q.remove(0)
	q.chat.Steer(in.Said())
	return nil
}

// unsteer takes back what was not sent with a request.
func (q *queue) unsteer() {
	for _, m := range slices.Backward(q.chat.Unsteer()) {
		q.inputs = slices.Insert(q.inputs, 0, attach.Input{Text: m.Text, Foreign: m.Foreign, Message: true})
	}
}

// open opens the list of the inputs, with those that were to go with the next request.
func (q *queue) open(dialogs *dialog.Stack, prompt *composer.Composer) tea.Cmd {
	if q.unsteer(); len(q.inputs) == 0 {
		return screen.ShowFlash("Nothing is queued")
	}
	texts := make([]string, len(q.inputs))
	for i, in := range q.inputs {
		texts[i] = start(in.Text)
	}
	dialogs.Open(dialog.NewQueue(dialog.Queue{
		Swap:   func(i, k int) { q.inputs[i], q.inputs[k] = q.inputs[k], q.inputs[i] },
		Remove: q.remove,
		Edit:   func(i int) { q.edit(i, prompt) },
	}, texts))
	return nil
}

// height returns the number of rows that the queue needs.
func (q *queue) height() int { return min(len(q.inputs)+len(q.chat.Steered()), 5) }

// rows draws the queue in at most height rows.
func (q *queue) rows(width, height int, st *look.Look) (rows []string) {
	add := func(text string) { rows = append(rows, st.Clip("  "+st.Dim.Render(text), width)) }
	for _, m := range q.chat.Steered() {
		add("Next request: " + sanitize.Line(m.Text))
	}
	for _, in := range q.inputs[:min(len(q.inputs), height)] {
		add("Queued: " + sanitize.Line(in.Text))
	}
	if all := len(q.inputs) + len(q.chat.Steered()); height > 0 && all > height {
		rows = rows[:height-1]
		add(fmt.Sprintf("… %d more · /queue lists them", all-height+1))
	}
	return rows
}
