package link

import (
	"errors"
	"fmt"
	"testing"

	"github.com/mark3labs/mcp-go/mcp"
)

func TestListsWithoutEndAreBounded(t *testing.T) {
	asked := 0
	next := func(items, size int) (page[int], error) {
		asked++
		return page[int]{make([]int, items), 0, size, mcp.Cursor(fmt.Sprint(asked))}, nil
	}
	for _, test := range []struct {
		fetch        func(mcp.PaginatedParams) (page[int], error)
		items, pages int
		cut          string
	}{
		{func(mcp.PaginatedParams) (page[int], error) { return next(100, 100) }, 250, 3, "[only the first 250 of its things were read]"},
		{func(mcp.PaginatedParams) (page[int], error) { return next(125, 100) }, 250, 2, "[only the first 250 of its things were read]"},
		{func(mcp.PaginatedParams) (page[int], error) { return next(1, maxListBytes/3*2) }, 2, 2, "[only the first 64 MB of its things were read]"},
		{func(mcp.PaginatedParams) (page[int], error) { return next(0, 1) }, 0, maxPages, "[only the first 1000 pages of its things were read]"},
		{func(mcp.PaginatedParams) (page[int], error) { asked++; return page[int]{items: make([]int, 250)}, nil }, 250, 1, "[]"},
		{func(mcp.PaginatedParams) (page[int], error) { asked++; return page[int]{next: "the same again"}, nil }, 0, 2, "[]"},
	} {
		asked = 0
		all, cut, err := pages("things", 250, test.fetch)
		if err != nil || len(all) != test.items || asked != test.pages || fmt.Sprint(cut) != test.cut {
			t.Errorf("%d items in %d pages, %v, %v, want %+v", len(all), asked, cut, err, test)
		}
	}
	if got, _, err := pages("things", 250, func(p mcp.PaginatedParams) (page[int], error) {
		if p.Cursor != "" {
			return page[int]{}, errors.New("gone")
		}
		return page[int]{[]int{1}, 0, 1, "next"}, nil
	}); err == nil || len(got) != 1 {
		t.Errorf("a list that breaks off: %v, %v", got, err)
	}
}
