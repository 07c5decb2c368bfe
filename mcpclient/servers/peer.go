package servers

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/aloudchat/aloud/internal/secret"
	"github.com/aloudchat/aloud/mcpclient"
	"github.com/aloudchat/aloud/mcpclient/conn"
	"github.com/aloudchat/aloud/mcpclient/elicit"
)

// peer is one server of a set. Set.mu guards the fields from state on.
type peer struct {
	config  mcpclient.Server
	secrets secrets
	timer   elicit.Timer // of its calls, paused while it waits for the Host

	installs bool // its command may install it, and no StartupTimeout is configured

	state    mcpclient.ServerState
	since    time.Time     // when state last changed
	run      *run          // nil if it is off
	ended    chan struct{} // closed when its last run has ended; nil before the first
	attempts int           // attempts to connect that have ended

	conn    *connection      // nil if it is not connected
	tools   []mcpclient.Tool // as last listed; kept when the connection is lost
	odd     []string         // remarks about skipped tools
	listed  bool             // tools have been listed
	failure error            // why it is not connected
	catalog catalog          // its prompts and resources
	took    time.Duration    // of the last attempt to connect
}

func newPeer(config mcpclient.Server) *peer {
	installs := config.StartupTimeout == 0 && mayInstall(config.Command, config.Args)
	config.StartupTimeout = cmp.Or(config.StartupTimeout, defaultStartupTimeout)
	config.ToolTimeout = cmp.Or(config.ToolTimeout, defaultToolTimeout)
	var tokens func() []string
	if config.Login != nil {
		tokens = config.Login.Secrets
	}
	hidden := config.Secrets
	if config.Command != "" {
		hidden = slices.Concat(hidden, conn.ProxySecrets())
	}
	return &peer{config: config, installs: installs, secrets: secrets{secret.Hide(hidden, tokens)}}
}

// tellLocked sets the state of a server and updates the board. s.mu is held.
func (s *Set) tellLocked(p *peer, state mcpclient.ServerState) {
	if state != p.state {
		p.state, p.since = state, time.Now()
	}
	s.options.Board.Set(p.entry())
}

// listedLocked records the tools of a ready server, and remarks about skipped ones. s.mu is held.
func (s *Set) listedLocked(p *peer, tools []mcpclient.Tool, odd []string) {
	p.tools, p.odd, p.listed = p.secrets.hideInTools(tools), odd, true
	lists := make([][]mcpclient.Tool, len(s.peers))
	for i, p := range s.peers {
		lists[i] = p.tools
	}
	nameTools(lists...)
	s.tellLocked(p, mcpclient.ServerReady)
}

// entry returns the status for the board. s.mu is held.
func (p *peer) entry() mcpclient.ServerStatus {
	entry := mcpclient.ServerStatus{
		Name: p.config.Name, State: p.state, Since: p.since, Took: p.took, LogsIn: p.config.Login != nil,
	}
	switch p.state {
	case mcpclient.ServerStarting:
		if entry.Late = p.run != nil && p.run.late; entry.Late {
			entry.Detail = fmt.Sprintf("not ready yet, may be installing · %v", time.Since(p.since).Round(time.Second))
		}
	case mcpclient.ServerReady:
		remarks := slices.Concat(p.conn.About(), p.odd, p.catalog.cut[0], p.catalog.cut[1])
		entry.Detail, entry.Stderr = strings.Join(remarks, "; "), p.conn.Output()
	case mcpclient.ServerFailed, mcpclient.ServerNeedsLogin:
		entry.Detail, entry.Stderr = p.failure.Error(), conn.Output(p.failure)
		if p.state == mcpclient.ServerFailed && len(p.tools) > 0 {
			entry.Detail += "; the next call restarts it"
		}
	case mcpclient.ServerOff:
		entry.Detail = "for this session"
		if p.config.Disabled {
			entry.Detail = "enabled = false in the configuration"
		}
	}
	if p.state != mcpclient.ServerOff {
		entry.Tools = len(p.tools)
	}
	entry.Detail, entry.Stderr = p.secrets.Text(entry.Detail), p.secrets.Texts(entry.Stderr)
	return entry
}

// handler returns the handler of the server's requests.
func (s *Set) handler(p *peer) *elicit.Handler {
	h := &elicit.Handler{Server: p.config.Name, Secrets: p.secrets.Hider, Host: s.options.Host, Pause: p.timer.Pause}
	if !p.config.NoRoots {
		h.Roots = s.options.Roots
	}
	return h
}
