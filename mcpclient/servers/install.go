package servers

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/aloudchat/aloud/mcpclient"
)

// installTimeout is how long a server that may be installing has until its first message.
const installTimeout = 5 * time.Minute

// lateEvery is how often the status of a server that may be installing is updated.
const lateEvery = 10 * time.Second

// installers are the commands that install a server before its first start, and their subcommands that do.
var installers = map[string][]string{
	"npx": nil, "npm": {"exec", "x"}, "pnpx": nil, "pnpm": {"dlx"}, "yarn": {"dlx"}, "bunx": nil, "bun": {"x"},
	"uvx": nil, "uv": {"run", "tool"}, "pipx": {"run"}, "docker": {"run"}, "podman": {"run"},
}

// valueFlags are the flags of installers that are often used before a subcommand, and take the next argument.
var valueFlags = []string{"--directory", "--project", "--prefix", "--dir"}

// mayInstall reports whether a command may install a server before it starts it.
func mayInstall(command string, args []string) bool {
	name := strings.ToLower(filepath.Base(command))
	switch ext := filepath.Ext(name); ext {
	case ".cmd", ".exe", ".bat", ".ps1":
		name = strings.TrimSuffix(name, ext)
	}
	if name == "cmd" && len(args) > 1 && strings.EqualFold(args[0], "/c") {
		return mayInstall(args[1], args[2:])
	}
	subcommands, known := installers[name]
	return known && (subcommands == nil || slices.Contains(subcommands, subcommand(args)))
}

// subcommand returns the first argument that is not a flag or its value, or "".
func subcommand(args []string) string {
	for len(args) > 0 && strings.HasPrefix(args[0], "-") {
		if slices.Contains(valueFlags, args[0]) && len(args) > 1 {
			args = args[1:]
		}
		args = args[1:]
	}
	if len(args) == 0 {
		return ""
	}
	return args[0]
}

// notReadyError is the cause of a context that ended a start because it took too long.
type notReadyError string

func (e notReadyError) Error() string { return string(e) }

func notReady(limit time.Duration, since string) error {
	return notReadyError(fmt.Sprintf("not ready within %v%s", limit, since))
}

// limitStart returns a context for an attempt to connect, which ends with a notReadyError. A server that may be
// installing has longer until its first message, when heard must be called.
func (s *Set) limitStart(ctx context.Context, p *peer) (limited context.Context, heard, cancel func()) {
	usual := p.config.StartupTimeout
	s.mu.Lock()
	installs := p.installs && !p.listed
	s.mu.Unlock()
	if !installs {
		limited, stop := context.WithTimeoutCause(ctx, usual, notReady(usual, ""))
		return limited, func() {}, stop
	}
	limited, expire := context.WithCancelCause(ctx)
	after := func(d time.Duration, since string) *time.Timer {
		return time.AfterFunc(d, func() { expire(notReady(d, since)) })
	}
	silence := after(installTimeout, "")
	context.AfterFunc(limited, func() { silence.Stop() })
	heard = sync.OnceFunc(func() {
		if silence.Stop() {
			rest := after(usual, " of its first message")
			context.AfterFunc(limited, func() { rest.Stop() })
		}
	})
	s.running.Go(func() { s.tellLate(limited, p) })
	return limited, heard, func() { expire(nil) }
}

// tellLate updates the status of a server while it may be installing.
func (s *Set) tellLate(ctx context.Context, p *peer) {
	for next := time.NewTimer(p.config.StartupTimeout); ; next.Reset(lateEvery) {
		select {
		case <-ctx.Done():
			return
		case <-next.C:
		}
		s.mu.Lock()
		if ctx.Err() == nil && p.state == mcpclient.ServerStarting {
			p.run.late = true
			s.tellLocked(p, mcpclient.ServerStarting)
		}
		s.mu.Unlock()
	}
}
