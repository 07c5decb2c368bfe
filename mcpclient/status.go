package mcpclient

import (
	"context"
	"errors"
	"fmt"
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

// ErrNoServer is matched by errors about an unknown server.
var ErrNoServer = errors.New("no server")

// Statuses has the newest status of every server. *servers.Board implements it. Its methods are safe for concurrent
// use.
type Statuses interface {
	// Servers returns a copy of all statuses.
	Servers() []ServerStatus
	// Wait waits until the version differs from seen, and returns all statuses and their version, or the error of ctx.
	// Begin with 0. A slow reader misses versions.
	Wait(ctx context.Context, seen int) ([]ServerStatus, int, error)
}

// Reason returns why a server failed, with the last line of its output.
func (s ServerStatus) Reason() string {
	if len(s.Stderr) == 0 {
		return s.Detail
	}
	last := sanitize.Clip(sanitize.Line(s.Stderr[len(s.Stderr)-1]), 200)
	return fmt.Sprintf("%s. Its last output: %q", s.Detail, last)
}
