//go:build unix

package main

import (
	"context"
	"fmt"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// machine is a home folder with a configuration, and a model server behind a slow proxy, for one picture.
type machine struct {
	studio *studio
	home   string
	plain  bool // without colours
	slow   *slowdown
	proxy  *httptest.Server
}

// newMachine prepares everything for a picture, with the state of an earlier chat if it needs one.
func (s *studio) newMachine(ctx context.Context, p picture) (*machine, error) {
	m := &machine{studio: s, home: filepath.Join(s.dir, "home-"+p.name), plain: p.look == "plain"}
	if err := os.MkdirAll(m.folder(), 0o755); err != nil {
		return nil, err
	}
	files := []string{"todo.md"}
	if p.name == "files" {
		files = append(files, "report.md", "recipes.md", "research.txt")
	}
	for _, name := range files {
		if err := os.WriteFile(filepath.Join(m.folder(), name), []byte(todo), 0o644); err != nil {
			return nil, err
		}
	}
	m.slow = &slowdown{server: s.server.URL, holds: p.holds}
	m.proxy = httptest.NewServer(m.slow)
	if err := os.WriteFile(m.configFile(), []byte(m.configuration(p)), 0o600); err != nil {
		return nil, err
	}
	if err := m.prepare(ctx, p); err != nil {
		m.proxy.Close()
		return nil, err
	}
	return m, nil
}

// prepare runs the earlier turn, and loads or unloads the model.
func (m *machine) prepare(ctx context.Context, p picture) error {
	if err := m.slow.unload(ctx, p.model()); err != nil {
		return err
	}
	if p.earlier != "" {
		m.slow.earlier.Store(true)
		out, err := m.command(ctx, "-p", p.earlier).CombinedOutput()
		m.slow.earlier.Store(false)
		if err != nil {
			return fmt.Errorf("the turn before: %w: %s", err, out)
		}
	}
	if p.cold {
		return m.slow.unload(ctx, p.model())
	}
	return m.slow.load(ctx, p.model(), contextSize)
}

// folder returns the folder in which aloud runs. It has a list to edit.
func (m *machine) folder() string { return filepath.Join(m.home, "notes") }

const todo = "# Todo\n\n- buy milk\n- call Anna\n- write the report\n"

func (m *machine) configFile() string { return filepath.Join(m.home, "config.toml") }

// contextSize is the same in all turns, because another size would load the model again.
const contextSize = 32768

func (m *machine) configuration(p picture) string {
	var b strings.Builder
	if p.openAI {
		fmt.Fprintf(&b, "provider = \"local\"\n")
	}
	fmt.Fprintf(&b, "model = %q\nhost = %q\ncontext = %d\n%s\n", p.model(), m.proxy.URL, contextSize, p.settings)
	if p.openAI {
		fmt.Fprintf(&b, "[providers.local]\nbase_url = %q\nmodel = %q\ncontext = %d\n", m.proxy.URL, p.model(), contextSize)
	}
	if p.script != "" { // a scene
		fmt.Fprintf(&b, "\n[mcp_servers.files]\nbuiltin = \"files\"\nbuiltin_write = true\n\n"+
			"[mcp_servers.shop]\ncommand = %q\nargs = [%q]\ntrusted = true\n", m.studio.self, serveShop)
		return b.String()
	}
	fmt.Fprintf(&b, "\n[mcp_servers.files]\nenabled = false\n\n[mcp_servers.fetch]\nenabled = false\n"+
		"\n[mcp_servers.code]\ncommand = %q\nargs = [%q, %q]\ntrusted = true\n", m.studio.self, serveTools, p.toolTime)
	if p.deafServer {
		fmt.Fprintf(&b, "\n[mcp_servers.weather]\ncommand = %q\nargs = [%q]\n", m.studio.self, serveNothing)
	}
	return b.String()
}

// command returns the command that runs aloud on this machine.
func (m *machine) command(ctx context.Context, arguments ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, m.studio.aloud, append([]string{"--config", m.configFile()}, arguments...)...)
	cmd.Dir = m.folder()
	cmd.Env = []string{"HOME=" + m.home, "PATH=" + os.Getenv("PATH"), "LANG=C.UTF-8", "TERM=xterm-256color",
		"COLORTERM=truecolor", "XDG_STATE_HOME=" + filepath.Join(m.home, "state")}
	if m.plain {
		cmd.Env = append(cmd.Env, "NO_COLOR=1")
	}
	return cmd
}
