package conn

import (
	"context"
	"encoding/json"
	"log/slog"
	"strings"

	"github.com/aloudchat/aloud/sanitize"
	"github.com/aloudchat/aloud/secret"
)

// Log writes what goes over the wire of one server into the program's log. A nil Log
// writes nothing. All methods are safe for concurrent use.
type Log struct {
	log     *slog.Logger
	secrets secret.Hider
}

// The directions of a message.
const (
	sent     = "sent"
	received = "received"
)

// loggedBytes is how much of a message is written down.
const loggedBytes = 4 << 10

// NewLog returns nil unless log is at debug level. secrets are those of the server's configuration and login.
func NewLog(log *slog.Logger, server string, secrets secret.Hider) *Log {
	if !log.Enabled(context.Background(), slog.LevelDebug) {
		return nil
	}
	return &Log{log.With("server", server), secrets}
}

// message writes a message down. Its size is that of its JSON.
func (l *Log) message(direction string, m any) {
	if l == nil {
		return
	}
	raw, err := json.Marshal(m)
	if err != nil {
		raw = []byte(err.Error())
	}
	l.log.Debug("wire", "direction", direction, "bytes", len(raw), "message", l.hidden(string(raw)))
}

// failed writes down that no message came.
func (l *Log) failed(err error) {
	if l != nil {
		l.log.Debug("wire", "direction", received, "error", l.hidden(err.Error()))
	}
}

// hidden is the beginning of a text without what is secret in it.
func (l *Log) hidden(text string) string {
	return sanitize.Cut(secret.Mask(l.secrets.Beginning(strings.ToValidUTF8(text, "\uFFFD"), loggedBytes)), loggedBytes)
}
