//go:build unix

// Package ollama starts a real Ollama server for a test and adds models to it. A server has its own folder and
// port, and ends with the process that started it.
package ollama

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/aloudchat/aloud/e2e/tinymodel"
)

// startTime limits how long a server may take to respond. On an idle machine it takes far less than a second.
const startTime = 30 * time.Second

// Server is a running Ollama server. It serves one request at a time.
type Server struct {
	URL string

	cmd  *exec.Cmd
	hold io.Closer // standard input of the guard: closing it ends the server
	log  string
	done chan struct{}
}

// guard runs the server and ends it at the end of standard input, which also happens when the parent is killed.
const guard = `"$0" serve & server=$!; read -r _; kill $server; wait $server`

// Start runs program, an Ollama that includes its engine, and waits until it responds. It writes below dir. environ has
// more environment variables.
func Start(ctx context.Context, program, dir string, environ ...string) (*Server, error) {
	address, err := freeAddress()
	if err != nil {
		return nil, err
	}
	s := &Server{URL: "http://" + address, log: filepath.Join(dir, "ollama.log"), done: make(chan struct{})}
	log, err := os.Create(s.log)
	if err != nil {
		return nil, err
	}
	defer log.Close()

	s.cmd = exec.Command("sh", "-c", guard, program)
	s.cmd.Env = append([]string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + dir, "OLLAMA_HOST=" + address, "OLLAMA_MODELS=" + filepath.Join(dir, "models"),
		"OLLAMA_NO_CLOUD=1", "GIN_MODE=release",
	}, environ...)
	s.cmd.Stdout, s.cmd.Stderr = log, log
	s.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if s.hold, err = s.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	if err := s.cmd.Start(); err != nil {
		return nil, err
	}
	go func() {
		defer close(s.done)
		_ = s.cmd.Wait() // how a stopped server exits does not matter
	}()
	if err := s.untilReady(ctx); err != nil {
		s.Kill()
		return nil, err
	}
	return s, nil
}

// freeAddress returns a local address with a free port.
func freeAddress() (string, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	defer l.Close()
	return l.Addr().String(), nil
}

func (s *Server) untilReady(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, startTime)
	defer cancel()
	poll := time.NewTicker(10 * time.Millisecond)
	defer poll.Stop()
	for {
		_, err := s.request(ctx, http.MethodGet, "/api/version", nil)
		if err == nil {
			return nil
		}
		select {
		case <-poll.C:
		case <-ctx.Done():
			return fmt.Errorf("the Ollama server does not respond after %v: %w; its log ends:\n%s", startTime, err, s.logTail())
		}
	}
}

// Log returns the output of the server so far.
func (s *Server) Log() (string, error) {
	log, err := os.ReadFile(s.log)
	return string(log), err
}

func (s *Server) logTail() string {
	log, err := s.Log()
	if err != nil {
		return err.Error()
	}
	lines := strings.Split(log, "\n")
	return strings.Join(lines[max(0, len(lines)-10):], "\n")
}

// A Model says how the server uses weights.
type Model struct {
	Name       string         `json:"model"`
	Template   string         `json:"template"`
	Parser     string         `json:"parser,omitempty"`
	Parameters map[string]any `json:"parameters"`
}

// AddModels adds variants of a tiny model to the server.
func (s *Server) AddModels(ctx context.Context, weights []byte, variants ...tinymodel.Variant) error {
	var models []Model
	for _, v := range variants {
		models = append(models, Model{v.Name, v.Template, v.Parser, map[string]any{
			// With more threads, the threads of such a small model only wait for each other.
			"temperature": 0, "num_thread": 1,
		}})
	}
	return s.Add(ctx, weights, models...)
}

// Add adds models with the same weights, a file in the format GGUF, to the server.
func (s *Server) Add(ctx context.Context, weights []byte, models ...Model) error {
	digest := fmt.Sprintf("sha256:%x", sha256.Sum256(weights))
	if _, err := s.request(ctx, http.MethodPost, "/api/blobs/"+digest, weights); err != nil {
		return err
	}
	for _, m := range models {
		body, err := json.Marshal(struct {
			Model
			Files  map[string]string `json:"files"`
			Stream bool              `json:"stream"`
		}{m, map[string]string{"model.gguf": digest}, false})
		if err != nil {
			return err
		}
		if _, err := s.request(ctx, http.MethodPost, "/api/create", body); err != nil {
			return fmt.Errorf("the model %q: %w", m.Name, err)
		}
	}
	return nil
}

func (s *Server) request(ctx context.Context, method, path string, body []byte) ([]byte, error) {
	req, err := http.NewRequestWithContext(ctx, method, s.URL+path, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	answer, err := io.ReadAll(resp.Body)
	if err == nil && resp.StatusCode >= 300 {
		err = errors.New(resp.Status + ": " + string(answer))
	}
	return answer, err
}

// Stop ends the server and waits for it to exit.
func (s *Server) Stop() {
	s.hold.Close()
	select {
	case <-s.done:
	case <-time.After(5 * time.Second):
		s.Kill()
	}
}

// Kill ends the server and its runners at once, as a crash would, and waits for it to exit.
func (s *Server) Kill() {
	_ = syscall.Kill(-s.cmd.Process.Pid, syscall.SIGKILL) // fails only if all of them have ended
	<-s.done
	s.hold.Close()
}
