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

// start starts the transport and negotiates a revision. protocol "" means the newest that both sides support. On
// failure it closes the transport.
func (c *Conn) start(ctx, life context.Context, protocol string) error {
	if c.server.Transport != "sse" { // mcp-go drops requests of the server there
		c.offered = c.requests.Capabilities()
	}
	c.transport.SetNotificationHandler(c.handleNotification)
	life, trip := withTrip(life)
	err := c.transport.Start(life)
	if err != nil {
		err = trip.explain(err)
	} else {
		err = c.negotiate(ctx, protocol)
	}
	if err != nil {
		if c.process != nil {
			c.process.Terminate() // so that Close takes less time
		}
		c.Close()
		return explain(err)
	}
	return nil
}

// negotiate determines the revision: with server/discover since 2026-07-28, with initialize before.
func (c *Conn) negotiate(ctx context.Context, protocol string) error {
	if protocol == "" || mcp.IsModernProtocol(protocol) {
		err := c.discover(ctx, cmp.Or(protocol, mcp.LATEST_PROTOCOL_VERSION))
		if err == nil || errors.Is(err, ErrLoginNeeded) || errors.Is(err, transport.ErrAuthorizationRequired) {
			return err // not a sign of an older revision
		}
		protocol = mcp.LATEST_LEGACY_PROTOCOL_VERSION
	}
	return c.initialize(ctx, protocol)
}

// discover sends server/discover. On failure no revision is agreed.
func (c *Conn) discover(ctx context.Context, revision string) (err error) {
	if deadline, ok := ctx.Deadline(); ok { // a server that does not respond needs the other half for its handshake
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
			return errorOf(response.Error)
		}
		var found mcp.DiscoverResult
		if err := json.Unmarshal(response.Result, &found); err != nil {
			return err
		}
		if len(found.SupportedVersions) == 0 {
			return errNotMCP
		}
		c.can = found.Capabilities
		if info := found.GetResultMeta().ServerInfo(); info != nil {
			c.addAbout(*info)
		}
		return nil
	}
}

// supportedBy returns the revisions that a server supports if it rejected the one of a request.
func supportedBy(r *transport.JSONRPCResponse) []string {
	if r.Error == nil || r.Error.Code != mcp.UNSUPPORTED_PROTOCOL_VERSION {
		return nil
	}
	raw, _ := json.Marshal(r.Error.Data)
	var data struct {
		Supported []string `json:"supported"`
	}
	_ = json.Unmarshal(raw, &data)
	return data.Supported
}

// rejectsRevision reports whether a server rejects a revision that it claims to support.
func (c *Conn) rejectsRevision(r *transport.JSONRPCResponse) bool {
	return slices.Contains(supportedBy(r), c.agreed())
}

// initialize performs the handshake of revisions before 2026-07-28.
func (c *Conn) initialize(ctx context.Context, revision string) error {
	response, err := c.roundTrip(ctx, mcp.MethodInitialize, map[string]any{
		"protocolVersion": revision, "clientInfo": clientInfo(), "capabilities": c.offered,
	}, nil)
	switch {
	case err != nil:
		return err
	case response.Error != nil && response.Error.Message != "":
		text := "the server refused to start: " + clip(response.Error.Message)
		return &Error{Kind: errRefused, Text: text, Cause: errorOf(response.Error)}
	case response.Error != nil:
		return errorOf(response.Error)
	}
	var hello mcp.InitializeResult
	if err := json.Unmarshal(response.Result, &hello); err != nil {
		return err
	}
	switch {
	case hello.ProtocolVersion == "":
		return errNotMCP
	case !mcp.IsValidProtocolVersion(hello.ProtocolVersion):
		text := fmt.Sprintf("aloud does not support MCP revision %.40q. Try another version of the server",
			hello.ProtocolVersion)
		return &Error{Kind: errRefused, Text: text, Cause: errOtherRevision}
	}
	c.can = hello.Capabilities
	c.setRevision(hello.ProtocolVersion)
	c.addAbout(hello.ServerInfo)
	return c.notify(ctx, mcp.MethodNotificationInitialized, nil)
}

var errOtherRevision = errors.New("unsupported revision")

// mayBeModern reports whether a server that failed the handshake may support only revisions without one.
func mayBeModern(err error) bool {
	return errors.Is(err, errOtherRevision) || hasCode(err, mcp.METHOD_NOT_FOUND) ||
		hasCode(err, mcp.UNSUPPORTED_PROTOCOL_VERSION)
}

func clientInfo() mcp.Implementation {
	version := "unknown"
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		version = info.Main.Version
	}
	return mcp.Implementation{Name: "aloud", Version: version}
}

// addAbout records the server's name for itself.
func (c *Conn) addAbout(info mcp.Implementation) {
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

// agreed returns the negotiated revision, or "".
func (c *Conn) agreed() string { return c.revision.Load().(string) } //nolint:forcetypeassert // always a string

// isModern reports whether the revision is 2026-07-28 or newer: it has no sessions and no requests of the server.
func (c *Conn) isModern() bool { return mcp.IsModernProtocol(c.agreed()) }

// asAgreed adds the metadata and HTTP headers that modern revisions require on every request.
func (c *Conn) asAgreed(method mcp.MCPMethod, params any, tool *Tool) (any, http.Header, error) {
	if !c.isModern() {
		return params, nil, nil
	}
	all, err := withMembers(params, nil)
	if err != nil {
		return nil, nil, err
	}
	meta := map[string]any{}
	_ = json.Unmarshal(all["_meta"], &meta) // may be missing
	meta[mcp.MetaKeyProtocolVersion] = c.agreed()
	meta[mcp.MetaKeyClientCapabilities] = c.offered
	meta[mcp.MetaKeyClientInfo] = clientInfo()
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
