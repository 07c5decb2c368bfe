package provider

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"

	"github.com/aloudchat/aloud/provider/budget"
)

// repeats remembers the calls of a turn that gave a result, since models like to make the same one again. The zero value is ready.
type repeats struct {
	made     map[string]*made
	withheld map[string]bool // tools that are not run any more in this turn
}

// made is a call that gave a result.
type made struct {
	times    int
	text     string
	reusable bool // to make the call again would change nothing
}

// key tells calls apart by tool and arguments, in whatever order the arguments come.
func (j *job) key() string {
	decoder := json.NewDecoder(bytes.NewReader(j.arguments))
	decoder.UseNumber()
	var arguments any
	if decoder.Decode(&arguments) != nil {
		return j.Name + " " + string(j.arguments)
	}
	sorted, err := json.Marshal(arguments)
	if err != nil {
		return j.Name + " " + string(j.arguments)
	}
	return j.Name + " " + string(sorted)
}

// note keeps what a call gave.
func (r *repeats) note(j *job, text string) {
	if r.made == nil {
		r.made, r.withheld = make(map[string]*made), make(map[string]bool)
	}
	key := j.key()
	if r.made[key] == nil {
		r.made[key] = &made{reusable: j.tool.ReadOnly || j.tool.Idempotent}
	}
	r.made[key].times++
	r.made[key].text = text
}

// forget lets calls be made again that read something: it may have changed after a call that is not known to have only read, or the model
// may not have the result in front of it any more.
func (r *repeats) forget() {
	maps.DeleteFunc(r.made, func(_ string, m *made) bool { return m.reusable })
}

// checkRepeat answers a call that was made before in this turn. The second time the earlier result of a tool that changes nothing more is good
// enough; the third time the tool is withheld, though still offered, since a changed list of tools would cost the server its prompt cache; the
// fourth ends the turn.
func (t *turn) checkRepeat(j *job, room int) ending {
	before := t.repeats.made[j.key()]
	switch {
	case !t.chat.defends(watchRepeats):
	case before != nil && before.times >= 3:
		t.settle(j, CallSkipped, "The work was stopped.")
		why := fmt.Sprintf("%s called %d times with the same arguments", j.Title, before.times+1)
		return limited(Iterations, before.times+1, why, "")
	case before != nil && before.times == 2:
		t.repeats.withheld[j.Name] = true
		t.settle(j, CallSkipped, "You have made this same call before, more than once. Its result has not changed and the tool is not available any more. "+
			"Answer from what you have.")
		before.times++
	case t.repeats.withheld[j.Name]:
		t.settle(j, CallSkipped, "This tool is not available any more. Answer from what you have.")
	case before != nil && before.reusable:
		again, _ := budget.Trim(before.text, room)
		t.settle(j, CallCached, "You have already made this same call; this is its result again, use it.\n"+again)
		before.times++
	}
	return ending{}
}

// skipTwins settles calls that would run at the same time as another that is just the same.
func (t *turn) skipTwins(group []*job) {
	if len(group) < 2 || !t.chat.defends(watchRepeats) {
		return
	}
	seen := make(map[string]bool, len(group))
	for _, j := range group {
		if j.tool.Name == "" || j.complaint != "" {
			continue
		}
		key := j.key()
		if seen[key] {
			t.settle(j, CallSkipped, "This is the same call as another one in this reply: see what that one gave.")
		}
		seen[key] = true
	}
}
