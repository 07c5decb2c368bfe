package stdio

import (
	"os"
	"path/filepath"
	"testing"
)

// Many servers are started by a batch file, such as npx.cmd.
func TestBatchFileGetsItsArguments(t *testing.T) {
	batch := filepath.Join(t.TempDir(), "my servers", "npx.cmd")
	must(t, os.Mkdir(filepath.Dir(batch), 0o700))
	must(t, os.WriteFile(batch, []byte("@\""+os.Args[0]+"\" %*\r\n"), 0o700))
	want := []string{"-y", "two words", `C:\dir\x`, "@scope/server-files@1.2"}
	checkArguments(t, batch, want)
}
