package link

import (
	"context"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/aloudchat/aloud/mcpclient/fault"
	"github.com/mark3labs/mcp-go/mcp"
)

const (
	maxCompletions = 100
	longestValue   = 500 // bytes of a completion
)

// Complete asks the server what a value may become that is being typed. Most complete nothing; those that say so are not asked.
func (l *Link) Complete(ctx context.Context, params mcp.CompleteParams) ([]string, error) {
	if l.client.GetServerCapabilities().Completions == nil {
		return nil, nil
	}
	result, err := promptly(ctx, func() (*mcp.CompleteResult, error) {
		return l.client.Complete(ctx, mcp.CompleteRequest{Params: params})
	})
	if err != nil {
		return nil, fault.Of(err)
	}
	var values []string
	for _, v := range result.Completion.Values {
		if len(values) < maxCompletions && isValue(v) {
			values = append(values, v)
		}
	}
	return values, nil
}

// isValue tells whether a completion is one that people can see as it is.
func isValue(v string) bool {
	return strings.TrimSpace(v) != "" && len(v) <= longestValue && utf8.ValidString(v) &&
		!strings.ContainsFunc(v, func(r rune) bool { return r != ' ' && !unicode.IsGraphic(r) })
}
