package conn

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/mark3labs/mcp-go/mcp"
)

const (
	maxItems     = 10_000   // of one page
	maxPages     = 1000     // of one list
	maxListBytes = 64 << 20 // of all pages of one list
)

// pages fetches a list page by page, within the limits above and at most limit items that read keeps. cut is a remark
// if the list is longer. An error comes with the items before it.
func pages[T any](
	ctx context.Context, c *Conn, method mcp.MCPMethod, things string, limit int, read func(json.RawMessage) (T, bool),
) (all []T, cut []string, err error) {
	member := things
	if method == mcp.MethodResourcesTemplatesList {
		member = "resourceTemplates"
	}
	seen := map[string]bool{}
	for cursor, size := "", 0; ; {
		seen[cursor] = true
		raw, err := c.request(ctx, method, mcp.PaginatedParams{Cursor: mcp.Cursor(cursor)})
		if err != nil {
			return all, nil, err
		}
		list, more, err := items(raw, member, maxItems)
		if err != nil {
			return all, nil, fmt.Errorf("%w of %s", errOddList, things)
		}
		for _, one := range list {
			if item, ok := read(one); ok {
				all = append(all, item)
			}
		}
		var p struct {
			Next string `json:"nextCursor"`
		}
		_ = json.Unmarshal(raw, &p)
		cursor, size = p.Next, size+len(raw)
		last := cursor == "" || seen[cursor]
		full := len(all) == limit || len(seen) == maxPages || size >= maxListBytes
		switch {
		case len(all) > limit || more > 0 || full && !last:
			all = all[:min(len(all), limit)]
			return all, []string{fmt.Sprintf("only the first %d %s were read", len(all), things)}, nil
		case last:
			return all, nil, nil
		}
	}
}
