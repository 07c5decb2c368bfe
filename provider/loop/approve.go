package loop

import (
	"context"
	"fmt"
	"strings"

	"github.com/aloudchat/aloud/mcpclient"
	"github.com/aloudchat/aloud/provider/event"
)

// permit settles a call that may not run. If you refuse it without a reason, the turn ends. Any other refusal is
// reported to the model. If aloud cannot ask, the model may try another way, but if it just answers, the turn ends as
// denied.
func (r *round) permit(ctx context.Context, j *job) ending {
	verdict, why := r.verdict(j)
	switch verdict {
	case mcpclient.VerdictRun:
		return ending{}
	case mcpclient.VerdictDeny:
		r.settle(j, event.CallDenied, "The configuration does not allow this call.")
		return ending{}
	}
	return r.approve(ctx, j, why)
}

// approve settles a call that needs approval, unless you approve it. why is as in decision.
func (r *round) approve(ctx context.Context, j *job, why string) ending {
	if !r.chat.Interactive {
		r.denyUnasked(j, why)
		return ending{}
	}
	decision := r.decision(ctx, j, why)
	switch {
	case ctx.Err() != nil:
		return r.interrupted(ctx, ctx.Err())
	case decision == nil: // a cancelled reader returns no answer just before ctx is done
		return stopped(event.StopOf(ctx))
	}
	return r.obey(j, *decision)
}

// denyUnasked denies a call that needs approval when aloud cannot ask for it. why is as in decision.
func (r *round) denyUnasked(j *job, why string) {
	r.unapproved = j.Title
	needs, told := "This call needs the user's approval", why+". To allow it, use --yes"
	if why != "" {
		needs += " because " + why
	} else {
		told = "aloud cannot ask for approval here. To allow it, use --yes" +
			fmt.Sprintf(" or add %q to approval.allow in the configuration", r.chat.Policy.Pattern(j.tool, j.arguments))
	}
	r.settle(j, event.CallDenied, needs+", and the user cannot be asked.\nDo without it, and say so in your answer.")
	r.notice("%s was not run: %s.", j.Title, told)
}

// decision asks for your approval while the work clock is stopped. why is the reason to ask although the call was
// allowed, or "". With a reason, approval counts only once. It returns nil if there was no answer.
func (r *round) decision(ctx context.Context, j *job, why string) *event.Decision {
	var d *event.Decision
	r.clock.ask()
	rules := r.chat.Policy
	asked := event.Asked{Call: j.ToolCall, Tool: j.tool, Why: why, Answer: func(given event.Decision) { d = &given }}
	if why == "" {
		asked.Pattern, asked.Host = rules.Pattern(j.tool, j.arguments), mcpclient.HostOf(j.tool, j.arguments)
		if changed := rules.Changed(j.tool, j.arguments); len(changed) > 0 {
			asked.Why = "the tool has changed since you allowed it: " + strings.Join(changed, ", ")
		}
	}
	if j.news != "" {
		asked.Why = strings.TrimSuffix(j.news+"; "+why, "; ")
	}
	if p, ok := r.chat.Tools.(mcpclient.Previews); ok {
		var err error
		if asked.Diff, j.basis, err = p.Preview(ctx, j.tool.Name, j.arguments); err != nil {
			asked.Doubt = err.Error()
		}
	}
	r.emit(asked)
	r.clock.answered()
	if why != "" && d != nil {
		d.Session, d.Always = false, false
	}
	return d
}

func (r *round) obey(j *job, d event.Decision) ending {
	switch {
	case d.Allow && (d.Session || d.Always):
		if err := r.chat.Policy.Allow(j.tool, j.arguments, d.Always); err != nil {
			r.notice("Approved for this session only: %v", err)
		}
	case d.Allow:
	case d.Reason != "":
		r.settle(j, event.CallDenied, "The user refused this call and says: "+valid(d.Reason))
	default:
		r.settle(j, event.CallDenied, "The user refused this call.")
		return stopped(event.Stop{Reason: event.Denied, Tool: j.Title})
	}
	return ending{}
}
