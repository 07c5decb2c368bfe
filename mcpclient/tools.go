package mcpclient

import (
	"context"
	"encoding/json"
)

// Tools is the interface of the tools in a turn. *servers.Set implements it.
type Tools interface {
	// Tools lists the tools offered now. A turn calls it before each round.
	Tools() []Tool
	// Call makes a call. A failure that the tool reports is a Result; the error is for calls without a result. After
	// ErrToolChanged and ErrOutdated the call is judged again. Call must be safe for concurrent use, return soon
	// after ctx ends, and call progress only until it returns.
	Call(ctx context.Context, call Call, progress func(Progress)) (Result, error)
}

// Named is an optional interface of Tools that come from servers.
type Named interface {
	// Servers returns the names of all servers, in any state.
	Servers() []string
}

// Starting is an optional interface of Tools whose servers are still starting. Send waits for them.
type Starting interface {
	// Starting returns how many of all servers are ready or failed, and a channel that is closed when that changes.
	Starting() (settled, all int, changed <-chan struct{})
}

// Previews is an optional interface of Tools that can show what a call would change.
type Previews interface {
	// Preview returns a unified diff, not sanitised, or "" if unknown, and what it was made from, for the call. It returns
	// an error if the call would fail.
	Preview(ctx context.Context, name string, arguments json.RawMessage) (diff, basis string, err error)
}

// Cautions is an optional interface of Tools that can require approval of a call, even of one that is allowed.
type Cautions interface {
	// Caution returns the reason in a few words, such as "\".env\" usually holds secrets", or "".
	Caution(name string, arguments json.RawMessage) string
}
