package provider

import (
	"context"
	"fmt"
	"strings"

	"github.com/aloudchat/aloud/mcpclient/policy"
	"github.com/aloudchat/aloud/status"
)

// permit settles a call that may not run. A person who refuses it without a reason ends the turn; every other refusal is news for the model.
// Where nobody can be asked the model may try another way, and a turn that it then ends without another call ends as denied.
func (t *turn) permit(ctx context.Context, j *job) ending {
	verdict, why := t.verdict(j)
	switch verdict {
	case policy.Run:
		return ending{}
	case policy.Deny:
		t.settle(j, CallDenied, "The configuration does not allow this call.")
		return ending{}
	}
	if !t.chat.Interactive {
		t.denyUnasked(j, why)
		return ending{}
	}
	decision := t.decision(ctx, j, why)
	switch {
	case ctx.Err() != nil:
		return t.interrupted(ctx, ctx.Err())
	case decision == nil: // the reader was cancelled, and has noticed it before ctx, which descends from the reader's
		return stoppedByUser
	}
	return t.obey(j, *decision)
}

// denyUnasked settles a call that nobody is there to approve. why is why it asks whatever is allowed, or "".
func (t *turn) denyUnasked(j *job, why string) {
	t.unapproved = j.Title
	needs, told := "This call needs the approval of a person", "nobody is there to approve it. To allow it use --yes"
	if why != "" {
		needs, told = needs+" because "+why, why+", and "+told
	} else {
		told += fmt.Sprintf(", or add %q to approval.allow in the configuration", t.chat.policy().Pattern(j.tool, j.arguments))
	}
	t.settle(j, CallDenied, needs+", and nobody is there to give it. Do without it, and say so in your answer.")
	t.notice("%s was not run: %s.", j.Title, told)
}

// decision asks the person. Nothing of the turn's time passes until there is an answer. A call that asks whatever is allowed, because of
// why, is allowed once only. It returns nil if there was no answer.
func (t *turn) decision(ctx context.Context, j *job, why string) *Decision {
	var d *Decision
	t.clock.pause()
	t.begin(status.Approval, t.words().Phase(status.Approval))
	rules := t.chat.policy()
	asked := Asked{Call: j.ToolCall, Tool: j.tool, Why: why, answer: &d}
	if why == "" {
		asked.Pattern = rules.Pattern(j.tool, j.arguments)
		if changed := rules.Changed(j.tool, j.arguments); len(changed) > 0 {
			asked.Why = "the tool has changed since you allowed it: " + strings.Join(changed, ", ")
		}
	}
	if p, ok := t.chat.Tools.(Previews); ok {
		var err error
		if asked.Diff, err = p.Preview(ctx, j.tool.Name, j.Arguments); err != nil {
			asked.Doubt = err.Error()
		}
	}
	t.emit(asked)
	t.clock.resume()
	if why != "" && d != nil {
		d.Session, d.Always = false, false
	}
	return d
}

func (t *turn) obey(j *job, d Decision) ending {
	switch {
	case d.Allow && (d.Session || d.Always):
		if err := t.chat.policy().Allow(j.tool, j.arguments, d.Always); err != nil {
			t.notice("The approval holds for this session only: %v.", err)
		}
	case d.Allow:
	case d.Reason != "":
		t.settle(j, CallDenied, "The person refused this call and says: "+valid(d.Reason))
	default:
		t.settle(j, CallDenied, "The person refused this call.")
		return ending{Stop: Stop{Reason: Denied, Detail: j.Title + " was refused"}, why: j.Title + " was refused"}
	}
	return ending{}
}
