package conn

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"github.com/mark3labs/mcp-go/client/transport"
	"github.com/mark3labs/mcp-go/mcp"

	"github.com/aloudchat/aloud/sanitize"
)

// start starts the transport and agrees with the server on a revision; protocol "" is the newest that both know. On failure it closes the transport.
func (c *Conn) start(ctx, life context.Context, protocol string) error {
	if !c.server.SSE {
		c.offered = c.requests.Capabilities()
	}
	c.transport.SetNotificationHandler(c.notified)
	life, trip := withTrip(life)
	err := c.transport.Start(life)
	if err != nil {
		err = trip.explain(err)
	} else {
		err = c.greet(ctx, protocol)
	}
	if err != nil {
		if c.process != nil {
			c.process.Terminate() // it has nothing to finish, and you may be waiting to leave
		}
		c.Close()
		return explain(err)
	}
	return nil
}

// greet finds out what the server is and can do. Since 2026-07-28 it says so when it is asked, before there was a handshake.
func (c *Conn) greet(ctx context.Context, protocol string) error {
	if protocol == "" || mcp.IsModernProtocol(protocol) {
		err := c.discover(ctx, cmp.Or(protocol, mcp.LATEST_PROTOCOL_VERSION))
		if err == nil || errors.Is(err, ErrLoginNeeded) || errors.Is(err, transport.ErrAuthorizationRequired) {
			return err // a server that wants a login has said nothing about its revision
		}
		protocol = mcp.LATEST_LEGACY_PROTOCOL_VERSION
	}
	return c.initialize(ctx, protocol)
}

// discover asks a server of a modern revision what it is. On failure no revision is agreed.
func (c *Conn) discover(ctx context.Context, revision string) (err error) {
	if deadline, bounded := ctx.Deadline(); bounded { // a server that says nothing is an old one, which needs the other half for its handshake
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, time.Until(deadline)/2)
		defer cancel()
	}
	defer func() {
		if err != nil {
			c.setRevision("")
		}
	}()
	for {
		c.setRevision(revision)
		response, err := c.roundTrip(ctx, mcp.MethodServerDiscover, struct{}{}, nil)
		if err != nil {
			return err
		}
		if response.Error != nil {
			other := mcp.NegotiateMutuallySupportedVersion(supportedBy(response))
			if mcp.IsModernProtocol(other) && other < revision {
				revision = other
				continue
			}
			return answered(response.Error)
		}
		var found mcp.DiscoverResult
		if err := json.Unmarshal(response.Result, &found); err != nil {
			return err
		}
		if len(found.SupportedVersions) == 0 {
			return errors.New("it answers anything with nothing")
		}
		c.can = found.Capabilities
		if info := found.GetResultMeta().ServerInfo(); info != nil {
			c.introduce(*info)
		}
		return nil
	}
}

// supportedBy is what a server speaks that does not want the revision of a request.
func supportedBy(r *transport.JSONRPCResponse) []string {
	if r.Error == nil || r.Error.Code != mcp.UNSUPPORTED_PROTOCOL_VERSION {
		return nil
	}
	raw, _ := json.Marshal(r.Error.Data)
	var speaks struct {
		Supported []string `json:"supported"`
	}
	_ = json.Unmarshal(raw, &speaks)
	return speaks.Supported
}

// deniesRevision reports whether a server does not want the revision that it says it speaks.
func (c *Conn) deniesRevision(r *transport.JSONRPCResponse) bool {
	return slices.Contains(supportedBy(r), c.agreed())
}

// initialize begins a session as before 2026-07-28.
func (c *Conn) initialize(ctx context.Context, revision string) error {
	response, err := c.roundTrip(ctx, mcp.MethodInitialize, map[string]any{
		"protocolVersion": revision, "clientInfo": ourselves(), "capabilities": c.offered,
	}, nil)
	switch {
	case err != nil:
		return err
	case response.Error != nil && response.Error.Message != "":
		return &Error{Kind: errRefused, Text: "it refused to begin: " + clip(response.Error.Message), Cause: answered(response.Error)}
	case response.Error != nil:
		return answered(response.Error)
	}
	var hello mcp.InitializeResult
	if err := json.Unmarshal(response.Result, &hello); err != nil {
		return err
	}
	switch {
	case hello.ProtocolVersion == "":
		return errNotMCP
	case !mcp.IsValidProtocolVersion(hello.ProtocolVersion):
		text := fmt.Sprintf("it speaks the MCP revision %.40q, which aloud does not know: try another version of the server", hello.ProtocolVersion)
		return &Error{Kind: errRefused, Text: text, Cause: errOtherRevision}
	}
	c.can = hello.Capabilities
	c.setRevision(hello.ProtocolVersion)
	c.introduce(hello.ServerInfo)
	return c.notify(ctx, mcp.MethodNotificationInitialized, nil)
}

var errOtherRevision = errors.New("it speaks another revision")

// speaksOtherProtocol reports whether a server may be one of those that know no handshake.
func speaksOtherProtocol(err error) bool {
	return errors.Is(err, errOtherRevision) || hasCode(err, mcp.METHOD_NOT_FOUND) || hasCode(err, mcp.UNSUPPORTED_PROTOCOL_VERSION)
}

func ourselves() mcp.Implementation {
	version := "unknown"
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		version = info.Main.Version
	}
	return mcp.Implementation{Name: "aloud", Version: version}
}

// introduce notes what the server calls itself.
func (c *Conn) introduce(info mcp.Implementation) {
	if about := strings.TrimSpace(cmp.Or(info.Title, info.Name) + " " + info.Version); about != "" {
		c.about = append(c.about, sanitize.Line(sanitize.Clip(about, 80)))
	}
}

func (c *Conn) setRevision(revision string) {
	c.revision.Store(revision)
	if t, ok := c.transport.(transport.HTTPConnection); ok {
		t.SetProtocolVersion(revision)
	}
}

// agreed is the revision that both sides speak.
func (c *Conn) agreed() string { return c.revision.Load().(string) } //nolint:forcetypeassert // newConn stores one

// isModern reports whether there are no sessions and the server asks only instead of answering, as since 2026-07-28.
func (c *Conn) isModern() bool { return mcp.IsModernProtocol(c.agreed()) }

// asAgreed adds to a request what the modern revisions want on every one: who we are, and over HTTP what it is about in headers.
func (c *Conn) asAgreed(method mcp.MCPMethod, params any, tool *Tool) (any, http.Header, error) {
	if !c.isModern() {
		return params, nil, nil
	}
	all, err := withMembers(params, nil)
	if err != nil {
		return nil, nil, err
	}
	meta := map[string]any{}
	_ = json.Unmarshal(all["_meta"], &meta) // there is none, or it is ours
	meta[mcp.MetaKeyProtocolVersion] = c.agreed()
	meta[mcp.MetaKeyClientCapabilities] = c.offered
	meta[mcp.MetaKeyClientInfo] = ourselves()
	if all["_meta"], err = json.Marshal(meta); err != nil {
		return nil, nil, err
	}
	raw, err := json.Marshal(all)
	if err != nil {
		return nil, nil, err
	}
	header := http.Header{}
	for name, value := range mcp.StandardHeaders(c.agreed(), method, raw) {
		header.Set(name, value)
	}
	if tool != nil {
		for name, value := range mcp.GenerateParamHeaders(&mcp.Tool{RawInputSchema: tool.Schema}, raw) {
			header.Set(name, value)
		}
	}
	return all, header, nil
}
