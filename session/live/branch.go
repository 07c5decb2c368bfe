package live

import (
	"fmt"
	"slices"

	"github.com/aloudchat/aloud/provider"
	"github.com/aloudchat/aloud/session"
)

// enter sets the branches of a conversation, and which one it is in. Without any, the conversation is the first one.
func (c *Chat) enter(branches []session.Branch, number int) {
	if len(branches) == 0 {
		branches, number = []session.Branch{{Number: 1, Conversation: c.parts.Conversation}}, 1
	}
	c.branches = slices.Clone(branches)
	c.arrive(slices.IndexFunc(branches, func(b session.Branch) bool { return b.Number == number }))
}

// arrive makes a branch the current one.
func (c *Chat) arrive(at int) {
	b := c.branches[at]
	c.current, c.forking, c.turns = at, false, slices.Clip(b.Turns)
	c.keep(b.Conversation)
	c.stopped = isStopped(b.Conversation, b.Turns)
}

// leave notes the state of the current branch.
func (c *Chat) leave() {
	if !c.forking {
		c.branches[c.current].Conversation, c.branches[c.current].Turns = c.parts.Conversation, c.turns
	}
}

// Turns returns the finished turns of the conversation, in order.
func (c *Chat) Turns() []session.Turn { return c.turns }

// Branches returns the branches in the order in which they began, and the index of the current one.
func (c *Chat) Branches() (all []session.Branch, current int) {
	c.leave()
	return slices.Clone(c.branches), c.current
}

// Switch goes to a branch. The error is that of recording this.
func (c *Chat) Switch(number int) error {
	at := slices.IndexFunc(c.branches, func(b session.Branch) bool { return b.Number == number })
	if at < 0 {
		return fmt.Errorf("no branch %d", number)
	}
	c.leave()
	same := at == c.current
	if c.arrive(at); same {
		return nil
	}
	return c.parts.Recorder.Switch(number)
}

// Fork goes back to before one of your questions, counted from 1, and returns its messages. Your next message begins a
// branch there. What you left out stays out. Until then nothing is recorded, and Stay undoes it.
func (c *Chat) Fork(question int) ([]provider.Message, error) {
	all := c.parts.Conversation.Questions()
	if question < 1 || question > len(all) {
		return nil, fmt.Errorf("no question %d: this conversation has %d", question, len(all))
	}
	c.leave()
	before := all[question-1]
	_, messages := c.parts.Conversation.Until(before + 1).LastQuestion()
	drops := provider.Drops(c.parts.Conversation.Messages()[before:], before)
	c.keep(c.parts.Conversation.Until(before).With(drops...))
	c.kept, c.forking, c.stopped, c.turns = before, true, false, slices.Clip(session.Within(c.turns, before))
	return messages, nil
}

// Forking reports whether your next message begins a branch.
func (c *Chat) Forking() bool { return c.forking }

// Stay undoes Fork.
func (c *Chat) Stay() {
	c.leave()
	c.arrive(c.current)
}

// beginBranch begins the branch after Fork. The returned function records it.
func (c *Chat) beginBranch() (record func() error) {
	if !c.forking {
		return func() error { return nil }
	}
	b := session.Branch{Parent: c.branches[c.current].Number, Kept: c.kept}
	for _, other := range c.branches {
		b.Number = max(b.Number, other.Number+1)
	}
	c.branches, c.current, c.forking = append(c.branches, b), len(c.branches), false
	drops := c.parts.Conversation.Messages()[b.Kept:]
	return func() error { return c.parts.Recorder.Fork(b, drops) }
}
