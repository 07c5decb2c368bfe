package provider

import (
	"strings"

	"github.com/aloudchat/aloud/provider/printed"
)

// content is what the text of one reply passes on its way to the reader: thinking between tags goes to the thinking, the give-up marker is
// taken off, and what may be a call written as text is held back until that is decided.
type content struct {
	tags    printed.Tags
	opening opening
	gate    *printed.Gate // nil: there are no tools to call
	stray   bool          // what came as text at first was thinking
}

// newGate is nil where no text can be a call.
func (t *turn) newGate() *printed.Gate {
	if len(t.tools) == 0 || !t.chat.defends(readPrinted) {
		return nil
	}
	return printed.NewGate(func(name string) bool {
		_, known := t.findTool(name)
		return known
	})
}

// write takes a piece of the reply's text.
func (l *listener) write(delta string) {
	if l.chat.defends(splitTags) {
		l.content.tags.Next(delta, l.piece)
		return
	}
	l.piece(delta, false)
}

// piece takes text that is known to be thinking or not.
func (l *listener) piece(text string, thinking bool) {
	l.recast()
	if thinking {
		l.think(text)
		return
	}
	l.pass(l.content.opening.next(text))
}

// pass lets text through the gate.
func (l *listener) pass(text string) {
	if l.content.gate != nil && !l.content.opening.gaveUp {
		text = l.content.gate.Next(text)
	}
	l.answer(text)
}

// endContent passes on what is held back at the end of the reply, or makes calls of it. A reply that broke off has none, and one in which there
// are calls that the server has read has said them twice.
func (l *listener) endContent(whole bool) {
	l.content.tags.Flush(l.piece)
	l.recast()
	l.pass(l.content.opening.flush())
	if l.content.gate == nil {
		return
	}
	found, held := l.content.gate.End()
	makes := len(found.Calls) > 0 && whole && len(l.calls) == 0 && l.offered
	if makes {
		l.unmade = l.doubt(found)
		makes = l.unmade == ""
	}
	if !makes {
		if l.unmade != "" || len(found.Calls) == 0 || !found.Alone() {
			l.answer(held)
		}
		return
	}
	l.keepOnly(found.Before)
	for _, call := range found.Calls {
		l.call([]Call{{Name: call.Name, Arguments: call.Arguments, repairs: []string{"written as text"}}})
	}
}

// keepOnly takes back all of the text but its beginning, which the model said before it called.
func (l *listener) keepOnly(before string) {
	if strings.TrimSpace(l.text.String()) == "" {
		return
	}
	l.emit(Withdrawn{})
	if thought := l.before + l.thinking.String(); thought != "" {
		l.emit(Thinking{thought})
	}
	before = strings.TrimSpace(before)
	l.text.Reset()
	l.text.WriteString(before)
	if before != "" {
		l.emit(Text{before})
	}
}

// recast makes thinking of all the text so far, when a tag shows that it was: the templates of some models open it in the prompt.
func (l *listener) recast() {
	if l.content.stray || !l.content.tags.Stray() {
		return
	}
	l.content.stray = true
	held := l.content.opening.flush()
	if l.content.gate != nil {
		held = l.content.gate.Next(held) + l.content.gate.Release()
	}
	thought := l.thinking.String() + l.text.String() + held
	if l.text.Len() > 0 {
		l.emit(Withdrawn{})
		if l.before != "" {
			l.emit(Thinking{l.before})
		}
		l.thinking.Reset()
		l.text.Reset()
	} else {
		thought = held
	}
	l.answering = false
	l.clock.spare(0)
	l.content.opening, l.content.gate = opening{}, l.newGate()
	if thought != "" {
		l.think(thought)
	}
}
