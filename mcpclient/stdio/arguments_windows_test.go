package stdio

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// Many servers are started by a batch file, such as npx.cmd.
func TestBatchFileGetsItsArguments(t *testing.T) {
	batch := filepath.Join(t.TempDir(), "my servers", "npx.cmd")
	must(t, os.Mkdir(filepath.Dir(batch), 0o700))
	must(t, os.WriteFile(batch, []byte("@\""+os.Args[0]+"\" %*\r\n"), 0o700))
	want := []string{"-y", "two words", `C:\dir\x`, "@scope/server-files@1.2"}
	server, err := Start(Config{Command: batch, Args: want, Env: environment("arguments", "")}, nil)
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
