//go:build e2e && engines && unix

package e2e

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// The key of the servers with OpenAI's API, and the variable that aloud reads it from.
const (
	serverKey   = "key-of-the-tests"
	keyVariable = "OTHER_KEY"
)

// startOpenAI starts llama.cpp's server in Python with SmolLM2, alone or as replicas of Ray Serve. It returns how aloud
// is configured for it.
func startOpenAI(t testing.TB, replicas int) place {
	t.Helper()
	python, err := script(t.Context(), "./install-engines.sh")
	must(t, err)
	template, err := filepath.Abs("testdata/smollm2.jinja")
	must(t, err)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	address := l.Addr().(*net.TCPAddr)
	must(t, l.Close())

	dir := t.TempDir()
	cmd := exec.Command(python, "engines/server.py", fmt.Sprint(address.Port), parts.smollm2, template, serverKey,
		fmt.Sprint(replicas))
	cmd.Env = append(os.Environ(), "HOME="+dir, "RAY_USAGE_STATS_ENABLED=0", "RAY_DEDUP_LOGS=0", "PYTHONUNBUFFERED=1")
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	logFile := filepath.Join(dir, "server.log")
	out, err := os.Create(logFile)
	must(t, err)
	defer out.Close()
	cmd.Stdout, cmd.Stderr = out, out
	input, err := cmd.StdinPipe() // its end stops the server, also if the tests are killed
	must(t, err)
	must(t, cmd.Start())
	base := "http://" + address.String()
	p := place{
		name: "llama.cpp", environ: []string{keyVariable + "=" + serverKey},
		settings: fmt.Sprintf("provider = \"other\"\n[providers.other]\nbase_url = %q\nmodel = \"real\"\n"+
			"api_key_env = %q\n", base, keyVariable),
		log: func() string {
			text, _ := os.ReadFile(logFile) // nothing is found in a file that cannot be read
			return string(text)
		},
		calls:     true,
		long:      "real-long",
		missing:   `has no model "no-such-model"`,
		tooLong:   "some servers do this when the conversation exceeds their context",
		abandoned: "Disconnected from client",
	}
	if replicas > 0 {
		p.name = "Ray Serve"
	}
	exited := make(chan struct{})
	go func() {
		defer close(exited)
		_ = cmd.Wait() // the log tells
	}()
	t.Cleanup(func() {
		input.Close()
		<-exited
		if t.Failed() {
			t.Logf("the end of the server's log:\n%s", lastLines(p.log(), 40))
		}
	})
	if !eventually(func() bool { return answers(base) || isClosed(exited) }) || isClosed(exited) {
		t.Fatalf("the server does not start:\n%s", lastLines(p.log(), 40))
	}
	return p
}

// answers reports whether a server lists its models.
func answers(base string) bool {
	req, err := http.NewRequestWithContext(context.Background(), http.MethodGet, base+"/v1/models", nil)
	if err != nil {
		return false
	}
	req.Header.Set("Authorization", "Bearer "+serverKey)
	resp, err := http.DefaultClient.Do(req)
	return err == nil && resp.Body.Close() == nil && resp.StatusCode == http.StatusOK
}

func isClosed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

func lastLines(text string, n int) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	return strings.Join(lines[max(0, len(lines)-n):], "\n")
}
