package mcpclient

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/mark3labs/mcp-go/server"

	"github.com/aloudchat/aloud/mcpclient/conn"
	"github.com/aloudchat/aloud/mcpclient/elicit"
)

// Server configures one server. Exactly one of Command, URL, Local and Broken is set.
type Server struct {
	Name           string
	Command        string // stdio: the program
	Args           []string
	Env            map[string]string // added to a short inherited environment
	EnvVars        []string          // names of variables passed on from ours
	Dir            string
	URL            string // streamable HTTP, or SSE when Transport says so
	Transport      string // "", "stdio", "http" or "sse"
	Protocol       string // "auto" (default) or a pinned MCP revision
	Headers        map[string]string
	Local          *server.MCPServer // runs in this process
	BuiltIn        string            // of Local: which built-in server it is, "files"; "": none
	Insider        Insider           // of Local: previews its calls; may be nil
	Broken         error             // why it cannot be started
	Trusted        bool
	Required       bool
	Disabled       bool
	StartupTimeout time.Duration // to connect, initialize and list tools; 0 means 20 s
	ToolTimeout    time.Duration // of a call; 0 means 60 s
	EnabledTools   []string      // globs over the server's own names; empty means all
	DisabledTools  []string      // globs, too; they win
	Secrets        []string      // values, the longest first, that are hidden in whatever the server says
	NoRoots        bool          // do not offer it the roots
	Login          conn.Login    // for a server over HTTP that needs one; may be nil
	CAFile         string        // PEM certificates to trust besides the system's, for a server over HTTP
}

// Options are the parts of the program that servers need. Only Board is required.
type Options struct {
	Board *Board
	Host  elicit.Host   // answers what servers ask; nil declines, and offers servers nothing to ask
	Roots []elicit.Root // the folders that servers may work in

	// Hold keeps servers from starting until it is closed, so that they do not slow down the first frame. nil starts them at once.
	Hold <-chan struct{}

	connect connector // replaces connect in tests
}

const (
	defaultStartupTimeout = 20 * time.Second
	defaultToolTimeout    = 60 * time.Second
)

// Set is a running set of servers. All methods are safe for concurrent use.
type Set struct {
	board   *Board
	host    elicit.Host // may be nil
	hold    <-chan struct{}
	running sync.WaitGroup
	dialer  connector

	mu     sync.Mutex      // guards what follows, and the peers' changing fields
	peers  []*peer         // in the order of the configuration
	off    map[toolID]bool // tools switched off for this session
	roots  []elicit.Root
	closed bool
}

// connector connects to a server within ctx. life is the context of the connection.
type connector func(ctx, life context.Context, config Server, a *elicit.Handler) (*conn.Conn, error)

// Start starts all servers and returns at once; the board shows how they stand. They outlive ctx: Close ends them.
func Start(ctx context.Context, servers []Server, options Options) *Set {
	s := &Set{
		board:  options.Board,
		host:   options.Host,
		roots:  append([]elicit.Root{}, options.Roots...), // not null
		hold:   options.Hold,
		dialer: connect,
		off:    map[toolID]bool{},
	}
	if options.connect != nil {
		s.dialer = options.connect
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, config := range servers {
		s.peers = append(s.peers, newPeer(config))
	}
	for _, p := range s.peers {
		if p.config.Disabled {
			s.tellLocked(p, ServerOff)
		} else {
			s.startLocked(ctx, p)
		}
	}
	return s
}

// Ready waits until the first start of every server is over. The error names the required servers that failed.
func (s *Set) Ready(ctx context.Context) error {
	var failed []string
	err := s.wait(ctx, func() bool {
		failed = nil
		for _, p := range s.peers {
			if p.config.Required && p.failure != nil {
				failed = append(failed, fmt.Sprintf("the required server %q did not start: %v", p.config.Name, p.secrets.Error(p.failure)))
			}
		}
		settled, all := s.startingLocked()
		return settled == all
	})
	if err != nil || failed == nil {
		return err
	}
	return errors.New(strings.Join(failed, "; "))
}

// Starting returns how many of the enabled servers do not start any more, and a channel that is closed at the next change.
func (s *Set) Starting() (settled, all int, changed <-chan struct{}) {
	s.mu.Lock()
	defer s.mu.Unlock()
	settled, all = s.startingLocked()
	return settled, all, s.board.next()
}

// startingLocked is Starting with s.mu held. A server that is started again keeps its tools, so nothing waits for it.
func (s *Set) startingLocked() (settled, all int) {
	for _, p := range s.peers {
		if p.state == ServerOff {
			continue
		}
		all++
		if p.state != ServerStarting || p.listed {
			settled++
		}
	}
	return settled, all
}

// Tools returns the enabled tools of the servers that are on, in the order of the configuration and then of each server.
// A server that was lost keeps its tools: it is started again when one of them is called.
func (s *Set) Tools() []Tool {
	all, on := s.AllTools()
	var tools []Tool
	for i, t := range all {
		if on[i] {
			tools = append(tools, t)
		}
	}
	return tools
}

// AllTools is Tools with the switched-off ones too; on reports which are offered to the model.
func (s *Set) AllTools() (tools []Tool, on []bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, p := range s.peers {
		if p.state == ServerOff {
			continue
		}
		for _, t := range p.tools {
			tools = append(tools, t)
			on = append(on, !s.off[idOf(t)])
		}
	}
	return tools, on
}

// Enable switches a tool on or off for this session, by what its server calls it.
func (s *Set) Enable(server, tool string, on bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if id := (toolID{server, tool}); on {
		delete(s.off, id)
	} else {
		s.off[id] = true
	}
}

// find returns the tool of that name and its server.
func (s *Set) find(name string) (*peer, Tool, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, p := range s.peers {
		i := slices.IndexFunc(p.tools, func(t Tool) bool { return t.Name == name })
		switch {
		case i < 0:
			continue
		case p.state == ServerOff:
			return nil, Tool{}, fmt.Errorf("the server %q is switched off, and the tool %q with it", p.config.Name, name)
		case s.off[idOf(p.tools[i])]:
			return nil, Tool{}, fmt.Errorf("the tool %q is switched off", name)
		}
		return p, p.tools[i], nil
	}
	return nil, Tool{}, fmt.Errorf("there is no tool %q", name)
}

// Close ends all servers and their children and waits for them, at most about 4 s. It may be called while servers still start.
func (s *Set) Close() error {
	s.mu.Lock()
	if !s.closed {
		s.closed = true
		for _, p := range s.peers {
			if p.state == ServerStarting {
				p.state, p.failure = ServerFailed, errClosed
			}
			s.stopLocked(p, "was closed")
		}
		s.board.wake()
	}
	s.mu.Unlock()
	s.running.Wait()
	return nil
}
