package stdio

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// A server gets its arguments as the configuration has them, also on Windows, where programs split the command line
// themselves.
func TestServerGetsItsArguments(t *testing.T) {
	self, err := os.ReadFile(os.Args[0])
	must(t, err)
	command := filepath.Join(t.TempDir(), "my servers (1)", filepath.Base(os.Args[0]))
	must(t, os.Mkdir(filepath.Dir(command), 0o700))
	must(t, os.WriteFile(command, self, 0o700))
	want := []string{"two words", `say "hi"`, `C:\dir with space\`, `\\host\share`, `back\"slash`, "", "%PATH%", "*.go",
		"a&b|c>d", "^", "don't", "$HOME", "日本", "-x=1"}
	checkArguments(t, command, want)
}

// checkArguments starts this program as a server, by a command, and checks that it gets these arguments.
func checkArguments(t *testing.T, command string, want []string) {
	t.Helper()
	server, err := Start(Config{Command: command, Args: want, Env: environment("arguments", "")}, nil)
	must(t, err)
	defer server.Close()
	response, err := ask(t.Context(), server, 1, nil)
	must(t, err)
	var got []string
	must(t, json.Unmarshal(response.Result, &got))
	if !slices.Equal(got, want) {
		t.Errorf("the server got %q", got)
	}
}
