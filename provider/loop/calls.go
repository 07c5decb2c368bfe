package loop

import (
	"bytes"
	"context"
	"encoding/json"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/aloudchat/aloud/internal/sanitize"
	"github.com/aloudchat/aloud/mcpclient"
	"github.com/aloudchat/aloud/provider"
	"github.com/aloudchat/aloud/provider/event"
)

// job is one call of a reply.
type job struct {
	event.ToolCall                                    // as in events and the result
	arguments      json.RawMessage                    // for the tool: an object
	tool           mcpclient.Tool                     // zero if there is no such tool
	complaint      string                             // the error for the model if its arguments do not fit the tool
	key            string                             // the same for equal calls
	twin           *job                               // the equal call of this round that is made instead, or nil
	images         [][]byte                           // of its result; after it was reported only those for the model
	progress       atomic.Pointer[mcpclient.Progress] // the latest that was not reported yet
	postscript     string                             // follows the result for the model
	basis          string                             // what the approved diff was made from; "" if none was shown
	changed        error                              // why the call was not made although it was admitted; may be nil
	judged         int                                // how often it was judged again
	news           string                             // what has changed since it was judged, for the approval
}

func (j *job) pending() bool { return j.Status == event.CallPending && j.twin == nil }

// accept makes a job of each call of the reply and reports it. In the reply it gives each call a unique id, the title
// of its tool, and an object as arguments, since servers refuse a history with anything else.
func (r *round) accept() {
	r.reply.Calls = slices.Clone(r.reply.Calls)
	for i := range r.reply.Calls {
		call := &r.reply.Calls[i]
		j := r.newJob(*call)
		call.ID, call.Name, call.Title, call.Arguments = j.ID, j.Name, j.Title, j.arguments
		r.jobs = append(r.jobs, j)
		r.emit(event.ToolCalled{Call: j.ToolCall})
	}
	findTwins(r.jobs)
}

func (r *round) newJob(call provider.Call) *job {
	j := &job{complaint: call.Complaint}
	j.ID, j.Name, j.Repairs = r.history.uniqueID(valid(call.ID)), valid(call.Name), call.Repairs
	j.Status = event.CallPending
	if tool, ok := r.tools.find(j.Name); ok {
		j.tool, j.Server, j.BuiltIn = tool, tool.Server, tool.BuiltIn != ""
	}
	j.Title = r.tools.title(j.tool, j.Name)
	j.arguments = bytes.ToValidUTF8(call.Arguments, []byte("\uFFFD")) // encoding/json accepts invalid bytes
	switch trimmed := bytes.TrimSpace(j.arguments); {
	case len(trimmed) == 0, string(trimmed) == "null":
		j.arguments = json.RawMessage("{}")
	case !provider.IsObject(trimmed):
		j.complaint = "The arguments are not a JSON object.\nCall the tool again with one."
		call.Sent, j.arguments = j.arguments, json.RawMessage("{}")
	}
	j.Arguments = j.arguments
	if j.complaint != "" {
		j.Arguments = asJSON(call.Sent) // show the arguments as sent
	}
	if call.Cut {
		j.complaint = "This call was not made: its arguments are too long and were cut off. " +
			provider.CutMark(provider.MaxArguments) + "\nMake it again with shorter ones."
	}
	j.key = keyOf(j.Name, j.Arguments)
	return j
}

// asJSON returns raw as it is if it is valid JSON, and otherwise as a JSON string.
func asJSON(raw json.RawMessage) json.RawMessage {
	raw = bytes.ToValidUTF8(raw, []byte("\uFFFD"))
	if json.Valid(raw) {
		return raw
	}
	quoted, _ := json.Marshal(sanitize.Cut(string(raw), 4096)) // cannot fail for a string
	return quoted
}

// settle ends a call with the result for the model. If the call was not successful, people read only the first line,
// which is the reason. Advice for the model follows on further lines.
func (t *turn) settle(j *job, s event.CallStatus, text string) {
	j.Status, j.Result = s, text
	if s != event.CallOK && s != event.CallCached {
		line, _, _ := strings.Cut(strings.TrimSpace(sanitize.Cut(text, 1000)), "\n")
		j.Error = sanitize.Line(strings.ToValidUTF8(sanitize.Cut(line, 300), ""))
	}
	t.emit(event.ToolFinished{Call: j.ToolCall, Images: j.images})
	if !t.known.info.Vision {
		j.images = nil
	}
}

// answers returns the tool messages of settled calls.
func answers(jobs []*job) []provider.Message {
	messages := make([]provider.Message, len(jobs))
	for i, j := range jobs {
		messages[i] = provider.Message{
			Role: provider.RoleTool, CallID: j.ID, Tool: j.Name, Text: j.Result + j.postscript, Images: j.images,
			Failed: j.Status != event.CallOK && j.Status != event.CallCached, Partial: j.Status == event.CallCancelled,
		}
		if !messages[i].Failed || j.Status == event.CallError && j.complaint == "" {
			messages[i].Origin = originOf(j.tool)
		}
	}
	return messages
}

// admit settles the calls that will not run. The ending is set if one of them ends the turn.
func (r *round) admit(ctx context.Context, group []*job, room int) ending {
	for _, j := range group {
		if !j.pending() {
			continue
		}
		if end := r.admitOne(ctx, j, room); !end.goesOn() {
			return end
		}
		if ctx.Err() != nil {
			return r.interrupted(ctx, ctx.Err())
		}
	}
	return ending{}
}

func (r *round) admitOne(ctx context.Context, j *job, room int) ending {
	if j.tool.Name == "" {
		r.settle(j, event.CallError, r.tools.unknown(j.Name))
		return ending{}
	}
	if j.complaint != "" {
		r.settle(j, event.CallError, j.complaint)
		return ending{}
	}
	if end := r.checkRepeat(j, room); !end.goesOn() || !j.pending() {
		return end
	}
	if j.tool.Name == readMore.Name {
		r.readOn(j, room)
		return ending{}
	}
	return r.permit(ctx, j)
}

// skip settles the calls that are left when the turn ends.
func (r *round) skip(group []*job, end ending) {
	for _, j := range group {
		switch {
		case !j.pending():
		case end.Reason == event.Cancelled:
			r.settle(j, event.CallCancelled, "This call was cancelled before it ran.")
		default:
			r.settle(j, event.CallSkipped, "This call was not run: "+end.ForModel()+".")
		}
	}
}
