package loop

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"strings"

	"github.com/aloudchat/aloud/internal/jsonschema"
	"github.com/aloudchat/aloud/internal/sanitize"
	"github.com/aloudchat/aloud/mcpclient"
	"github.com/aloudchat/aloud/provider/event"
)

// maxJudged is how often a call is judged again because its tool or what it changes has changed.
const maxJudged = 3

// judgeAgain settles a call that was admitted, but that was not made because something has changed since, if it may not
// run as things are now.
func (r *round) judgeAgain(ctx context.Context, j *job, room int) ending {
	changed := j.changed
	j.changed, j.news = nil, ""
	if j.judged++; j.judged > maxJudged {
		r.settle(j, event.CallError, "This call was not made, because things keep changing: "+changed.Error())
		return ending{}
	}
	if errors.Is(changed, mcpclient.ErrOutdated) { // ask even if calls like this were allowed: this change was not shown
		if verdict, why := r.verdict(j); verdict != mcpclient.VerdictDeny {
			j.news = changed.Error()
			return r.approve(ctx, j, why)
		}
		return r.permit(ctx, j)
	}
	r.offer()
	was := mcpclient.FingerprintOf(j.tool)
	j.tool, _ = r.tools.find(j.Name)
	j.Title = r.tools.title(j.tool, j.Name)
	if fault := misfit(j.tool.Schema, j.arguments); fault != "" {
		j.complaint = "The tool has changed, and the arguments do not fit it any more: " + fault + ".\n" +
			"Call it again as it is described now."
	}
	if what := mcpclient.FingerprintOf(j.tool).Differences(was); len(what) > 0 {
		j.news = "the tool has changed since the model called it: " + strings.Join(what, ", ")
	}
	return r.admitOne(ctx, j, room)
}

// misfit returns why arguments do not fit a schema, or "".
func misfit(schema, arguments json.RawMessage) string {
	root, isSchema := jsonschema.Parse(schema)
	value, isJSON := jsonschema.Decode(arguments)
	if !isSchema || !isJSON {
		return ""
	}
	var check jsonschema.Check
	faults, _ := check.Validate(root, value)
	if len(faults) == 0 {
		return ""
	}
	return cmp.Or(sanitize.Clip(strings.Join(faults[0].Path, "."), 80), "they") + ": " + faults[0].Text
}
