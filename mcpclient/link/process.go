package link

import (
	"cmp"
	"context"
	"errors"

	"github.com/aloudchat/aloud/mcpclient/asked"
	"github.com/aloudchat/aloud/mcpclient/fault"
	"github.com/aloudchat/aloud/mcpclient/stdio"
	"github.com/aloudchat/aloud/mcpclient/wirelog"
	"github.com/mark3labs/mcp-go/client/transport"
	"github.com/mark3labs/mcp-go/mcp"
)

// dialProcess asks for the last revision that begins with a handshake first: probing for a newer one costs 5 s with servers that do not
// answer what they do not know, and ends some of them. Only a server that knows no handshake is asked again, without.
func dialProcess(ctx, life context.Context, to Server, a *asked.Answerer) (*Link, error) {
	l, err := launch(ctx, life, to, a, cmp.Or(to.Protocol, mcp.LATEST_LEGACY_PROTOCOL_VERSION))
	if to.Protocol == "" && speaksOtherProtocol(err) {
		return launch(ctx, life, to, a, "")
	}
	return l, err
}

func launch(ctx, life context.Context, to Server, a *asked.Answerer, protocol string) (*Link, error) {
	process := stdio.New(processOf(to))
	questions := asked.New(a)
	process.SetRequestHandler(func(r transport.JSONRPCRequest) {
		questions.Ask(r, func(_ context.Context, response *transport.JSONRPCResponse) { process.Reply(response) })
	})
	l, err := shakeHands(ctx, life, newWire(process, questions), to, protocol)
	if err != nil {
		words := process.Tail()
		_ = process.Close()
		return nil, fault.WithLastWords(err, words)
	}
	l.process, l.lost = process, process.Gone()
	return l, nil
}

func processOf(to Server) stdio.Config {
	process := stdio.Config{Command: to.Command, Args: to.Args, Env: environment(to), Dir: to.Dir}
	if to.Log != nil {
		process.Sent = func(line []byte) { to.Log.Line(wirelog.Sent, line) }
		process.Heard = func(line []byte, size int) { to.Log.Excerpt(wirelog.Received, line, size) }
	}
	return process
}

func speaksOtherProtocol(err error) bool {
	_, other := errors.AsType[mcp.UnsupportedProtocolVersionError](err)
	return other || errors.Is(err, mcp.ErrMethodNotFound)
}
