package builtin

import (
	"context"
	"errors"
	"net/url"
	"strings"
	"testing"
)

// countdown is cancelled when it has been asked so many times.
type countdown struct {
	context.Context
	left int
}

func (c *countdown) Err() error {
	if c.left--; c.left < 0 {
		return context.Canceled
	}
	return nil
}

func TestReadableEndsWithItsContext(t *testing.T) {
	page, address := strings.Repeat("<p>x", 10_000), &url.URL{Scheme: "https", Host: "example.com"}
	for _, left := range []int{0, 5, 30, 1000} { // before, while the page is read, and while it is converted
		if text, err := readable(&countdown{t.Context(), left}, page, address); !errors.Is(err, context.Canceled) || text != "" {
			t.Errorf("after %d looks it gives %.100q, %v", left, text, err)
		}
	}
}
