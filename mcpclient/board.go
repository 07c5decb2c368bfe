package mcpclient

import (
	"context"
	"log/slog"
	"slices"
	"sync"
	"time"

	"github.com/aloudchat/aloud/sanitize"
)

// ServerState is where an MCP server stands.
type ServerState string

// A server starts, and is then ready or failed.
const (
	ServerStarting   ServerState = "starting"
	ServerReady      ServerState = "ready"
	ServerFailed     ServerState = "failed"
	ServerNeedsLogin ServerState = "needs login"
	ServerOff        ServerState = "off" // switched off
)

// ServerStatus is the state of one MCP server.
type ServerStatus struct {
	Name   string
	State  ServerState
	Detail string        // why it failed, one sentence; or what it calls itself
	Stderr []string      // the last lines it wrote to standard error; not to be changed
	Tools  int           // how many tools it offers
	Took   time.Duration // start-up time, once ready or failed
	Since  time.Time     // when it came into its state
	LogsIn bool          // you can log in to it
}

// Board holds the newest state of every server; writers never wait for readers. Safe for concurrent use. The zero value is ready to use.
type Board struct {
	mu      sync.Mutex
	servers []ServerStatus
	version int           // how often something has changed
	changed chan struct{} // closed by the next change; nil if nothing waits
}

// Set replaces the entry of the same name, or appends it, and logs it. The order is that of the first Set.
func (b *Board) Set(s ServerStatus) {
	s.Stderr = slices.Clone(s.Stderr)
	slog.Debug("server", "name", sanitize.Line(s.Name), "state", s.State, "detail", sanitize.Line(s.Detail), "tools", s.Tools,
		"took_ms", s.Took.Milliseconds(), "stderr", s.Stderr)
	b.mu.Lock()
	defer b.mu.Unlock()
	if i := indexByName(b.servers, s.Name); i >= 0 {
		b.servers[i] = s
	} else {
		b.servers = append(b.servers, s)
	}
	b.newsLocked()
}

func indexByName(servers []ServerStatus, name string) int {
	return slices.IndexFunc(servers, func(s ServerStatus) bool { return s.Name == name })
}

// newsLocked wakes the waiting readers. b.mu is held.
func (b *Board) newsLocked() {
	b.version++
	if b.changed != nil {
		close(b.changed)
		b.changed = nil
	}
}

// wake wakes the waiting readers though no entry has changed.
func (b *Board) wake() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.newsLocked()
}

// look returns a copy of the entries, their version, and a channel that is closed at the next change.
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

// Servers returns a copy of all entries.
func (b *Board) Servers() []ServerStatus {
	servers, _, _ := b.look()
	return servers
}

// Wait returns the entries and their version as soon as the version differs from seen, or ctx's error. Begin with 0.
// A reader that is late gets the newest entries once, not every one it missed.
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
