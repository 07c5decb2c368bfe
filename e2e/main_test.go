//go:build e2e && unix

package e2e

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/aloudchat/aloud/e2e/ollama"
	"github.com/aloudchat/aloud/e2e/tinymodel"
)

// parts are shared by all tests. Tests that break the model server start their own.
var parts struct {
	aloud       string // the program under test
	badserver   string
	ollama      string
	nodeModules string
	fastmcp     string // a Python that has it
	smollm2     string // the weights of a small real model
	model       []byte
	server      *ollama.Server
}

func TestMain(m *testing.M) { os.Exit(run(m)) }

func run(m *testing.M) int {
	dir, err := os.MkdirTemp("", "aloud-e2e-")
	if err != nil {
		return fail(err)
	}
	defer os.RemoveAll(dir)
	if err := prepare(context.Background(), dir); err != nil {
		return fail(err)
	}
	defer parts.server.Stop()
	return m.Run()
}

func fail(err error) int {
	fmt.Fprintln(os.Stderr, "e2e:", err)
	return 1
}

// prepare builds, installs and starts all parts. It fails if one of them is missing.
func prepare(ctx context.Context, dir string) (err error) {
	if parts.nodeModules, err = script(ctx, "./install-servers.sh"); err != nil {
		return err
	}
	if parts.fastmcp, err = script(ctx, "./install-fastmcp.sh"); err != nil {
		return err
	}
	if parts.smollm2, err = script(ctx, "./install-smollm2.sh"); err != nil {
		return err
	}
	if parts.ollama, err = script(ctx, "./build-ollama.sh"); err != nil {
		return err
	}
	if parts.aloud, err = build(ctx, dir, "aloud", ".."); err != nil {
		return err
	}
	if parts.badserver, err = build(ctx, dir, "badserver", "./badserver/run"); err != nil {
		return err
	}
	var model bytes.Buffer
	if err := tinymodel.Write(&model, tinymodel.Scenarios()); err != nil {
		return err
	}
	parts.model = model.Bytes()
	parts.server, err = startServer(ctx, dir)
	return err
}

// build builds a program of this module and returns its path.
func build(ctx context.Context, dir, name, from string) (program string, err error) {
	program = filepath.Join(dir, name)
	cmd := exec.CommandContext(ctx, "go", "build", "-o", program, from)
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("%s does not build: %s", name, out)
	}
	return program, nil
}

// startServer starts an Ollama server with all variants of the tiny model.
func startServer(ctx context.Context, dir string) (*ollama.Server, error) {
	server, err := ollama.Start(ctx, parts.ollama, dir, "OLLAMA_DEBUG=1") // the log then has the cache hits
	if err != nil {
		return nil, err
	}
	if err := server.AddModels(ctx, parts.model, tinymodel.Variants()...); err != nil {
		server.Kill()
		return nil, err
	}
	return server, nil
}

// script runs a script of this folder and returns the path it prints.
func script(ctx context.Context, name string) (string, error) {
	cmd := exec.CommandContext(ctx, name)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		lines := strings.Split(strings.TrimSpace(stderr.String()), "\n")
		return "", errors.New(lines[len(lines)-1])
	}
	os.Stderr.Write(stderr.Bytes())
	return strings.TrimSpace(string(out)), nil
}
