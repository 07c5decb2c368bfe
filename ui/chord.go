package ui

import (
	"cmp"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/aloudchat/aloud/ui/composer"
)

// prefix begins the chords: two keys, one after the other.
const prefix = "ctrl+x"

// chord is the beginning of a chord.
type chord struct{ begun bool }

// press returns the action of a key, and whether the key edits the draft. The second key of a chord never does, even if
// the chord has no action. Dialogs have no chords.
func (c *chord) press(k tea.KeyPressMsg, keys keymap, prompt *composer.Composer, asks bool) (act action, edits bool) {
	name := k.String()
	if c.begun && !asks {
		c.begun = false
		return cmp.Or(keys.action(prefix+" "+name), doNothing), false
	}
	act = keys.action(name)
	c.begun = act == "" && name == prefix && !asks
	return act, prompt.Edits(k)
}

// defaults returns the default keys of the action.
func (b binding) defaults() (keys []string) {
	for key := range strings.FieldsSeq(b.keys) {
		if n := len(keys) - 1; n >= 0 && keys[n] == prefix {
			key, keys = prefix+" "+key, keys[:n]
		}
		keys = append(keys, key)
	}
	return keys
}
