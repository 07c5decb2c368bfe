package conn

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/aloudchat/aloud/sanitize"
)

// MaxPrompts is how many prompts of a server are read.
const MaxPrompts = 1000

// What is kept of an offer.
const (
	maxArguments = 50  // of one prompt
	LongestName  = 200 // bytes of a name that people see or type
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

// Prompts fetches the server's prompts, without those that cannot be asked for. With an error come those that were read before it; a server that has
// none to offer is errors.ErrUnsupported. cut remarks that there are more.
func (c *Conn) Prompts(ctx context.Context) (all []Prompt, cut []string, err error) {
	if c.can.Prompts == nil {
		return nil, nil, errors.ErrUnsupported
	}
	return pages(ctx, c, mcp.MethodPromptsList, "prompts", MaxPrompts, func(raw json.RawMessage) (Prompt, bool) {
		return readPrompt(raw, c.server.Source.Server)
	})
}

// Prompt has the server fill in a prompt.
func (c *Conn) Prompt(ctx context.Context, name string, arguments map[string]string) ([]PromptMessage, error) {
	defer c.requests.BeginCall(ctx)()
	raw, err := c.request(ctx, mcp.MethodPromptsGet, mcp.GetPromptParams{Name: name, Arguments: arguments})
	if err != nil {
		return nil, err
	}
	return readMessages(raw, c.requests.Secrets), nil
}

func readPrompt(raw json.RawMessage, server string) (Prompt, bool) {
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

// typeable reports whether a name can be typed on a line.
func typeable(name string) bool { return isShown(name, LongestName) && strings.TrimSpace(name) == name }

// isShown reports whether a text of at most so many bytes shows as it is, on one line.
func isShown(text string, most int) bool {
	return strings.TrimSpace(text) != "" && len(text) <= most && utf8.ValidString(text) &&
		!strings.ContainsFunc(text, func(r rune) bool { return r != ' ' && !unicode.IsGraphic(r) })
}
