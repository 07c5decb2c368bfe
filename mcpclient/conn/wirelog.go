package conn

import (
	"bytes"
	"context"
	"encoding/json"
	"log/slog"
	"strings"

	"github.com/aloudchat/aloud/secret"
)

// Log writes what goes over the wire of one server into the program's log: every message, up to a few kB of each. A nil Log
// writes nothing. All methods are safe for concurrent use.
type Log struct {
	log     *slog.Logger
	secrets secret.Hider
}

// The directions of a message.
const (
	Sent     = "sent"
	Received = "received"
)

// loggedBytes of a message are written down; its whole size is said.
const loggedBytes = 4 << 10

// NewLog returns nil unless the program's log wants to know so much. secrets are those of the server's configuration and login.
func NewLog(log *slog.Logger, server string, secrets secret.Hider) *Log {
	if !log.Enabled(context.Background(), slog.LevelDebug) {
		return nil
	}
	return &Log{log.With("server", server), secrets}
}

// With returns a log that says more of each message, as log/slog takes it. Texts from outside come through hidden first.
func (l *Log) With(more ...any) *Log {
	if l == nil {
		return nil
	}
	return &Log{l.log.With(more...), l.secrets}
}

// Line writes a message down.
func (l *Log) Line(direction string, message []byte) { l.Excerpt(direction, message, len(message)) }

// Value writes a message of a server in this process down, which never was bytes.
func (l *Log) Value(direction string, message any) {
	if l == nil {
		return
	}
	raw, err := json.Marshal(message)
	if err != nil {
		raw = []byte(err.Error())
	}
	l.Line(direction, raw)
}

// Excerpt writes the beginning of a message of so many bytes down.
func (l *Log) Excerpt(direction string, beginning []byte, size int) {
	if l == nil {
		return
	}
	text := l.mask(beginning[:min(len(beginning), l.Kept())], size)
	l.log.Debug("wire", "direction", direction, "bytes", size, "message", text)
}

// Failed writes down that no message came.
func (l *Log) Failed(direction string, err error) {
	if l != nil {
		l.log.Debug("wire", "direction", direction, "error", l.Hidden(err.Error()))
	}
}

// Hidden is a short text from outside without what is secret in it.
func (l *Log) Hidden(text string) string {
	if l == nil {
		return text
	}
	return l.mask([]byte(text), len(text))
}

// Kept is how much of a message must be looked at: a secret may begin where the excerpt ends.
func (l *Log) Kept() int {
	if l == nil {
		return 0
	}
	return loggedBytes + l.secrets.Longest()
}

// mask returns the beginning of a message without what is secret in it.
func (l *Log) mask(beginning []byte, size int) string {
	text := l.secrets.Text(strings.ToValidUTF8(string(bytes.TrimSpace(beginning)), "\uFFFD"))
	if size > len(beginning) {
		text = text[:max(0, len(text)-l.secrets.Longest())] // the beginning of a secret may be left there
	}
	text = secret.Mask(text)
	if len(text) > loggedBytes {
		text = text[:loggedBytes]
	}
	return strings.ToValidUTF8(text, "")
}
