package conn

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/aloudchat/aloud/mcpclient/content"
	"github.com/aloudchat/aloud/mcpclient/stdio"
	"github.com/aloudchat/aloud/secret"
	"github.com/mark3labs/mcp-go/mcp"
)

// How often a task is looked at, whatever the server proposes, and how long it is kept there for us at least.
const (
	usualPoll    = time.Second
	shortestPoll = 100 * time.Millisecond
	longestPoll  = 5 * time.Second
	keepTask     = time.Hour

	// maxBlind is how often in a row a server may not say how a task is. It may be busy with it, or the way to it broken for a moment.
	maxBlind = 3
)

// task is work that a server does in its own time, as far as it tells. Calls of some tools begin one instead of giving a result.
type task struct {
	ID      string         `json:"taskId"`
	Status  mcp.TaskStatus `json:"status"`
	Message string         `json:"statusMessage"`
	Poll    float64        `json:"pollInterval"` // ms
}

// asTask is the parameter with which a call of the tool begins a task, nil when it is called plainly.
func (c *Conn) asTask(tool Tool) *mcp.TaskParams {
	tasks := c.can.Tasks
	if !tool.Tasks || tasks == nil || tasks.Requests == nil || tasks.Requests.Tools == nil || c.isModern() { // there they are an extension
		return nil
	}
	ttl := keepTask.Milliseconds()
	return &mcp.TaskParams{TTL: &ttl}
}

// begunTask reads the answer to a call that began a task. false: it is a result.
func begunTask(answer json.RawMessage) (task, bool) {
	var begun struct {
		Task task `json:"task"`
	}
	_ = json.Unmarshal(answer, &begun) // what is of an odd type is as if it were missing
	return begun.Task, begun.Task.ID != ""
}

// finishTask waits for a task and gives its result. say tells what the server says of it on the way. A task that is given up is cancelled.
func (c *Conn) finishTask(ctx context.Context, tool Tool, t task, say func(Progress)) (content.Result, error) {
	type outcome struct {
		result json.RawMessage
		err    error
	}
	var results chan outcome // nil until the result was asked for
	fetching, stop := context.WithCancel(ctx)
	defer stop()
	blind := 0
	for said := ""; ; {
		if t.Message != said && t.Message != "" {
			said = t.Message
			say(Progress{Message: said})
		}
		over := t.Status.IsTerminal()
		if results == nil && (over || t.Status == mcp.TaskStatusInputRequired) { // asking for the result is how a server gets to ask us
			results = make(chan outcome, 1)
			go func() {
				var o outcome
				o.result, o.err = c.ask(fetching, mcp.MethodTasksResult, t.ID)
				results <- o
			}()
		}
		var later <-chan time.Time
		if !over {
			later = time.After(t.pollAfter())
		}
		select {
		case o := <-results:
			if o.err != nil && (!over || ctx.Err() != nil) {
				return content.Result{}, c.giveUp(ctx, t, o.err)
			}
			return t.result(tool, c.questions.Secrets, o.result, o.err)
		case <-later:
			now, err := c.look(ctx, t)
			if err == nil {
				t, blind = now, 0
				continue
			}
			if blind++; blind == maxBlind || endsTasks(err) {
				return content.Result{}, c.giveUp(ctx, t, err)
			}
		case <-ctx.Done():
			return content.Result{}, c.giveUp(ctx, t, ctx.Err())
		}
	}
}

// look asks how a task is.
func (c *Conn) look(ctx context.Context, t task) (task, error) {
	raw, err := c.ask(ctx, mcp.MethodTasksGet, t.ID)
	if err != nil {
		return task{}, err
	}
	var now task
	_ = json.Unmarshal(raw, &now) // what is of an odd type is as if it were missing
	if now.Status == "" {
		return task{}, errors.New("it does not say how its task is")
	}
	now.ID = t.ID
	return now, nil
}

// result is what a task came to.
func (t task) result(tool Tool, secrets secret.Hider, raw json.RawMessage, err error) (content.Result, error) {
	why := clip(t.Message)
	switch {
	case t.Status == mcp.TaskStatusCancelled:
		return content.Result{}, fmt.Errorf("it cancelled the task itself: %s", cmp.Or(why, "it does not say why"))
	case err != nil && t.Status == mcp.TaskStatusFailed && why != "":
		return content.Result{Text: t.Message, Failed: true}, nil // its own words for what went wrong
	case err != nil:
		return content.Result{}, err
	}
	r, err := content.ReadResult(raw, tool.Output, secrets)
	r.Failed = r.Failed || t.Status == mcp.TaskStatusFailed
	return r, err
}

// errTaskLost is the end of a task of which the server knows nothing any more. The call that began it has been made: it is not made again.
var errTaskLost = errors.New("it has forgotten the task with our session")

// endsTasks tells that there is nobody there who could still be asked.
func endsTasks(err error) bool { return errors.Is(err, errTaskLost) || errors.Is(err, stdio.ErrGone) }

// giveUp has the server cancel a task that nobody waits for any more, for a reason that is not that it is over, and says whether it did.
func (c *Conn) giveUp(ctx context.Context, t task, why error) error {
	if ctx.Err() != nil {
		why = ctx.Err()
	}
	if endsTasks(why) || t.Status.IsTerminal() {
		return why
	}
	telling, stop := context.WithTimeout(context.WithoutCancel(ctx), confirmTime)
	defer stop()
	switch _, err := c.ask(telling, mcp.MethodTasksCancel, t.ID); {
	case err != nil:
		return givenUp(why, ErrUnconfirmed)
	case ctx.Err() != nil:
		return why // who stops a call does not ask what becomes of its parts
	}
	return fmt.Errorf("%w; its task was cancelled", why)
}

// pollAfter is when the task is looked at again.
func (t task) pollAfter() time.Duration {
	if !(t.Poll > 0) { // NaN neither
		return usualPoll
	}
	return time.Duration(min(max(t.Poll*float64(time.Millisecond), float64(shortestPoll)), float64(longestPoll)))
}

// ask sends a request about a task.
func (c *Conn) ask(ctx context.Context, method mcp.MCPMethod, id string) (json.RawMessage, error) {
	raw, err := c.converse(ctx, method, map[string]any{"taskId": id}, nil)
	if errors.Is(err, ErrSessionLost) {
		return nil, errTaskLost
	}
	return raw, err
}
