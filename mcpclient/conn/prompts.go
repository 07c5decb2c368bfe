package conn

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/aloudchat/aloud/internal/sanitize"
)

// MaxPrompts is the number of prompts that are read from a server.
const MaxPrompts = 1000

const (
	maxArguments   = 50   // of one prompt
	maxName        = 200  // bytes
	maxTitle       = 200  // bytes
	maxDescription = 2000 // bytes
)

// Prompt is a prompt of a server.
type Prompt struct {
	Server      string
	Name        string
	Title       string
	Description string
	Arguments   []PromptArgument // not to be changed
}

// PromptArgument is an argument of a Prompt. Its value is text.
type PromptArgument struct {
	Name        string
	Title       string
	Description string
	Required    bool
}

// Prompts fetches the prompts of the server, without those that have an invalid name. cut is a remark if it has more.
// An error comes with the prompts read before it, and is errors.ErrUnsupported if the server does not support
// prompts.
func (c *Conn) Prompts(ctx context.Context) (all []Prompt, cut []string, err error) {
	if !c.can.Prompts.declared && !c.can.none() {
		return nil, nil, errors.ErrUnsupported
	}
	ctx, cancel := c.can.Prompts.timeout(ctx)
	defer cancel()
	return pages(ctx, c, "prompts/list", "prompts", MaxPrompts, func(raw json.RawMessage) (Prompt, bool) {
		return readPrompt(raw, c.server.Name)
	})
}

// Prompt gets the messages of a prompt.
func (c *Conn) Prompt(ctx context.Context, name string, arguments map[string]string) ([]PromptMessage, error) {
	defer c.requests.BeginCall(ctx)()
	raw, err := c.request(ctx, methodPrompt, map[string]any{"name": name, "arguments": arguments})
	if err != nil {
		return nil, err
	}
	return readMessages(raw, c.requests.Secrets), nil
}

func readPrompt(raw json.RawMessage, server string) (Prompt, bool) {
	var r struct {
		Name, Title, Description string
		Arguments                []json.RawMessage
	}
	_ = json.Unmarshal(raw, &r) // ignores fields of the wrong type
	p := Prompt{Server: server, Name: r.Name, Title: clipTitle(r.Title), Description: clipDescription(r.Description)}
	for _, argument := range r.Arguments[:min(len(r.Arguments), maxArguments)] {
		var a PromptArgument
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
func typeable(name string) bool { return isVisible(name, maxName) && strings.TrimSpace(name) == name }

// isVisible reports whether a text has at most limit bytes and only visible characters and spaces.
func isVisible(text string, limit int) bool {
	return strings.TrimSpace(text) != "" && len(text) <= limit && utf8.ValidString(text) &&
		!strings.ContainsFunc(text, func(r rune) bool { return r != ' ' && !unicode.IsGraphic(r) })
}
