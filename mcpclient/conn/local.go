package conn

import (
	"context"
	"encoding/json"
)

// Insider previews the calls of a built-in server, which the protocol does not support. *builtin.Server implements it.
type Insider interface {
	// Preview returns the change that a call would make as a unified diff, or "" for none. It returns an error if the call
	// would fail.
	Preview(ctx context.Context, tool string, arguments json.RawMessage) (diff string, err error)
	// Caution returns a short reason why a call always needs approval, or "" if there is none.
	Caution(tool string, arguments json.RawMessage) string
	// Sources returns the addresses that a call reads, as far as its arguments contain them.
	Sources(tool string, arguments json.RawMessage) []string
}
