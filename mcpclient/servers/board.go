package servers

import (
	"context"
	"log/slog"
	"slices"
	"sync"

	"github.com/aloudchat/aloud/internal/sanitize"
	"github.com/aloudchat/aloud/mcpclient"
)

// Board is mcpclient.Statuses. Writers never wait for readers. Safe for concurrent use. The zero
// value is ready to use.
type Board struct {
	mu      sync.Mutex
	servers []mcpclient.ServerStatus
	version int           // number of changes
	changed chan struct{} // closed by the next change; nil if no goroutine waits
}

// Set replaces or adds the status of the server with the same name, and logs it.
func (b *Board) Set(s mcpclient.ServerStatus) {
	s.Stderr = slices.Clone(s.Stderr)
	slog.Debug("server", "name", sanitize.Line(s.Name), "state", s.State, "detail", sanitize.Line(s.Detail),
		"tools", s.Tools, "took_ms", s.Took.Milliseconds(), "stderr", s.Stderr)
	b.change(func() {
		i := slices.IndexFunc(b.servers, func(other mcpclient.ServerStatus) bool { return other.Name == s.Name })
		if i < 0 {
			b.servers = append(b.servers, s)
			return
		}
		b.servers[i] = s
	})
}

// change calls f, and wakes the waiting readers.
func (b *Board) change(f func()) {
	b.mu.Lock()
	defer b.mu.Unlock()
	f()
	b.version++
	if b.changed != nil {
		close(b.changed)
		b.changed = nil
	}
}

// look returns a copy of all statuses, their version, and a channel that is closed at the next change.
func (b *Board) look() ([]mcpclient.ServerStatus, int, <-chan struct{}) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.changed == nil {
		b.changed = make(chan struct{})
	}
	return slices.Clone(b.servers), b.version, b.changed
}

// next returns a channel that is closed at the next change.
func (b *Board) next() <-chan struct{} {
	_, _, changed := b.look()
	return changed
}

// Servers is as for mcpclient.Statuses.
func (b *Board) Servers() []mcpclient.ServerStatus {
	servers, _, _ := b.look()
	return servers
}

// Wait is as for mcpclient.Statuses.
func (b *Board) Wait(ctx context.Context, seen int) ([]mcpclient.ServerStatus, int, error) {
	for {
		servers, version, changed := b.look()
		if version != seen {
			return servers, version, nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return nil, seen, ctx.Err()
		}
	}
}
