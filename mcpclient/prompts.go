package mcpclient

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/aloudchat/aloud/mcpclient/content"
	"github.com/aloudchat/aloud/sanitize"
	"github.com/mark3labs/mcp-go/mcp"
)

const (
	maxPrompts   = 1000 // of one server
	maxArguments = 50   // of one prompt
	longestName  = 200  // bytes of a name that people see or type
	longestTitle = 200
	longestAbout = 2000 // bytes of a description
)

// Prompt is one prompt of one server.
type Prompt struct {
	Server      string
	Name        string
	Title       string
	Description string
	Arguments   []PromptArgument // not to be changed
}

// PromptArgument is one argument of a Prompt. All are text.
type PromptArgument struct {
	Name        string
	Title       string
	Description string
	Required    bool
}

// Prompts are those of all servers that are ready or were, in the order of the configuration. They are known some time after the tools are.
func (s *Set) Prompts() []Prompt {
	s.mu.Lock()
	defer s.mu.Unlock()
	var all []Prompt
	for _, p := range s.peers {
		if !p.off {
			all = append(all, p.offers.prompts...)
		}
	}
	return all
}

// Prompt has a server fill in one of its prompts. The error says in one sentence why there is none: no such server, no such prompt, wrong
// arguments, the server gone, ctx's end.
func (s *Set) Prompt(ctx context.Context, server, name string, arguments map[string]string) ([]PromptMessage, error) {
	var raw json.RawMessage
	p, _, err := s.ask(ctx, server, "prompt", func(ctx context.Context, c *connection) (err error) {
		request := mcp.GetPromptRequest{Params: mcp.GetPromptParams{Name: name, Arguments: arguments}}
		ctx, answer := withAnswer(ctx)
		_, err = c.client.GetPrompt(ctx, request)
		raw, err = answer.outcome(err)
		return err
	})
	if err != nil {
		return nil, err
	}
	messages := content.ReadPrompt(raw)
	if len(messages) == 0 {
		return nil, errors.New("the prompt is empty: the server gave no messages")
	}
	for i := range messages {
		messages[i].Text = p.secrets.Text(messages[i].Text)
	}
	return messages, nil
}

// listPrompts fetches the prompts of a server. Those that nobody could ask for are left out.
func (c *connection) listPrompts(ctx context.Context, server string) ([]Prompt, error) {
	return pages(maxPrompts, func(params mcp.PaginatedParams) ([]Prompt, mcp.Cursor, error) {
		ctx, answer := withAnswer(ctx)
		var request mcp.ListPromptsRequest
		request.Params = params
		page, err := promptly(ctx, func() (*mcp.ListPromptsResult, error) { return c.client.ListPromptsByPage(ctx, request) })
		if err != nil {
			return nil, "", err
		}
		var prompts []Prompt
		for _, raw := range content.Items(answer.result, "prompts") {
			if p, ok := readPromptEntry(raw, server); ok {
				prompts = append(prompts, p)
			}
		}
		return prompts, page.NextCursor, nil
	})
}

func readPromptEntry(raw json.RawMessage, server string) (Prompt, bool) {
	var r struct {
		Name        string            `json:"name"`
		Title       string            `json:"title"`
		Description string            `json:"description"`
		Arguments   []json.RawMessage `json:"arguments"`
	}
	_ = json.Unmarshal(raw, &r) // a field of the wrong type is as if it were missing
	p := Prompt{Server: server, Name: r.Name, Title: sanitize.Clip(r.Title, longestTitle), Description: sanitize.Clip(r.Description, longestAbout)}
	for _, argument := range r.Arguments[:min(len(r.Arguments), maxArguments)] {
		var a struct {
			Name        string `json:"name"`
			Title       string `json:"title"`
			Description string `json:"description"`
			Required    bool   `json:"required"`
		}
		_ = json.Unmarshal(argument, &a)
		if typeable(a.Name) {
			p.Arguments = append(p.Arguments, PromptArgument{a.Name, sanitize.Clip(a.Title, longestTitle), sanitize.Clip(a.Description, longestAbout), a.Required})
		}
	}
	return p, typeable(p.Name)
}

// typeable tells whether people can write a name on a line, and see what they write.
func typeable(name string) bool {
	return name != "" && len(name) <= longestName && utf8.ValidString(name) && strings.TrimSpace(name) == name &&
		!strings.ContainsFunc(name, func(r rune) bool { return r != ' ' && !unicode.IsGraphic(r) })
}

// hideInPrompts leaves the names alone: they are what the server knows its prompts by.
func (s secrets) hideInPrompts(prompts []Prompt) []Prompt {
	for i := range prompts {
		p := &prompts[i]
		p.Title, p.Description = s.Text(p.Title), s.Text(p.Description)
		for k := range p.Arguments {
			a := &p.Arguments[k]
			a.Title, a.Description = s.Text(a.Title), s.Text(a.Description)
		}
	}
	return prompts
}
