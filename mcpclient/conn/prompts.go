package conn

import (
	"context"
	"encoding/json"
	"errors"
	"strings"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/aloudchat/aloud/internal/sanitize"
	"github.com/aloudchat/aloud/mcpclient"
)

// MaxPrompts is the number of prompts that are read from a server.
const MaxPrompts = 1000

const (
	maxArguments   = 50   // of one prompt
	maxName        = 200  // bytes
	maxTitle       = 200  // bytes
	maxDescription = 2000 // bytes
)

// Prompts fetches the prompts of the server, without those that have an invalid name. cut is a remark if it has more.
// An error comes with the prompts read before it, and is errors.ErrUnsupported if the server does not support
// prompts.
func (c *Conn) Prompts(ctx context.Context) (all []mcpclient.Prompt, cut []string, err error) {
	if !c.can.Prompts.declared && !c.can.none() {
		return nil, nil, errors.ErrUnsupported
	}
	ctx, cancel := c.can.Prompts.timeout(ctx)
	defer cancel()
	return pages(ctx, c, mcp.MethodPromptsList, "prompts", MaxPrompts, func(raw json.RawMessage) (mcpclient.Prompt, bool) {
		return readPrompt(raw, c.server.Name)
	})
}

// Prompt gets the messages of a prompt.
func (c *Conn) Prompt(
	ctx context.Context, name string, arguments map[string]string,
) ([]mcpclient.PromptMessage, error) {
	defer c.requests.BeginCall(ctx)()
	raw, err := c.request(ctx, mcp.MethodPromptsGet, mcp.GetPromptParams{Name: name, Arguments: arguments})
	if err != nil {
		return nil, err
	}
	return readMessages(raw, c.requests.Secrets), nil
}

func readPrompt(raw json.RawMessage, server string) (mcpclient.Prompt, bool) {
	var r struct {
		Name, Title, Description string
		Arguments                []json.RawMessage
	}
	_ = json.Unmarshal(raw, &r) // ignores fields of the wrong type
	p := mcpclient.Prompt{
		Server: server, Name: r.Name, Title: clipTitle(r.Title), Description: clipDescription(r.Description),
	}
	for _, argument := range r.Arguments[:min(len(r.Arguments), maxArguments)] {
		var a mcpclient.PromptArgument
		_ = json.Unmarshal(argument, &a)
		a.Title, a.Description = clipTitle(a.Title), clipDescription(a.Description)
		if typeable(a.Name) {
			p.Arguments = append(p.Arguments, a)
		}
	}
	return p, typeable(p.Name)
}

func clipTitle(text string) string       { return sanitize.Clip(text, maxTitle) }
func clipDescription(text string) string { return sanitize.Clip(text, maxDescription) }

// typeable reports whether a name can be typed on one line.
func typeable(name string) bool {
	return sanitize.IsVisible(name, maxName) && strings.TrimSpace(name) == name
}
