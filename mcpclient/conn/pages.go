package conn

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/mark3labs/mcp-go/mcp"
)

const (
	maxItems     = 10_000   // of one page
	maxPages     = 1000     // of one list, each of which costs a round trip
	maxListBytes = 64 << 20 // of all its pages; they are kept, and one answer may be as big
)

// pages fetches the pages of a list until there are none, most items are there or enough bytes, or a page comes again; read reports whether it keeps an
// item. cut is a remark where the list is longer than that. With an error come the items before it.
func pages[T any](ctx context.Context, c *Conn, method mcp.MCPMethod, things string, most int, read func(json.RawMessage) (T, bool)) (all []T, cut []string, err error) {
	member := things
	if method == mcp.MethodResourcesTemplatesList {
		member = "resourceTemplates"
	}
	seen := map[mcp.Cursor]bool{}
	for cursor, size := mcp.Cursor(""), 0; ; {
		seen[cursor] = true
		raw, err := c.request(ctx, method, mcp.PaginatedParams{Cursor: cursor})
		if err != nil {
			return all, nil, err
		}
		list, more, err := items(raw, member, maxItems)
		if err != nil {
			return all, nil, fmt.Errorf("its list of %s makes no sense", things)
		}
		for _, one := range list {
			if item, ok := read(one); ok {
				all = append(all, item)
			}
		}
		var p struct {
			Next mcp.Cursor `json:"nextCursor"`
		}
		_ = json.Unmarshal(raw, &p)
		cursor, size = p.Next, size+len(raw)
		last := cursor == "" || seen[cursor]
		full := len(all) == most || len(seen) == maxPages || size >= maxListBytes
		switch {
		case len(all) > most || more > 0 || full && !last:
			all = all[:min(len(all), most)]
			return all, []string{fmt.Sprintf("only the first %d of its %s were read", len(all), things)}, nil
		case last:
			return all, nil, nil
		}
	}
}
