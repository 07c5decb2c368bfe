package conn

import (
	"context"
	"encoding/json"

	"github.com/mark3labs/mcp-go/mcp"
)

const (
	maxCompletions = 100
	longestValue   = 500 // bytes of a completion
)

// Complete asks the server what a value may become that is being typed. Most complete nothing; those that say so are not asked.
func (c *Conn) Complete(ctx context.Context, params mcp.CompleteParams) ([]string, error) {
	if c.can.Completions == nil {
		return nil, nil
	}
	raw, err := c.request(ctx, mcp.MethodCompletionComplete, params)
	if err != nil {
		return nil, err
	}
	var result struct {
		Completion struct {
			Values []string `json:"values"`
		} `json:"completion"`
	}
	if json.Unmarshal(raw, &result) != nil {
		return nil, errNotMCP
	}
	var values []string
	for _, v := range result.Completion.Values {
		if len(values) < maxCompletions && isShown(v, longestValue) {
			values = append(values, v)
		}
	}
	return values, nil
}
