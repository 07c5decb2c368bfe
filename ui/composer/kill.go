package composer

import (
	"strings"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"github.com/aloudchat/aloud/internal/sanitize"
	"github.com/aloudchat/aloud/provider/attach"
)

// ring has the texts that were killed, to be yanked.
type ring struct {
	kills  []attach.Input // the newest last
	left   state          // after the last kill; another kill there adds to it
	at     int            // of the text that was yanked last
	yanked state          // after that
	before state          // and before it
}

// mostKills is how many killed texts are kept.
const mostKills = 60

// state returns the text around the cursor.
func (p *Composer) state() state {
	before := p.drawnBefore()
	return state{before, p.area.Value()[len(before):], p.chips}
}

// show shows a text and the cursor in it.
func (p *Composer) show(s state) {
	p.area.Reset()
	p.area.InsertString(s.after)
	p.area.MoveToBegin()
	p.area.InsertString(s.before)
	p.area, _ = p.area.Update(nil) // scrolls to the cursor
}

// Key edits the draft.
func (p *Composer) Key(k tea.KeyPressMsg) {
	defer p.changed()
	before := p.state()
	if next, ok := byWord(k.String(), before); ok && !p.area.HasSelection() {
		p.show(next)
	} else {
		k.Text = sanitize.Text(k.Text) // a terminal without bracketed paste pastes as keys
		p.area, _ = p.area.Update(k)
	}
	m := p.area.KeyMap
	kills := key.Matches(k, m.DeleteAfterCursor, m.DeleteBeforeCursor, m.DeleteWordForward, m.DeleteWordBackward)
	if !kills && !key.Matches(k, m.DeleteCharacterBackward, m.DeleteCharacterForward) {
		return
	}
	after := p.state()
	text := before.before + before.after
	from, until := whole(text, len(after.before), len(text)-len(after.after), p.chips)
	if from >= until {
		return
	}
	if from < len(after.before) || until > len(text)-len(after.after) {
		p.show(state{before: text[:from], after: text[until:]})
	}
	if kills {
		p.kill(before, p.withChips(text[from:until]), from < len(before.before))
	}
}

// whole widens a range of the text in the editor so that it does not cut a chip or a tab. An empty range stays empty.
func whole(text string, from, until int, chips []chip) (int, int) {
	if from >= until {
		return from, until
	}
	if strings.HasSuffix(text[:until], tab) {
		from = min(from, until-len(tab))
	}
	if strings.HasPrefix(text[from:], tab) {
		until = max(until, from+len(tab))
	}
	for _, c := range chips {
		if at := strings.Index(text, c.label); at >= 0 && at < until && at+len(c.label) > from {
			from, until = min(from, at), max(until, at+len(c.label))
		}
	}
	return from, until
}

// kill keeps a text that was removed before or after the cursor.
func (p *Composer) kill(before state, text attach.Input, backward bool) {
	r := &p.ring
	last := len(r.kills) - 1
	switch {
	case last < 0 || !r.left.same(before):
		r.kills = append(r.kills, text)
		r.kills = r.kills[max(0, len(r.kills)-mostKills):]
	case backward:
		r.kills[last] = text.Append(r.kills[last])
	default:
		r.kills[last] = r.kills[last].Append(text)
	}
	r.left = p.state()
}

// Yank inserts the text that was killed last.
func (p *Composer) Yank() {
	if last := len(p.ring.kills) - 1; last >= 0 {
		p.yank(last, p.state())
	}
}

// YankEarlier replaces the text that was just yanked with the one that was killed before it.
func (p *Composer) YankEarlier() {
	if n := len(p.ring.kills); n > 0 && p.ring.yanked.same(p.state()) {
		p.yank((p.ring.at+n-1)%n, p.ring.before)
	}
}

func (p *Composer) yank(at int, before state) {
	p.show(before)
	p.put(p.ring.kills[at])
	p.changed()
	p.ring.at, p.ring.before, p.ring.yanked = at, before, p.state()
}
