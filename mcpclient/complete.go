package mcpclient

import (
	"context"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
)

const completePatience = 2 * time.Second // who types does not wait longer

// Ref says what is being completed: an argument of a prompt, or a variable of a template. One of Prompt and Template is set.
type Ref struct {
	Server   string
	Prompt   string // its Name
	Template string // its URI
}

// Complete asks a server what a value that is being typed may become; known has the values that are there already. It takes two seconds at most.
// No values without an error are usual: most servers complete nothing, and those that say so are not asked.
func (s *Set) Complete(ctx context.Context, ref Ref, argument, typed string, known map[string]string) ([]string, error) {
	s.mu.Lock()
	p := s.named(ref.Server)
	var c *connection
	if p != nil {
		c = p.conn // one that was lost is not made again for this
	}
	s.mu.Unlock()
	if c == nil {
		return nil, nil
	}
	ctx, cancel := context.WithTimeout(ctx, completePatience)
	defer cancel()
	var of any = mcp.PromptReference{Type: "ref/prompt", Name: ref.Prompt}
	if ref.Template != "" {
		of = mcp.ResourceReference{Type: "ref/resource", URI: ref.Template}
	}
	values, err := c.Complete(ctx, mcp.CompleteParams{
		Ref: of, Argument: mcp.CompleteArgument{Name: argument, Value: typed}, Context: mcp.CompleteContext{Arguments: known},
	})
	return p.secrets.Texts(values), p.secrets.Error(err)
}
