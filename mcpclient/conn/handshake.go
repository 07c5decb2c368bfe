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
	"sync"
	"time"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/aloudchat/aloud/internal/sanitize"
	"github.com/aloudchat/aloud/mcpclient"
	"github.com/aloudchat/aloud/mcpclient/jsonrpc"
)

// capabilities are what a server declares to offer.
type capabilities struct{ Tools, Prompts, Resources, Logging capability }

// capability is what a server declares about a list, or about its log.
type capability struct{ declared, changes bool }

// UnmarshalJSON implements json.Unmarshaler. Some servers declare it with a value that is not an object.
func (l *capability) UnmarshalJSON(raw []byte) error {
	var members struct {
		ListChanged bool `json:"listChanged"`
	}
	_ = json.Unmarshal(raw, &members) // ignores fields of the wrong type
	*l = capability{!slices.Contains([]string{"null", "false"}, string(raw)), members.ListChanged}
	return nil
}

// none reports whether a server declares no list, although it may have some.
func (c capabilities) none() bool {
	return !c.Tools.declared && !c.Prompts.declared && !c.Resources.declared
}

// briefly is how long to wait for the response to a request that a server may not support. Some servers ignore such
// requests.
const briefly = 5 * time.Second

// timeout limits ctx for a request of the list.
func (l capability) timeout(ctx context.Context) (context.Context, context.CancelFunc) {
	if l.declared {
		return context.WithCancel(ctx)
	}
	limit := briefly
	if deadline, ok := ctx.Deadline(); ok {
		limit = min(limit, time.Until(deadline)/2)
	}
	return context.WithTimeout(ctx, limit)
}

// start negotiates a revision. protocol "" means the newest that both sides support. On failure it closes the
// connection.
func (c *Conn) start(ctx context.Context, protocol string) error {
	if err := c.negotiate(ctx, protocol); err != nil {
		c.Close()
		return explain(err)
	}
	return nil
}

// negotiate determines the revision: with server/discover since 2026-07-28, with initialize before.
func (c *Conn) negotiate(ctx context.Context, protocol string) error {
	if protocol == "" || mcp.IsModernProtocol(protocol) {
		err := c.discover(ctx, cmp.Or(protocol, mcp.LATEST_PROTOCOL_VERSION))
		refused, _ := errors.AsType[refusal](err)
		if err == nil || errors.Is(err, mcpclient.ErrLoginNeeded) || refused.status == http.StatusUnauthorized {
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
			c.revision.Store("")
		}
	}()
	for {
		c.revision.Store(revision)
		response, err := c.roundTrip(ctx, mcp.MethodServerDiscover, struct{}{}, nil)
		if err != nil {
			return err
		}
		if response.Error != nil {
			other := mcp.NegotiateMutuallySupportedVersion(supportedBy(response.Error))
			if mcp.IsModernProtocol(other) && other < revision {
				revision = other
				continue
			}
			return errorOf(response.Error)
		}
		var found struct {
			Supported    []string     `json:"supportedVersions"`
			Capabilities capabilities `json:"capabilities"`
			Meta         struct {
				Info mcp.Implementation `json:"io.modelcontextprotocol/serverInfo"` // mcp.MetaKeyServerInfo
			} `json:"_meta"`
		}
		_ = json.Unmarshal(response.Result, &found) // ignores fields of the wrong type
		if len(found.Supported) == 0 {
			return errNotMCP
		}
		c.can = found.Capabilities
		c.addAbout(found.Meta.Info)
		return nil
	}
}

// supportedBy returns the revisions that a server supports if it rejected the one of a request.
func supportedBy(e *jsonrpc.Error) []string {
	if e == nil || e.Code != mcp.UNSUPPORTED_PROTOCOL_VERSION {
		return nil
	}
	var data struct {
		Supported []string `json:"supported"`
	}
	_ = json.Unmarshal(e.Data, &data)
	return data.Supported
}

// initialize performs the handshake of revisions before 2026-07-28.
func (c *Conn) initialize(ctx context.Context, revision string) error {
	response, err := c.roundTrip(ctx, mcp.MethodInitialize, mcp.InitializeParams{
		ProtocolVersion: revision, ClientInfo: clientInfo(), Capabilities: c.requests.Capabilities(),
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
	var hello struct { // mcp.InitializeResult refuses servers that write {} as [], or icons as strings
		Revision     string             `json:"protocolVersion"`
		Capabilities capabilities       `json:"capabilities"`
		ServerInfo   mcp.Implementation `json:"serverInfo"`
	}
	_ = json.Unmarshal(response.Result, &hello) // ignores fields of the wrong type
	switch {
	case hello.Revision == "":
		return errNotMCP
	case !mcp.IsValidProtocolVersion(hello.Revision):
		text := fmt.Sprintf("aloud does not support MCP revision %.40q. Try another version of the server", hello.Revision)
		return &Error{Kind: errRefused, Text: text, Cause: errOtherRevision}
	}
	c.can = hello.Capabilities
	c.revision.Store(hello.Revision)
	c.addAbout(hello.ServerInfo)
	if err := c.notify(ctx, mcp.MethodNotificationInitialized, nil); err != nil {
		return err
	}
	if c.relaysLog() {
		c.requestLog(ctx)
	}
	return nil
}

// requestLog asks the server for its log. It does not wait for the response, because a server may ignore this.
func (c *Conn) requestLog(ctx context.Context) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), briefly)
	var asked sync.WaitGroup
	asked.Go(func() {
		_, _ = c.roundTrip(ctx, mcp.MethodSetLogLevel, mcp.SetLevelParams{Level: relayedLevel}, nil)
		cancel()
	})
	closing := c.closing
	c.closing = func() {
		cancel()
		asked.Wait()
		closing()
	}
}

// relayedLevel is the level from which servers are asked for their log. Some send only errors otherwise.
const relayedLevel = mcp.LoggingLevelInfo

// relaysLog reports whether the server has a log, and the program keeps one.
func (c *Conn) relaysLog() bool { return c.log != nil && c.can.Logging.declared }

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

// agreed returns the negotiated revision, or "".
func (c *Conn) agreed() string { return c.revision.Load().(string) } //nolint:forcetypeassert // always a string

// isModern reports whether the revision is 2026-07-28 or newer.
func (c *Conn) isModern() bool { return mcp.IsModernProtocol(c.agreed()) }

// encoded returns the parameters of a request, with the metadata that modern revisions require.
func (c *Conn) encoded(params any) (json.RawMessage, error) {
	if !c.isModern() {
		return json.Marshal(params)
	}
	all, err := withMembers(params, nil)
	if err != nil {
		return nil, err
	}
	meta := map[string]any{}
	_ = json.Unmarshal(all["_meta"], &meta) // may be missing
	meta[mcp.MetaKeyProtocolVersion] = c.agreed()
	meta[mcp.MetaKeyClientCapabilities] = c.requests.Capabilities()
	meta[mcp.MetaKeyClientInfo] = clientInfo()
	if c.relaysLog() {
		meta[mcp.MetaKeyLogLevel] = relayedLevel
	}
	if all["_meta"], err = json.Marshal(meta); err != nil {
		return nil, err
	}
	return json.Marshal(all)
}
