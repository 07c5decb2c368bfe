package loop

import (
	"bytes"
	"encoding/json"
	"hash/maphash"
	"maps"

	"github.com/aloudchat/aloud/internal/jsonschema"
	"github.com/aloudchat/aloud/mcpclient"
	"github.com/aloudchat/aloud/provider"
	"github.com/aloudchat/aloud/provider/event"
)

// sameResults is the number of times in a row that a call may give the same result. The next such call is not made, and
// the one after it ends the turn.
const sameResults = 3

// madeBefore is added to a result that the model has seen before.
const madeBefore = "\n\n(You have already made this same call, and it gave this same result.)"

// repeats has the calls of a turn and their last results, by key. A nil map is ready to use.
type repeats map[string]made

// made is a call and its last result.
type made struct {
	times  int    // in a row with this result
	digest uint64 // of the result
	text   string // as the model read it; "" if it must not be reused
}

// keyOf returns the same key for equal calls: the same tool, and the same arguments in any order.
func keyOf(tool string, arguments json.RawMessage) string {
	return tool + " " + string(jsonschema.Sorted(arguments))
}

// note records the result of a call, and the text for the model. A call with effects invalidates the results of others.
func (r *round) note(j *job, result mcpclient.Result, text string) {
	if !changesNothing(j.tool) {
		maps.DeleteFunc(r.repeats, func(key string, _ made) bool { return key != j.key })
	}
	m := r.repeats[j.key]
	delete(r.repeats, j.key)
	if result.Failed { // failures have their own limit
		return
	}
	digest := maphash.String(seed, result.Text+"\x00"+string(bytes.Join(result.Images, []byte{0})))
	if digest != m.digest {
		m = made{digest: digest}
	}
	if m.times++; m.times > 1 {
		j.postscript += madeBefore
	}
	if changesNothing(j.tool) && j.tool.Idempotent && !j.tool.OpenWorld {
		m.text = text
	}
	if r.repeats == nil {
		r.repeats = make(repeats)
	}
	r.repeats[j.key] = m
}

var seed = maphash.MakeSeed()

// checkRepeat settles a call whose result is known, or that gave the same result too often.
func (r *round) checkRepeat(j *job, room int) ending {
	m := r.repeats[j.key]
	switch {
	case m.times > sameResults:
		r.settle(j, event.CallSkipped, "The work was stopped.")
		n := m.times + 1
		return stopped(event.Stop{Reason: event.Iterations, Cause: event.SameResults, Tool: j.Title, Value: n, Limit: n})
	case m.times == sameResults:
		r.settle(j, event.CallSkipped,
			"This call was not made: it has given the same result three times. Use that result or try something else.")
	case m.text != "":
		again, _ := provider.Trim(m.text, room)
		j.postscript = madeBefore
		r.settle(j, event.CallCached, again)
	default:
		return ending{}
	}
	m.times++
	r.repeats[j.key] = m
	return ending{}
}

// findTwins marks the calls of a round that are equal to an earlier one. Only the first is made.
func findTwins(jobs []*job) {
	first := make(map[string]*job, len(jobs))
	for _, j := range jobs {
		if !j.pending() {
			continue
		}
		if j.twin = first[j.key]; j.twin == nil {
			first[j.key] = j
		}
	}
}

// answerTwins copies results to equal calls, without images.
func (r *round) answerTwins(group []*job) {
	for _, j := range group {
		if j.twin == nil {
			continue
		}
		became := j.twin.Status
		if became == event.CallOK {
			became = event.CallCached
		}
		j.postscript = j.twin.postscript
		r.settle(j, became, j.twin.Result)
	}
}
