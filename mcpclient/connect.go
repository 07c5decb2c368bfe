package mcpclient

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"strings"

	"github.com/aloudchat/aloud/mcpclient/asked"
	"github.com/aloudchat/aloud/mcpclient/fault"
	"github.com/aloudchat/aloud/mcpclient/stdio"
	"github.com/aloudchat/aloud/mcpclient/wirelog"
	"github.com/aloudchat/aloud/sanitize"
	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/client/transport"
	"github.com/mark3labs/mcp-go/mcp"
)

// connection is one live connection to a server.
type connection struct {
	client  *client.Client
	wire    *wire
	process *stdio.Transport // nil when it is none of ours
	lost    <-chan struct{}  // closed when the server is gone; nil when only a call can find out
	end     context.CancelFunc
	why     string        // what somebody did to the server while the connection was up: "was restarted"; guarded by Set.mu
	stopped chan struct{} // closed when why is said: calls end then
	hangUp  func()        // closes what the transport leaves open; may be nil

	tools   []Tool   // as listed at the start
	remarks []string // what it calls itself, then what is odd about it
	about   int      // how many of the remarks do not come from listing its tools
}

// connect makes a connection and lists the tools. ctx bounds that, life what goes on after.
func connect(ctx, life context.Context, config Server, a *asked.Answerer) (*connection, error) {
	c, err := dial(ctx, life, config, a)
	if err != nil {
		return nil, err
	}
	c.about = len(c.remarks)
	var odd []string
	if c.tools, odd, err = c.list(ctx, config); err != nil {
		err = c.withLastWords(beforeReady(err))
		c.close()
		return nil, err
	}
	c.remarks = append(c.remarks, odd...)
	return c, nil
}

func dial(ctx, life context.Context, config Server, a *asked.Answerer) (*connection, error) {
	switch {
	case config.Broken != nil:
		return nil, config.Broken
	case config.Local != nil:
		return dialLocal(ctx, life, config, a)
	case config.Command != "":
		return dialProcess(ctx, life, config, a)
	case config.URL != "":
		return dialURL(ctx, life, config, a)
	default:
		return nil, errors.New(`has neither "command" nor "url": one of them says where it is`)
	}
}

// dialProcess asks for the last revision that begins with a handshake first: probing for a newer one costs 5 s with servers that do not
// answer what they do not know, and ends some of them. Only a server that knows no handshake is asked again, without.
func dialProcess(ctx, life context.Context, config Server, a *asked.Answerer) (*connection, error) {
	protocol := pinned(config)
	c, err := launch(ctx, life, config, a, cmp.Or(protocol, mcp.LATEST_LEGACY_PROTOCOL_VERSION))
	if protocol == "" && speaksOtherProtocol(err) {
		return launch(ctx, life, config, a, "")
	}
	return c, err
}

func launch(ctx, life context.Context, config Server, a *asked.Answerer, protocol string) (*connection, error) {
	process := stdio.New(processOf(config))
	questions := asked.New(a)
	process.SetRequestHandler(func(r transport.JSONRPCRequest) {
		questions.Ask(r, func(_ context.Context, response *transport.JSONRPCResponse) { process.Reply(response) })
	})
	c, err := shakeHands(ctx, life, newWire(process, questions), protocol, a.Capabilities())
	if err != nil {
		words := process.Tail()
		err = beforeReady(err)
		_ = process.Close()
		return nil, &lastWordsError{err, words}
	}
	c.process, c.lost = process, process.Gone()
	return c, nil
}

func processOf(config Server) stdio.Config {
	process := stdio.Config{Command: config.Command, Args: config.Args, Env: environment(config), Dir: config.Dir}
	if log := logOf(config); log != nil {
		process.Sent = func(line []byte) { log.Line(wirelog.Sent, line) }
		process.Heard = func(line []byte, size int) { log.Excerpt(wirelog.Received, line, size) }
	}
	return process
}

// beforeReady says of a process that has ended when it did.
func beforeReady(err error) error {
	if errors.Is(err, stdio.ErrGone) {
		return fmt.Errorf("%w before it was ready", fault.Of(err))
	}
	return err
}

// pinned is the revision of the configuration, "" when it is ours to find out.
func pinned(config Server) string {
	if config.Protocol == "auto" {
		return ""
	}
	return config.Protocol
}

func speaksOtherProtocol(err error) bool {
	_, other := errors.AsType[mcp.UnsupportedProtocolVersionError](err)
	return other || errors.Is(err, mcp.ErrMethodNotFound)
}

// shakeHands starts a wire's transport and initializes the session. When it goes wrong the transport is closed.
func shakeHands(ctx, life context.Context, w *wire, protocol string, can mcp.ClientCapabilities) (*connection, error) {
	w.offersRoots = can.Roots != nil
	c := &connection{wire: w, client: client.NewClient(w, client.WithProtocolVersion(protocol), client.WithClientCapabilities(can))}
	err := c.client.Start(life)
	var hello *mcp.InitializeResult
	if err == nil {
		hello, err = c.client.Initialize(ctx, mcp.InitializeRequest{Params: mcp.InitializeParams{
			ClientInfo: mcp.Implementation{Name: "aloud", Version: version()},
		}})
	}
	if err != nil {
		if process, ok := w.Interface.(*stdio.Transport); ok {
			process.Terminate() // it has nothing to finish, and somebody may wait to leave
		}
		c.close()
		return nil, fault.Of(w.greeted(err))
	}
	if about := strings.TrimSpace(cmp.Or(hello.ServerInfo.Title, hello.ServerInfo.Name) + " " + hello.ServerInfo.Version); about != "" {
		c.remarks = append(c.remarks, sanitize.Line(sanitize.Clip(about, 80)))
	}
	return c, nil
}

func version() string {
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		return info.Main.Version
	}
	return "unknown"
}

// close ends the connection, with the process if there is one, and waits for that.
func (c *connection) close() {
	c.wire.asked.Close()
	_ = c.client.Close()
	if c.hangUp != nil {
		c.hangUp()
	}
	if c.end != nil {
		c.end()
	}
}

func (c *connection) isLost() bool {
	select {
	case <-c.lost:
		return true
	default:
		return false
	}
}

// lossReason says why the connection was lost.
func (c *connection) lossReason() error {
	if c.process != nil {
		return c.withLastWords(c.process.Err())
	}
	return errors.New("the connection was lost")
}

func (c *connection) withLastWords(err error) error {
	if c.process == nil {
		return fault.Of(err)
	}
	return &lastWordsError{fault.Of(err), c.words()}
}

// words is what the server wrote for people.
func (c *connection) words() []string {
	if c.process == nil {
		return nil
	}
	return c.process.Tail()
}
