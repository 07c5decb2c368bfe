package mcpclient

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"github.com/aloudchat/aloud/mcpclient/conn"
	"github.com/aloudchat/aloud/mcpclient/elicit"
)

// peer is one configured server and what is known of it. All but config is guarded by Set.mu.
type peer struct {
	config  Server
	secrets secrets
	timer   elicit.Timer // of its calls, paused while it asks for input; guarded by itself

	state    ServerState   // ServerOff: it does not run, and its tools are not offered
	since    time.Time     // when it came into that state
	run      *run          // nil if it does not run
	ended    chan struct{} // closed when its last run has ended; nil if there was none
	attempts int           // to connect that have ended

	conn    *connection   // nil while there is none
	tools   []Tool        // of the last listing; a lost connection keeps them
	odd     []string      // remarks about them
	listed  bool          // they have been listed, and there may have been none
	failure error         // why there is no connection
	catalog catalog       // what it offers besides tools
	took    time.Duration // of the last attempt to connect
}

func newPeer(config Server) *peer {
	config.StartupTimeout = cmp.Or(config.StartupTimeout, defaultStartupTimeout)
	config.ToolTimeout = cmp.Or(config.ToolTimeout, defaultToolTimeout)
	return &peer{config: config, secrets: secretsOf(config)}
}

// byName finds a server, nil if there is none.
func byName(peers []*peer, name string) *peer {
	if i := slices.IndexFunc(peers, func(p *peer) bool { return p.config.Name == name }); i >= 0 {
		return peers[i]
	}
	return nil
}

// tellLocked puts a server into a state, which may be the one it is in, and shows it on the board. s.mu is held.
func (s *Set) tellLocked(p *peer, state ServerState) {
	if state != p.state {
		p.state, p.since = state, time.Now()
	}
	s.board.Set(p.entry())
}

// listedLocked takes over the tools that a server that is ready has listed, and what is odd about them. s.mu is held.
func (s *Set) listedLocked(p *peer, tools []Tool, odd []string) {
	p.tools, p.odd, p.listed = p.secrets.hideInTools(tools), odd, true
	lists := make([][]Tool, len(s.peers))
	for i, p := range s.peers {
		lists[i] = p.tools
	}
	nameTools(lists...)
	s.tellLocked(p, ServerReady)
}

// entry is what the board shows. s.mu is held.
func (p *peer) entry() ServerStatus {
	entry := ServerStatus{Name: p.config.Name, State: p.state, Since: p.since, Took: p.took, LogsIn: p.config.Login != nil}
	switch p.state {
	case ServerReady:
		remarks := slices.Concat(p.conn.About(), p.odd, p.catalog.cut[0], p.catalog.cut[1])
		entry.Detail, entry.Stderr = strings.Join(remarks, "; "), p.conn.Output()
	case ServerFailed, ServerNeedsLogin:
		entry.Detail, entry.Stderr = p.failure.Error(), conn.Output(p.failure)
		if p.state == ServerFailed && len(p.tools) > 0 {
			entry.Detail += "; it is started again when one of its tools is called"
		}
	case ServerOff:
		entry.Detail = "for this session"
		if p.config.Disabled {
			entry.Detail = "enabled = false in the configuration"
		}
	}
	if p.state != ServerOff {
		entry.Tools = len(p.tools)
	}
	entry.Detail, entry.Stderr = p.secrets.Text(entry.Detail), p.secrets.Texts(entry.Stderr)
	return entry
}

// handler returns the handler of the server's requests.
func (s *Set) handler(p *peer) *elicit.Handler {
	h := &elicit.Handler{Server: p.config.Name, Secrets: p.secrets.Hider, Host: s.host, Pause: p.timer.Pause}
	if !p.config.NoRoots {
		h.Roots = s.roots
	}
	return h
}

// connect is the real connector.
func connect(ctx, life context.Context, config Server, a *elicit.Handler) (*conn.Conn, error) {
	if config.Broken != nil {
		return nil, config.Broken
	}
	return conn.Dial(ctx, life, placeOf(config), a)
}

// placeOf is the part of the configuration that a connection needs.
func placeOf(config Server) conn.Server {
	protocol := config.Protocol
	if protocol == "auto" {
		protocol = ""
	}
	return conn.Server{
		Local: config.Local,

		Command: config.Command,
		Args:    config.Args,
		Env:     config.Env,
		EnvVars: config.EnvVars,
		Dir:     config.Dir,

		URL:     config.URL,
		SSE:     config.Transport == "sse",
		Headers: config.Headers,
		Login:   config.Login,
		CAFile:  config.CAFile,

		Protocol: protocol,
		Source: conn.Source{
			Server:  config.Name,
			BuiltIn: config.BuiltIn,
			Trusted: config.Trusted || config.Local != nil,
			Wanted:  Wanted(config.EnabledTools, config.DisabledTools),
		},
		Log: logOf(config),
	}
}
