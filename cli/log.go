package cli

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"sync"

	"github.com/aloudchat/aloud/atomicfile"
	"github.com/aloudchat/aloud/mcpclient"
	"github.com/aloudchat/aloud/sanitize"
)

// openLog writes the log to a file, or nowhere if path is "".
func openLog(path string) (close func(), err error) {
	if path == "" {
		slog.SetDefault(slog.New(slog.DiscardHandler))
		return func() {}, nil
	}
	f, err := os.OpenFile(filepath.Clean(path), os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return nil, usage(fmt.Sprintf("the log file %q cannot be written: %v", path, atomicfile.Cause(err)), "choose another with --log")
	}
	slog.SetDefault(slog.New(slog.NewJSONHandler(sanitized{f}, &slog.HandlerOptions{Level: slog.LevelDebug})))
	return func() { f.Close() }, nil
}

// sanitized escapes control characters, so that the log can be looked at in a terminal.
type sanitized struct{ io.Writer }

func (h sanitized) Write(record []byte) (int, error) {
	if _, err := h.Writer.Write(sanitize.JSON(record)); err != nil {
		return 0, err
	}
	return len(record), nil
}

// logServers logs the states of the servers until stop is called.
func logServers(ctx context.Context, board *mcpclient.Board) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	var writing sync.WaitGroup
	writing.Go(func() {
		log := serverLog{}
		for seen := 0; ; {
			servers, version, err := board.Wait(ctx, seen)
			if err != nil {
				log.write(board.Servers())
				return
			}
			log.write(servers)
			seen = version
		}
	})
	return func() {
		cancel()
		writing.Wait()
	}
}

// serverLog has the last state logged of each server.
type serverLog map[string]string

func (l serverLog) write(servers []mcpclient.ServerStatus) {
	for _, s := range servers {
		now := fmt.Sprint(s)
		if l[s.Name] == now {
			continue
		}
		l[s.Name] = now
		slog.Info("server", "name", sanitize.Line(s.Name), "state", s.State, "detail", sanitize.Line(s.Detail), "tools", s.Tools,
			"took_ms", s.Took.Milliseconds(), "stderr", s.Stderr)
	}
}
