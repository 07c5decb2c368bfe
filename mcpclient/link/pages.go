package link

import (
	"fmt"

	"github.com/mark3labs/mcp-go/mcp"
)

const (
	maxPages     = 1000     // of one list, each of which costs a round trip; a server that pages on for ever is stopped here
	maxListBytes = 64 << 20 // of all its pages; they are kept, and one answer may be as big
)

// page is a page of a list, how many of its items were not read, the bytes that it took, and where the next one is; "" when it is the last.
type page[T any] struct {
	items  []T
	unread int
	size   int
	next   mcp.Cursor
}

// pages fetches the pages of a list of such things until there are none, most items are there or enough bytes, or a page comes again. cut is a
// remark where the list is longer than that. With an error comes what there was before it.
func pages[T any](things string, most int, fetch func(mcp.PaginatedParams) (page[T], error)) (all []T, cut []string, err error) {
	seen := map[mcp.Cursor]bool{}
	var params mcp.PaginatedParams
	for size := 0; ; {
		seen[params.Cursor] = true
		p, err := fetch(params)
		if err != nil {
			return all, nil, err
		}
		all, size = append(all, p.items...), size+p.size
		params.Cursor = p.next
		last := p.next == "" || seen[p.next]
		switch {
		case len(all) > most || p.unread > 0 || len(all) == most && !last:
			return all[:min(len(all), most)], []string{fmt.Sprintf("only the first %d of its %s were read", most, things)}, nil
		case last:
			return all, nil, nil
		case len(seen) == maxPages:
			return all, []string{fmt.Sprintf("only the first %d pages of its %s were read", maxPages, things)}, nil
		case size >= maxListBytes:
			return all, []string{fmt.Sprintf("only the first %d MB of its %s were read", maxListBytes>>20, things)}, nil
		}
	}
}
