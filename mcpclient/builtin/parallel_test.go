package builtin_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/aloudchat/aloud/mcpclient/builtin"
)

const serveVariable = "ALOUD_TEST_SERVE" // makes this program a files server for a folder

func TestMain(m *testing.M) {
	if dir := os.Getenv(serveVariable); dir != "" {
		if err := serveFolder(dir); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	cache, err := os.MkdirTemp("", "aloud-cache")
	if err != nil {
		panic(err)
	}
	for _, name := range []string{"HOME", "XDG_CACHE_HOME", "LocalAppData"} { // the locks of files go there
		os.Setenv(name, cache)
	}
	code := m.Run()
	os.RemoveAll(cache)
	os.Exit(code)
}

func serveFolder(dir string) error {
	s, err := builtin.New("files", builtin.Options{Dir: dir, Write: true})
	if err != nil {
		return err
	}
	defer s.Close()
	return s.Serve(context.Background(), os.Stdin, os.Stdout)
}

// connectProcess returns a client of a files server in another process.
func connectProcess(t *testing.T, dir string) *mcp.ClientSession {
	t.Helper()
	cmd := exec.Command(os.Args[0]) // its input ends it
	cmd.Env = append(os.Environ(), serveVariable+"="+dir)
	cmd.Stderr = os.Stderr
	client := mcp.NewClient(&mcp.Implementation{Name: "t", Version: "1"}, nil)
	c, err := client.Connect(t.Context(), &mcp.CommandTransport{Command: cmd}, nil)
	must(t, err)
	t.Cleanup(func() {
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	})
	return c
}

func TestParallelEdits(t *testing.T) {
	s, dir := writable(t, map[string]string{"f.txt": ""})
	must(t, os.Link(filepath.Join(dir, "f.txt"), filepath.Join(dir, "same.txt")))
	one, other := connect(t, s), connectProcess(t, dir)
	for what, edits := range map[string][]edit{
		"one process":         {{one, "f.txt"}, {one, "f.txt"}},
		"two processes":       {{one, "f.txt"}, {other, "f.txt"}},
		"two names of a file": {{one, "f.txt"}, {other, "same.txt"}},
	} {
		lost := 0
		for range 100 {
			must(t, os.WriteFile(filepath.Join(dir, "f.txt"), []byte("<0>\nmiddle\n<1>\n"), 0o600))
			var all sync.WaitGroup
			for i, e := range edits {
				all.Go(func() {
					given := args{"path": e.file, "old_text": fmt.Sprintf("<%d>", i), "new_text": "done"}
					succeeds(t, e.client, "edit_file", given, "Changed")
				})
			}
			all.Wait()
			if text, err := os.ReadFile(filepath.Join(dir, "f.txt")); err != nil || strings.Count(string(text), "done") != 2 {
				lost++
			}
		}
		if lost > 0 {
			t.Errorf("%s: %d of 100 rounds lost an edit", what, lost)
		}
	}
}

type edit struct {
	client *mcp.ClientSession
	file   string
}
