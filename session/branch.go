package session

import (
	"cmp"
	"slices"
	"time"

	"github.com/aloudchat/aloud/provider"
	"github.com/aloudchat/aloud/provider/event"
)

// Branch is one line of a conversation, from its first message. Branches share the messages before their fork.
type Branch struct {
	Number       int // from 1, in the order in which they began
	Parent       int // the branch that it left, 0 for the first
	Kept         int // the number of messages that it shares with it
	Conversation provider.Conversation
	Turns        []Turn // the finished ones, in order
}

// TurnOf returns the record of a turn that ended now.
func TurnOf(ev event.Ended) Turn {
	result := endOf(ev.Result)
	result.Model = ev.Result.Model
	return Turn{Messages: ev.Conversation.Len(), Ended: time.Now().UTC(), Result: *result}
}

// track is the state of a branch while a file is read.
type track struct {
	number, parent, kept int
	messages             []provider.Message
	question             int    // index of the first message of the user, see hasQuestion
	turns                []Turn // finished turns
}

// fork applies a branch record: another branch is the current one, or begins. It is the newest state of a branch that
// counts, because messages are only added to the current one.
func (h *history) fork(r record) {
	h.dropPieces()
	h.others[h.number] = h.track
	if known, ok := h.others[r.Branch]; ok {
		delete(h.others, r.Branch)
		h.track = known
		return
	}
	parent, ok := h.others[r.Parent]
	if !ok { // in a damaged file
		parent = h.track
	}
	kept := len(parent.messages)
	if r.Keep != nil {
		kept = max(0, min(*r.Keep, kept))
	}
	h.track = track{r.Branch, parent.number, kept, slices.Clone(parent.messages[:kept]), parent.question,
		slices.Clone(Within(parent.turns, kept))}
}

// branches returns all branches, the current one with these messages. mends has the records that make the messages of
// the others valid, by their numbers: only those of a damaged file need any.
func (h *history) branches(whole []provider.Message) (all []Branch, mends map[int][]record) {
	add := func(p track, messages []provider.Message) {
		all = append(all, Branch{p.number, p.parent, p.kept, provider.Conversation{}.With(messages...), p.turns})
	}
	add(h.track, whole)
	for number, p := range h.others {
		other := history{track: p}
		messages := other.valid()
		if records, same := other.repair(messages); len(records) > 0 {
			if mends == nil {
				mends = map[int][]record{}
			}
			mends[number], p.turns = records, Within(p.turns, same)
		}
		add(p, messages)
	}
	slices.SortFunc(all, func(a, b Branch) int { return cmp.Compare(a.Number, b.Number) })
	return all, mends
}

// ran returns the finished turns of all branches, each once, in the order in which they ended.
func (h *history) ran() []Turn {
	all := slices.Clone(h.own())
	for _, p := range h.others {
		all = append(all, p.own()...)
	}
	slices.SortStableFunc(all, func(a, b Turn) int { return a.Ended.Compare(b.Ended) })
	return all
}

// own returns the turns that a branch does not share with its parent.
func (p track) own() []Turn { return p.turns[len(Within(p.turns, p.kept)):] }

// Fork records that a branch begins with the first messages of another one, and then has more of its own. All further
// records belong to it.
func (r *Recorder) Fork(b Branch, own []provider.Message) error {
	return r.leave(record{Type: typeBranch, Branch: b.Number, Parent: b.Parent, Keep: &b.Kept}, messageRecords(own)...)
}

// Switch records that all further records belong to a branch that began earlier.
func (r *Recorder) Switch(number int) error { return r.leave(record{Type: typeBranch, Branch: number}) }

// leave writes the record of a branch and those after it at once, so that a crash does not separate them.
func (r *Recorder) leave(branch record, after ...record) error {
	r = r.orNone()
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.file == nil {
		return nil
	}
	records := []record{branch}
	if !r.forked { // so that an older version, which knows no branches, refuses the file
		records = []record{{Type: typeMeta, Version: version, ID: r.id}, branch}
	}
	records = append(records, r.mends[branch.Branch]...)
	delete(r.mends, branch.Branch)
	r.forked = true
	return r.append(false, append(records, after...)...)
}
