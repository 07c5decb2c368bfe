//go:build unix

package builtin_test

import (
	"encoding/json"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/aloudchat/aloud/mcpclient/builtin"
)

func TestPipes(t *testing.T) {
	c, dir := serve(t, map[string]string{"a.txt": "text"})
	must(t, syscall.Mkfifo(filepath.Join(dir, "pipe"), 0o600))
	fails(t, c, "read_file", args{"path": "pipe"}, `"pipe" is not a regular file`)
	fails(t, c, "list_directory", args{"path": "pipe"}, `cannot use "pipe": not a directory`)
	fails(t, c, "write_file", args{"path": "pipe", "content": "x"}, `"pipe" is not a regular file`)
	fails(t, c, "edit_file", args{"path": "pipe", "old_text": "x", "new_text": "y"}, `"pipe" is not a regular file`)
	succeeds(t, c, "search_files", args{"text": "text"}, "a.txt:1: text")
	succeeds(t, c, "list_directory", nil, "pipe (not a regular file)")
}

func TestLinksOutOfTheFolder(t *testing.T) {
	outside := t.TempDir()
	c, dir := serve(t, map[string]string{"real/a.txt": "text"})
	for name, target := range map[string]string{"out": outside, "up": "../..", "in": "real"} {
		must(t, os.Symlink(target, filepath.Join(dir, name)))
	}
	for _, name := range []string{"out", "up"} {
		fails(t, c, "write_file", args{"path": name + "/new/x.txt", "content": "x"}, "is outside the served folder")
		fails(t, c, "write_file", args{"path": name + "/x.txt", "content": "x"}, "is outside the served folder")
		fails(t, c, "list_directory", args{"path": name}, "is outside the served folder")
		fails(t, c, "search_files", args{"path": name, "text": "x"}, "is outside the served folder")
	}
	if left, err := os.ReadDir(outside); err != nil || len(left) > 0 {
		t.Errorf("outside: %v, %v", left, err)
	}
	succeeds(t, c, "edit_file", args{"path": "in/a.txt", "old_text": "text", "new_text": "new"}, "Changed")
	holds(t, dir, "real/a.txt", "new")
}

func TestCallAfterFolderBecameLink(t *testing.T) {
	s, dir := writable(t, map[string]string{"in/f.txt": "old\n"})
	given := args{"path": "in/f.txt", "content": "new\n"}
	_, basis, err := preview(t, s, "write_file", given)
	must(t, err)
	must(t, os.Rename(filepath.Join(dir, "in"), filepath.Join(dir, "moved")))
	must(t, os.Symlink("moved", filepath.Join(dir, "in")))
	if got, changed := callWith(t, connect(t, s), "write_file", given, basis); !changed {
		t.Errorf("got %q", got)
	}
	holds(t, dir, "moved/f.txt", "old\n")
}

// A new file in a folder with secrets is a secret, also if a link leads to the folder.
func TestNewSecretsThroughLinks(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, ".ssh/config", "token")
	write(t, dir, "own/keep", "")
	for name, target := range map[string]string{"keys": ".ssh", "cloud": ".aws", "state": "own"} {
		must(t, os.Symlink(target, filepath.Join(dir, name)))
	}
	own := []string{filepath.Join(dir, "state", "aloud")}
	refusing := open(t, "files", builtin.Options{Dir: dir, Write: true, Own: own})
	asking := open(t, "files", builtin.Options{Dir: dir, Write: true, Asks: true})
	c := connect(t, refusing)
	for _, name := range []string{"keys/authorized_keys", "keys/new/file", "keys/../keys/x", "own/aloud/config.toml"} {
		fails(t, c, "write_file", args{"path": name, "content": "x"}, "usually holds secrets")
		fails(t, c, "read_file", args{"path": name}, "usually holds secrets")
		address := "file://" + filepath.Join(dir, name)
		_, err := c.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: address})
		if err == nil || !strings.Contains(err.Error(), "usually holds secrets") {
			t.Errorf("the resource %s says %v", name, err)
		}
		if strings.HasPrefix(name, "keys") && asking.Caution("write_file", json.RawMessage(`{"path":"`+name+`"}`)) == "" {
			t.Errorf("no caution for %q", name)
		}
	}
	succeeds(t, c, "search_files", args{"path": "keys", "text": "token"}, "[Nothing found.")
	if text, failed := call(t, c, "write_file", args{"path": "cloud/credential", "content": "x"}); !failed {
		t.Errorf("a folder for secrets was made through a link: %q", text)
	}
	succeeds(t, c, "write_file", args{"path": "new/folder/file", "content": "x"}, "Created")
}

// Unix allows any name.
func TestHostileNames(t *testing.T) {
	c, _ := serve(t, map[string]string{"a\n\x1b[2J.txt": "text", "b.txt": ""})
	succeeds(t, c, "list_directory", nil, "\"a\\n\\x1b[2J.txt\" (4 bytes)\nb.txt (0 bytes)\n")
	succeeds(t, c, "search_files", args{"text": "text"}, `"a\n\x1b[2J.txt":1: text`)
}

func TestNamesThatCannotBeTypedAreLeftOut(t *testing.T) {
	f, dir := folderOf(t, map[string]string{"at\u202f9.png": ""})
	for _, name := range []string{"\x1b[2J", "a\nb", "a\tb", "\u202egnp", "\u2028"} {
		must(t, os.WriteFile(filepath.Join(dir, name), nil, 0o600))
	}
	_ = os.WriteFile(filepath.Join(dir, "\xff"), nil, 0o600) // some systems have no such names
	if got := slices.Collect(f.Names(t.Context(), false)); len(got) != 1 || got[0] != "at\u202f9.png" {
		t.Errorf("got %q", got)
	}
}

func TestPipesAndSocketsAreNotAttached(t *testing.T) {
	f, dir := folderOf(t, map[string]string{"a.txt": ""})
	must(t, syscall.Mkfifo(filepath.Join(dir, "pipe"), 0o600))
	t.Chdir(dir) // addresses of sockets are short
	socket, err := net.Listen("unix", "socket")
	must(t, err)
	defer socket.Close()
	for _, name := range []string{"pipe", "socket"} {
		real, _, _ := f.Locate(name)
		_, _, err := f.Read(t.Context(), real, 0, 0)
		if got := fmt.Sprint(err); got != fmt.Sprintf("%q is not a regular file", name) {
			t.Error(got)
		}
	}
}
