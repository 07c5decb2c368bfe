package mcpclient

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"time"

	"github.com/aloudchat/aloud/internal/sanitize"
)

// ServerState is the state of an MCP server.
type ServerState string

// The states of a server.
const (
	ServerStarting   ServerState = "starting"
	ServerReady      ServerState = "ready"
	ServerFailed     ServerState = "failed"
	ServerNeedsLogin ServerState = "needs login"
	ServerOff        ServerState = "off"
)

// ServerStatus is the status of an MCP server.
type ServerStatus struct {
	Name   string
	State  ServerState
	Detail string        // why it failed or is late, or the name it gave itself
	Late   bool          // starting, and may be installing. A chat does not wait for it any more
	Stderr []string      // its last lines on standard error; must not be changed
	Tools  int           // number of tools
	Took   time.Duration // start-up time, once ready or failed
	Since  time.Time     // when State last changed
	LogsIn bool          // it supports logging in
}

// Reason returns why a server failed, with the last line of its output.
func (s ServerStatus) Reason() string { return withLastLine(s.Detail, s.Stderr) }

func withLastLine(reason string, output []string) string {
	if len(output) == 0 {
		return reason
	}
	return fmt.Sprintf("%s. Its last output: %q", reason, sanitize.Clip(sanitize.Line(output[len(output)-1]), 200))
}

// Board holds the newest status of every server. Writers never wait for readers. Safe for concurrent use. The zero
// value is ready to use.
type Board struct {
	mu      sync.Mutex
	servers []ServerStatus
	version int           // number of changes
	changed chan struct{} // closed by the next change; nil if no goroutine waits
}

// Set replaces or adds the status of the server with the same name, and logs it.
func (b *Board) Set(s ServerStatus) {
	s.Stderr = slices.Clone(s.Stderr)
	slog.Debug("server", "name", sanitize.Line(s.Name), "state", s.State, "detail", sanitize.Line(s.Detail),
		"tools", s.Tools, "took_ms", s.Took.Milliseconds(), "stderr", s.Stderr)
	b.change(func() {
		i := slices.IndexFunc(b.servers, func(other ServerStatus) bool { return other.Name == s.Name })
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
func (b *Board) look() ([]ServerStatus, int, <-chan struct{}) {
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

// Servers returns a copy of all statuses.
func (b *Board) Servers() []ServerStatus {
	servers, _, _ := b.look()
	return servers
}

// Wait waits until the version differs from seen, and returns all statuses and their version, or the error of ctx.
// Begin with 0. A slow reader misses versions.
func (b *Board) Wait(ctx context.Context, seen int) ([]ServerStatus, int, error) {
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
