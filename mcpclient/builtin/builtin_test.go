package builtin_test

import (
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/aloudchat/aloud/mcpclient/builtin"
)

// args are the arguments of a call.
type args = map[string]any

// open returns a server until the test ends.
func open(t testing.TB, name string, o builtin.Options) *builtin.Server {
	t.Helper()
	s, err := builtin.New(name, o)
	must(t, err)
	t.Cleanup(func() { s.Close() })
	return s
}

// connect returns a client of the server.
func connect(t testing.TB, s *builtin.Server) *mcp.ClientSession {
	t.Helper()
	in, requests := io.Pipe()
	responses, out := io.Pipe()
	served := make(chan error, 1)
	go func() { served <- errors.Join(s.Serve(t.Context(), in, out), in.Close(), out.Close()) }()
	client := mcp.NewClient(&mcp.Implementation{Name: "t", Version: "1"}, nil)
	c, err := client.Connect(t.Context(), &mcp.IOTransport{Reader: responses, Writer: requests, MaxLineLength: -1}, nil)
	must(t, err)
	t.Cleanup(func() {
		if err := errors.Join(c.Close(), <-served); err != nil {
			t.Error(err)
		}
	})
	return c
}

// call returns the text of a result, and whether the call failed.
func call(t testing.TB, c *mcp.ClientSession, tool string, arguments args) (answer string, failed bool) {
	t.Helper()
	result, err := c.CallTool(t.Context(), &mcp.CallToolParams{Name: tool, Arguments: arguments})
	if err != nil {
		t.Fatalf("%s %v: %v", tool, arguments, err)
	}
	return result.Content[0].(*mcp.TextContent).Text, result.IsError
}

// succeeds and fails check that the result contains want.
func succeeds(t testing.TB, c *mcp.ClientSession, tool string, arguments args, want string) string {
	t.Helper()
	answer, failed := call(t, c, tool, arguments)
	if failed || !strings.Contains(answer, want) {
		t.Errorf("%s %v: failed is %v, want %q in %q", tool, arguments, failed, want, answer)
	}
	return answer
}

func fails(t testing.TB, c *mcp.ClientSession, tool string, arguments args, want string) {
	t.Helper()
	answer, failed := call(t, c, tool, arguments)
	if !failed || !strings.Contains(answer, want) {
		t.Errorf("%s %v: failed is %v, want %q in %q", tool, arguments, failed, want, answer)
	}
}

func toolsOf(t *testing.T, name string, o builtin.Options) []*mcp.Tool {
	t.Helper()
	list, err := connect(t, open(t, name, o)).ListTools(t.Context(), nil)
	must(t, err)
	return list.Tools
}

// TestToolTokens checks the numbers in docs/servers.md, counted like `aloud mcp tools`.
func TestToolTokens(t *testing.T) {
	for write, most := range map[bool]int{false: 390, true: 530} {
		tokens := 0
		for _, name := range builtin.Names() {
			for _, tool := range toolsOf(t, name, builtin.Options{Write: write}) {
				schema, _ := json.Marshal(tool.InputSchema) // decoded JSON, which never fails
				tokens += 8 + (len(name+"__"+tool.Name)+len(tool.Description)+len(schema))*2/7
			}
		}
		if tokens > most || tokens < most-20 {
			t.Errorf("the tools take %d tokens, with writing %v; docs/servers.md says %d", tokens, write, most)
		}
	}
}

func TestToolHints(t *testing.T) {
	var names, readOnly, destructive, open []string
	for _, server := range builtin.Names() {
		for _, tool := range toolsOf(t, server, builtin.Options{Write: true}) {
			a := tool.Annotations
			if tool.Title == "" || tool.Description == "" || a.DestructiveHint == nil || a.OpenWorldHint == nil {
				t.Errorf("%s is incomplete: %+v", tool.Name, tool)
			}
			names = append(names, tool.Name)
			hints := map[*[]string]bool{&readOnly: a.ReadOnlyHint, &destructive: *a.DestructiveHint, &open: *a.OpenWorldHint}
			for list, hint := range hints {
				if hint {
					*list = append(*list, tool.Name)
				}
			}
		}
	}
	for what, c := range map[string]struct{ got, want []string }{
		"the tools": {names, []string{"now", "edit_file", "list_directory", "read_file", "search_files", "write_file",
			"fetch"}},
		"read only":   {readOnly, []string{"now", "list_directory", "read_file", "search_files", "fetch"}},
		"destructive": {destructive, []string{"edit_file", "write_file"}},
		"open world":  {open, []string{"fetch"}},
	} {
		if !slices.Equal(c.got, c.want) {
			t.Errorf("%s are %q, want %q", what, c.got, c.want)
		}
	}
}

// write creates a file in dir.
func write(t testing.TB, dir, name, content string) {
	t.Helper()
	name = filepath.Join(dir, name)
	must(t, os.MkdirAll(filepath.Dir(name), 0o755))
	must(t, os.WriteFile(name, []byte(content), 0o600))
}

// must ends the test if there is an error.
func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
