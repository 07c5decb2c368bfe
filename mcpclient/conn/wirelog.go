package conn

import (
	"context"
	"encoding/json"
	"log/slog"
	"strings"

	"github.com/aloudchat/aloud/internal/sanitize"
	"github.com/aloudchat/aloud/internal/secret"
)

// Log writes the messages of one server to the program's log. A nil Log writes nothing. All methods are safe for
// concurrent use.
type Log struct {
	log     *slog.Logger
	secrets secret.Hider
}

// The directions of a message.
const (
	sent     = "sent"
	received = "received"
)

const loggedBytes = 4 << 10 // of one message

// NewLog returns nil unless log is at debug level.
func NewLog(log *slog.Logger, server string, secrets secret.Hider) *Log {
	if !log.Enabled(context.Background(), slog.LevelDebug) {
		return nil
	}
	return &Log{log.With("server", server), secrets}
}

// message logs a message.
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

// failed logs that no response came.
func (l *Log) failed(err error) {
	if l != nil {
		l.log.Debug("wire", "direction", received, "error", l.hidden(err.Error()))
	}
}

// hidden returns the beginning of a text with secrets hidden.
func (l *Log) hidden(text string) string {
	return sanitize.Cut(secret.Mask(l.secrets.Beginning(strings.ToValidUTF8(text, "\uFFFD"), loggedBytes)), loggedBytes)
}
