package openai

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"time"

	"github.com/aloudchat/aloud/provider"
	"github.com/aloudchat/aloud/provider/endpoint"
)

// endTimeout limits the time between the end of a reply and the end of its stream, in which the token count can come.
const endTimeout = 3 * time.Second

// exceeds is a part of hints about replies that broke off.
const exceeds = "some servers do this when the conversation exceeds their context"

// errLeft means that the caller has left the loop.
var errLeft = errors.New("the caller has left the loop")

// Chat implements provider.Model. The only phases are the loading of the model, if the server reports it, and retries.
func (c *Client) Chat(ctx context.Context, req provider.Request) iter.Seq2[provider.Chunk, error] {
	return func(yield func(provider.Chunk, error) bool) {
		if err := c.chat(ctx, req, yield); err != nil && !errors.Is(err, errLeft) {
			yield(provider.Chunk{}, endpoint.Ended(ctx, err))
		}
	}
}

func (c *Client) chat(ctx context.Context, req provider.Request, yield func(provider.Chunk, error) bool) error {
	stream, err := c.open(ctx, req, yield)
	if err != nil {
		return nothingCame(err)
	}
	defer stream.Close()
	var r reply
	var timeout *time.Timer
	for !r.done {
		event, err := stream.Event()
		if err != nil {
			if r.finished == "" && !errors.Is(err, io.EOF) {
				if !r.hasContent {
					err = nothingCame(err)
				}
				return err
			}
			break // only the token count may be missing
		}
		size := r.calls.size
		chunk, failure, err := r.take(event)
		if err != nil && r.finished == "" {
			return c.Unreadable(event.Data, err)
		}
		// Parts of a call give empty chunks, which show that the model is at work.
		if (chunk.Text != "" || chunk.Thinking != "" || r.calls.size > size) && !yield(chunk, nil) {
			return errLeft
		}
		if failure != nil || event.Name == "error" { // may come without data
			return c.streamError(failure, req)
		}
		if r.finished != "" && timeout == nil {
			timeout = time.AfterFunc(endTimeout, stream.Cancel)
			defer timeout.Stop()
		}
	}
	if err := c.end(req, &r, yield); err != nil {
		return err
	}
	stream.Finish()
	return nil
}

// nothingCame completes the error of a connection that was lost before a reply came. llama-cpp-python closes it instead
// of returning an error.
func nothingCame(err error) error {
	if e, ok := errors.AsType[*provider.Error](err); ok && e.Kind == provider.KindBroken {
		e.Hint = "check that the server is running; " + exceeds
	}
	return err
}

// end yields the calls and the last chunk of a reply.
func (c *Client) end(req provider.Request, r *reply, yield func(provider.Chunk, error) bool) error {
	if err := c.checkEnd(req.Model, r, yield); err != nil {
		return err
	}
	if r.thinkingField != "" {
		c.learn(req.Model, func(h *habits) { h.thinkingField = r.thinkingField })
	}
	switch r.finished {
	case "content_filter":
		text := fmt.Sprintf("blocked by the content filter of the server at %q", c.Address())
		return &provider.Error{Text: text, Hint: "rephrase your message"}
	case "error":
		return c.unexplained()
	}
	if calls := r.calls.finished(); len(calls) > 0 && !yield(provider.Chunk{Calls: calls}, nil) {
		return errLeft
	}
	yield(provider.Chunk{Done: true, Reason: cmp.Or(r.finished, "stop"), Usage: r.usage}, nil)
	return nil
}

// checkEnd returns an error if a reply is not complete. It yields a notice if the server does not give a reason for the
// end: the first time, and always if it usually does. llama-cpp-python cuts an answer off without one when another
// request comes.
func (c *Client) checkEnd(model string, r *reply, yield func(provider.Chunk, error) bool) error {
	notice := "The server does not mark the end of its answers. They count as complete when the token count has come."
	known := c.habitsOf(model)
	switch {
	case r.finished != "":
		if !known.givesReasons {
			c.learn(model, func(h *habits) { h.givesReasons = true })
		}
		return nil
	case r.hasContent && r.done && r.calls.complete():
		notice = "The server gave no reason for the end of the answer, which may be cut off."
	case !r.isWhole():
		return &provider.Error{Kind: provider.KindBroken, Text: endpoint.EndedEarly,
			Hint: "try again; " + exceeds} // vaadin/flow-components#9195
	}
	if known.noEndMark && !known.givesReasons {
		return nil
	}
	c.learn(model, func(h *habits) { h.noEndMark = true })
	if !yield(provider.Chunk{Notice: notice}, nil) {
		return errLeft
	}
	return nil
}
