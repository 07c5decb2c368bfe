package conn

import (
	"context"
	"encoding/json"
)

// Insider previews the calls of a built-in server, which the protocol does not support. *builtin.Server implements it.
type Insider interface {
	// Preview returns what a call would change as a unified diff, or "" for nothing. The error is why the call would fail.
	Preview(ctx context.Context, tool string, arguments json.RawMessage) (diff string, err error)
	// Caution returns in a few words why a call always needs approval, or "" if it does not.
	Caution(tool string, arguments json.RawMessage) string
	// Sources returns the addresses that a call reads, as far as its arguments show them.
	Sources(tool string, arguments json.RawMessage) []string
}
