package conn

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/aloudchat/aloud/mcpclient/stdio"
	"github.com/aloudchat/aloud/secret"
)

// How often a task is looked at, whatever the server proposes, and how long it is kept there for us at least.
const (
	usualPoll    = time.Second
	shortestPoll = 100 * time.Millisecond
	longestPoll  = 5 * time.Second
	keepTask     = time.Hour

	// maxFailedPolls is how often in a row a server may not say how a task is: it may be busy with it.
	maxFailedPolls = 3
)

// task is work that a server does in its own time. Calls of some tools begin one instead of giving a result.
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

// finishTask waits for a task and gives its result. say tells what the server says of it meanwhile. A task that is given up is cancelled.
func (c *Conn) finishTask(ctx context.Context, tool Tool, t task, say func(Progress)) (Result, error) {
	said := ""
	for failed := 0; ; {
		if t.Message != said && t.Message != "" {
			said = t.Message
			say(Progress{Message: said})
		}
		over := t.Status.IsTerminal()
		if over || t.Status == mcp.TaskStatusInputRequired { // being asked for the result is how a server gets to ask
			raw, err := c.ask(ctx, mcp.MethodTasksResult, t.ID)
			if err != nil && (!over || ctx.Err() != nil) {
				return Result{}, c.giveUp(ctx, t, err)
			}
			return t.result(tool, c.questions.Secrets, raw, err)
		}
		select {
		case <-time.After(t.pollAfter()):
		case <-ctx.Done():
			return Result{}, c.giveUp(ctx, t, ctx.Err())
		}
		now, err := c.look(ctx, t)
		if err == nil {
			t, failed = now, 0
			continue
		}
		if failed++; failed == maxFailedPolls || endsTasks(err) {
			return Result{}, c.giveUp(ctx, t, err)
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
func (t task) result(tool Tool, secrets secret.Hider, raw json.RawMessage, err error) (Result, error) {
	why := clip(t.Message)
	switch {
	case t.Status == mcp.TaskStatusCancelled:
		return Result{}, fmt.Errorf("it cancelled the task itself: %s", cmp.Or(why, "it does not say why"))
	case err != nil && t.Status == mcp.TaskStatusFailed && why != "":
		return Result{Text: t.Message, Failed: true}, nil // its own words for what went wrong
	case err != nil:
		return Result{}, err
	}
	r, err := readResult(raw, tool.Output, secrets)
	r.Failed = r.Failed || t.Status == mcp.TaskStatusFailed
	return r, err
}

// errTaskLost is the end of a task of which the server knows nothing any more. The call that began it has been made: it is not made again.
var errTaskLost = errors.New("it has forgotten the task with our session")

// endsTasks reports whether nothing is there that could still be asked.
func endsTasks(err error) bool { return errors.Is(err, errTaskLost) || errors.Is(err, stdio.ErrGone) }

// giveUp has the server cancel a task, unless it is over, and returns why with whether that worked.
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
		return why // if you stop a call, its parts are of no interest
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
