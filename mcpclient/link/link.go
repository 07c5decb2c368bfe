// Package link is one live connection to one server, from the dialling to its end: a process on stdio, a server over HTTP, streamable or with SSE for
// old ones, or a built-in one in this process.
//
// A Link is mcp-go's client on a wire, which adds to every transport what it lacks. It has no goroutine that goes on by itself: who has a link runs
// Attend and Listen for as long as it lasts, looks at Lost and ToolsChanged meanwhile, and closes it in the end.
//
// Nothing is believed of a server. It may hang, die, lie about its tools or flood us. What it says is handed on as it came, with secrets in it, and
// must pass sanitize on its way to a terminal.
//
// # Reading order
//
// link.go has the front door, process.go (with environment.go), local.go and remote.go how each kind of server is dialled; wire.go, session.go,
// converse.go, plain.go and news.go what goes over the wire; request.go how something is asked, tools.go, prompts.go, resources.go, complete.go and
// pages.go what is fetched; call.go, tasks.go and abandon.go how a call goes, and diagnose.go why it went wrong; attend.go and listening.go what a
// server tells by itself.
package link

import (
	"cmp"
	"context"
	"errors"
	"runtime/debug"
	"strings"
	"sync"
	"time"

	"github.com/aloudchat/aloud/mcpclient/asked"
	"github.com/aloudchat/aloud/mcpclient/fault"
	"github.com/aloudchat/aloud/mcpclient/login"
	"github.com/aloudchat/aloud/mcpclient/offer"
	"github.com/aloudchat/aloud/mcpclient/stdio"
	"github.com/aloudchat/aloud/mcpclient/wirelog"
	"github.com/aloudchat/aloud/sanitize"
	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/client/transport"
	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
)

// Server says where a server is, and how it is spoken to. Exactly one of Local, Command and URL is set.
type Server struct {
	Local *server.MCPServer // runs in this process

	Command string // the program of a server on stdio
	Args    []string
	Env     map[string]string // added to a short inherited environment
	EnvVars []string          // names of variables passed on from ours
	Dir     string            // "": ours

	URL     string // of a server over HTTP
	SSE     bool   // it speaks the old transport, of before 2025-03-26
	Headers map[string]string
	Login   login.Login // how to get in where one is wanted; nil: it is not tried
	CAFile  string      // PEM certificates that it may be signed with, besides the system's

	Protocol string       // a pinned revision of MCP; "": the newest that both know
	Source   offer.Source // of its tools: its name, whether it is believed, and what is wanted of it
	Log      *wirelog.Log // of what goes over the wire; nil: nobody reads along
}

// Link is one live connection to a server. All methods are safe for concurrent use.
type Link struct {
	server  Server
	client  *client.Client
	wire    *wire
	process *stdio.Transport // nil when it is none of ours
	lost    <-chan struct{}  // closed when the server is gone; nil when only a call can find out
	about   []string
	hangUp  func() // closes what the transport leaves open; may be nil

	stopped  chan struct{}
	stopOnce sync.Once
}

// Dial makes a link to a server, whose questions a answers. ctx bounds that, life what goes on after. The error says in one sentence why there is
// none, with what a process wrote last (see fault.LastWords).
func Dial(ctx, life context.Context, to Server, a *asked.Answerer) (*Link, error) {
	switch {
	case to.Local != nil:
		return dialLocal(ctx, life, to, a)
	case to.Command != "":
		return dialProcess(ctx, life, to, a)
	case to.URL != "":
		return dialURL(ctx, life, to, a)
	default:
		return nil, errors.New(`has neither "command" nor "url": one of them says where it is`)
	}
}

// Line is a transport that is there already, with what a link has to know of it.
type Line struct {
	Transport transport.Interface
	Questions *asked.Questions // what the server asks over it
	Lost      <-chan struct{}  // closed when the server is gone; nil: only a call finds that out
}

// Over makes a link to a server over a transport that is there already, as Dial does over one of its own.
func Over(ctx, life context.Context, line Line, to Server) (*Link, error) {
	l, err := shakeHands(ctx, life, newWire(line.Transport, line.Questions), to, to.Protocol)
	if err != nil {
		return nil, err
	}
	l.lost = line.Lost
	return l, nil
}

// shakeHands starts a wire's transport and initializes the session. When it goes wrong the transport is closed.
func shakeHands(ctx, life context.Context, w *wire, to Server, protocol string) (*Link, error) {
	can := w.asked.Capabilities()
	w.offersRoots = can.Roots != nil
	l := &Link{
		server: to, wire: w, stopped: make(chan struct{}),
		client: client.NewClient(w, client.WithProtocolVersion(protocol), client.WithClientCapabilities(can), client.WithDiscoverTimeout(probeTime(ctx))),
	}
	err := l.client.Start(life)
	var hello *mcp.InitializeResult
	if err == nil {
		hello, err = l.client.Initialize(ctx, mcp.InitializeRequest{Params: mcp.InitializeParams{
			ClientInfo: mcp.Implementation{Name: "aloud", Version: version()},
		}})
	}
	if err != nil {
		if process, ok := w.Interface.(*stdio.Transport); ok {
			process.Terminate() // it has nothing to finish, and somebody may wait to leave
		}
		l.Close()
		return nil, fault.Of(w.greeted(err))
	}
	if about := strings.TrimSpace(cmp.Or(hello.ServerInfo.Title, hello.ServerInfo.Name) + " " + hello.ServerInfo.Version); about != "" {
		l.about = append(l.about, sanitize.Line(sanitize.Clip(about, 80)))
	}
	if w.asked.Listener() != nil { // to hear what the very first call logs
		l.askForLog(ctx, logPatience, mcp.LoggingLevelDebug)
	}
	return l, nil
}

// logPatience is how long a start waits for a server to agree to log: one that does not answer is used all the same.
const logPatience = 2 * time.Second

// probeTime is how long a server may take to say which revisions it speaks, before it counts as one from before that question. mcp-go's own
// 5 s are too few for one that is being woken or is busy, and half of the time there is leaves as much for the handshake of an old one.
func probeTime(ctx context.Context) time.Duration {
	deadline, bounded := ctx.Deadline()
	if !bounded {
		return 0 // mcp-go's
	}
	return time.Until(deadline) / 2
}

func version() string {
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		return info.Main.Version
	}
	return "unknown"
}

// Stop has all end that is asked of the server now, at once: for who closes the link, and does not want those who wait to find out by themselves.
func (l *Link) Stop() { l.stopOnce.Do(func() { close(l.stopped) }) }

// Close ends the link, with the process if there is one, and waits for that.
func (l *Link) Close() {
	l.wire.asked.Close()
	_ = l.client.Close()
	if l.hangUp != nil {
		l.hangUp()
	}
}

// Lost is closed when the server is gone. It is nil for servers of which only a call finds that out.
func (l *Link) Lost() <-chan struct{} { return l.lost }

// Err says why the link was lost, with what a process wrote last; nil: it is not, as far as is known.
func (l *Link) Err() error {
	select {
	case <-l.lost:
	default:
		return nil
	}
	if l.process == nil {
		return errors.New("the connection was lost")
	}
	return l.withLastWords(l.process.Err())
}

// About says in a few words each what the server calls itself, and what is odd about the way to it.
func (l *Link) About() []string { return l.about }

// LastWords is what a process wrote for people until now.
func (l *Link) LastWords() []string {
	if l.process == nil {
		return nil
	}
	return l.process.Tail()
}

func (l *Link) withLastWords(err error) error {
	return fault.WithLastWords(fault.Of(err), l.LastWords())
}
