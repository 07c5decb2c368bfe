package cli

import (
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"

	"github.com/aloudchat/aloud/internal/atomicfile"
	"github.com/aloudchat/aloud/internal/sanitize"
)

// openLog writes the log to a file, or nowhere if path is "".
func openLog(path string) (close func(), err error) {
	if path == "" {
		slog.SetDefault(slog.New(slog.DiscardHandler))
		return func() {}, nil
	}
	f, err := os.OpenFile(filepath.Clean(path), os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		text := fmt.Sprintf("cannot write the log file %q: %v", path, atomicfile.Cause(err))
		return nil, usage(text, "name another with --log")
	}
	slog.SetDefault(slog.New(slog.NewJSONHandler(sanitized{f}, &slog.HandlerOptions{Level: slog.LevelDebug})))
	return func() { f.Close() }, nil
}

// sanitized escapes control characters, so that the log is safe to show in a terminal.
type sanitized struct{ io.Writer }

func (h sanitized) Write(record []byte) (int, error) {
	if _, err := h.Writer.Write(sanitize.JSON(record)); err != nil {
		return 0, err
	}
	return len(record), nil
}
