package builtin

import (
	"context"
	"errors"
	"net/url"
	"strings"
	"testing"
)

// countdown is cancelled after some calls of Err.
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

func TestReadableCancelled(t *testing.T) {
	page, address := strings.Repeat("<p>x", 10_000), &url.URL{Scheme: "https", Host: "example.com"}
	for _, left := range []int{0, 5, 30, 1000} { // before, while reading, and while converting
		text, err := readable(&countdown{t.Context(), left}, page, address)
		if !errors.Is(err, context.Canceled) || text != "" {
			t.Errorf("after %d calls: %.100q, %v", left, text, err)
		}
	}
}
