package servers

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aloudchat/aloud/mcpclient"
	"github.com/aloudchat/aloud/mcpclient/conn"
	"github.com/aloudchat/aloud/mcpclient/elicit"
)

// installing starts a server with npx whose first message comes after silent, and which is ready after that much more.
func installing(t *testing.T, silent, busy time.Duration, server mcpclient.Server, options Options) (*Set, *Board) {
	t.Helper()
	f := &flaky{t: t}
	options.Board = new(Board)
	options.dial = func(ctx context.Context, config mcpclient.Server, h *elicit.Handler,
		heard func()) (*conn.Conn, error) {
		sleep := func(d time.Duration) {
			select {
			case <-time.After(d):
			case <-ctx.Done():
			}
		}
		if sleep(silent); ctx.Err() == nil {
			heard()
		}
		if sleep(busy); ctx.Err() != nil {
			return nil, ctx.Err()
		}
		return f.connect(ctx, config, h, heard)
	}
	server.Name = "shop"
	if server.Command == "" {
		server.Command = "npx"
	}
	set := Start(t.Context(), []mcpclient.Server{server}, options)
	t.Cleanup(set.Close)
	return set, options.Board
}

func TestServerThatInstallsGetsFiveMinutes(t *testing.T) {
	for _, test := range []struct {
		silent, busy time.Duration
		server       mcpclient.Server
		ready        bool
		detail       string
	}{
		{51 * time.Second, 0, mcpclient.Server{}, true, "workshop 1.0"},
		{299 * time.Second, 0, mcpclient.Server{}, true, "workshop 1.0"},
		{299 * time.Second, 19 * time.Second, mcpclient.Server{}, true, "workshop 1.0"},
		{time.Hour, 0, mcpclient.Server{}, false, "not ready within 5m0s. startup_timeout_sec sets the limit"},
		{time.Second, 19 * time.Second, mcpclient.Server{}, true, "workshop 1.0"},
		{time.Second, time.Minute, mcpclient.Server{}, false,
			"not ready within 20s of its first message. startup_timeout_sec sets the limit"},
		{51 * time.Second, 0, mcpclient.Server{StartupTimeout: 30 * time.Second}, false,
			"not ready within 30s. startup_timeout_sec sets the limit"},
		{51 * time.Second, 0, mcpclient.Server{StartupTimeout: time.Minute}, true, "workshop 1.0"},
		{51 * time.Second, 0, mcpclient.Server{Command: "node", Args: []string{"npx"}}, false,
			"not ready within 20s. startup_timeout_sec sets the limit"},
	} {
		synctest.Test(t, func(t *testing.T) {
			set, board := installing(t, test.silent, test.busy, test.server, Options{Patient: true})
			_ = set.Ready(t.Context()) // the board has the error
			if s := board.Servers()[0]; s.State == mcpclient.ServerReady != test.ready || s.Detail != test.detail {
				t.Errorf("%v: %+v, want %q", test, s, test.detail)
			}
		})
	}
}

func TestChatDoesNotWaitForInstallation(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		set, board := installing(t, 51*time.Second, 0, mcpclient.Server{}, Options{})
		began := time.Now()
		if err := set.Ready(t.Context()); err != nil || time.Since(began) != 20*time.Second {
			t.Errorf("waited %v: %v", time.Since(began), err)
		}
		if settled, all, _ := set.Starting(); settled != 1 || all != 1 {
			t.Errorf("%d of %d servers are settled", settled, all)
		}
		for _, want := range []string{"20s", "30s", "40s", "50s"} {
			s := board.Servers()[0]
			if !s.Late || s.Detail != "not ready yet, may be installing · "+want {
				t.Errorf("after %s: %+v", want, s)
			}
			time.Sleep(10 * time.Second)
			synctest.Wait()
		}
		if s := board.Servers()[0]; s.State != mcpclient.ServerReady || s.Late || len(set.Tools()) == 0 {
			t.Errorf("after the installation: %+v", s)
		}
		if settled, all, _ := set.Starting(); settled != 1 || all != 1 {
			t.Errorf("%d of %d servers are settled", settled, all)
		}
	})
}

func TestMentionDoesNotWaitForInstallation(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		set, _ := installing(t, time.Minute, 0, mcpclient.Server{}, Options{})
		began := time.Now()
		err := set.Offering(t.Context(), "shop")
		if want := `server "shop" is not ready yet, may be installing · 20s`; err == nil || err.Error() != want ||
			time.Since(began) != 20*time.Second {
			t.Errorf("after %v: %v", time.Since(began), err)
		}
	})
}

func TestRequiredServerMayInstall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		set, board := installing(t, 51*time.Second, 0, mcpclient.Server{Required: true}, Options{})
		began := time.Now()
		if err := set.Ready(t.Context()); err != nil || time.Since(began) != 51*time.Second {
			t.Errorf("waited %v: %v", time.Since(began), err)
		}
		if s := board.Servers()[0]; s.State != mcpclient.ServerReady {
			t.Errorf("%+v", s)
		}
	})
}

// A server that was ready is installed.
func TestRestartOfInstalledServerIsShort(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		silent := make(chan time.Duration, 2)
		silent <- time.Minute
		silent <- time.Hour
		f := &flaky{before: func(ctx context.Context) error {
			select {
			case <-time.After(<-silent):
				return nil
			case <-ctx.Done():
				return ctx.Err()
			}
		}}
		f.start(t, nil, mcpclient.Server{Name: "shop", Command: "npx"})
		defer f.set.Close()
		f.pass(2 * time.Minute)
		f.lose()
		if s := f.pass(time.Minute); s.State != mcpclient.ServerFailed ||
			!strings.HasPrefix(s.Detail, "not ready within 20s") {
			t.Errorf("%+v", s)
		}
	})
}

func TestMayInstall(t *testing.T) {
	for _, command := range []string{
		"npx -y mcp-server-kubernetes", "uvx mcp-server-time", "bunx x", "pnpm dlx x", "pipx run x", "docker run -i x",
		"/usr/local/bin/npx x", "npx.cmd x", "NPX.CMD x", "cmd /c npx x", "cmd.exe /C uvx x", "uv tool run x",
		"docker.exe run x", "yarn dlx x", "npm exec x", "podman run x",
		"uv --directory /srv/weather run server.py", "uv --directory=/srv/weather run server.py", "uv -q run x",
		"uv --project /srv/weather --offline tool run x", "npm --silent exec x", "npm --prefix /srv exec x",
		"pnpm --silent dlx x", "pnpm --dir /srv dlx x", "docker --debug run x", "UV.EXE --directory /srv run x",
	} {
		if words := strings.Fields(command); !mayInstall(words[0], words[1:]) {
			t.Errorf("%q does not install", command)
		}
	}
	for _, command := range []string{
		"node npx", "docker exec x run", "pnpm start", "pipx", "cmd", "cmd /c", "npxx", "uv", "/srv/npx/server",
		"uv --directory run", "uv --directory /srv pip run", "npm --silent start", "npm --silent", "uv --directory",
		"docker --context home exec run",
	} {
		if words := strings.Fields(command); mayInstall(words[0], words[1:]) {
			t.Errorf("%q installs", command)
		}
	}
}

// A process that has sent a message is installed, although it is not ready.
func TestMessageBeforeHandshakeIsHeard(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	if _, err := conn.Dial(ctx, acting("greeting"), &elicit.Handler{}, stop); !errors.Is(err, context.Canceled) {
		t.Errorf("dial: %v", err)
	}
}
