package conn

import (
	"context"
	"encoding/json"
	"log/slog"
	"strings"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/aloudchat/aloud/internal/sanitize"
	"github.com/aloudchat/aloud/internal/secret"
)

// wireLog writes the messages of one server to the program's log. If it is nil it writes nothing. All methods are safe
// for concurrent use.
type wireLog struct {
	log     *slog.Logger
	secrets secret.Hider
}

// The directions of a message.
const (
	sent     = "sent"
	received = "received"
)

const loggedBytes = 4 << 10 // of one message

// newWireLog returns nil unless log is at debug level.
func newWireLog(log *slog.Logger, server string, secrets secret.Hider) *wireLog {
	if !log.Enabled(context.Background(), slog.LevelDebug) {
		return nil
	}
	return &wireLog{log.With("server", server), secrets}
}

// message logs a message.
func (l *wireLog) message(direction string, m any) {
	if l == nil {
		return
	}
	raw, err := json.Marshal(m)
	if err != nil {
		raw = []byte(err.Error())
	}
	l.log.Debug("wire", "direction", direction, "bytes", len(raw), "message", l.hidden(string(raw)))
}

// failed logs that no response came.
func (l *wireLog) failed(err error) {
	if l != nil {
		l.log.Debug("wire", "direction", received, "error", l.hidden(err.Error()))
	}
}

// relay logs a message of the server's own log, at the nearest level.
func (l *wireLog) relay(params json.RawMessage) {
	if l == nil {
		return
	}
	var p struct {
		Level  mcp.LoggingLevel
		Logger string
		Data   json.RawMessage
	}
	_ = json.Unmarshal(params, &p) // ignores fields of the wrong type
	text := string(p.Data)
	_ = json.Unmarshal(p.Data, &text) // any other value stays JSON
	level := slog.LevelInfo
	switch {
	case p.Level.ShouldSendTo(mcp.LoggingLevelError):
		level = slog.LevelError
	case p.Level == mcp.LoggingLevelWarning:
		level = slog.LevelWarn
	case p.Level == mcp.LoggingLevelDebug:
		level = slog.LevelDebug
	}
	l.log.Log(context.Background(), level, "server log",
		"severity", l.hidden(string(p.Level)), "logger", l.hidden(p.Logger), "text", l.hidden(text))
}

// hidden returns the beginning of a text with secrets hidden.
func (l *wireLog) hidden(text string) string {
	return sanitize.Cut(secret.Mask(l.secrets.Beginning(strings.ToValidUTF8(text, "\uFFFD"), loggedBytes)), loggedBytes)
}
