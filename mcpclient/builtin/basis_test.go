package builtin_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/aloudchat/aloud/mcpclient/builtin"
)

// callWith calls a tool with the basis of its preview. changed reports whether the call failed because of it.
func callWith(t *testing.T, c *mcp.ClientSession, tool string, given args, basis string) (answer string, changed bool) {
	t.Helper()
	result, err := c.CallTool(t.Context(),
		&mcp.CallToolParams{Name: tool, Arguments: given, Meta: mcp.Meta{builtin.BasisKey: basis}})
	must(t, err)
	changed = result.Meta[builtin.ChangedKey] == true
	if changed && !result.IsError {
		t.Errorf("a call that changed nothing succeeded: %+v", result)
	}
	return result.Content[0].(*mcp.TextContent).Text, changed
}

func TestCallAfterFileChanged(t *testing.T) {
	toWrite := args{"path": "in/f.txt", "content": "mine\n"}
	toEdit := args{"path": "in/f.txt", "old_text": "old", "new_text": "new"}
	for _, c := range []struct {
		name, tool string
		given      args
		before     string // content at the preview, "" for no file
		meanwhile  func(file string) error
		after      string // content at the end, "" for no regular file
	}{
		{"saved", "write_file", toWrite, "old\n", put("theirs\n"), "theirs\n"},
		{"created", "write_file", toWrite, "", put("theirs\n"), "theirs\n"},
		{"created empty", "write_file", toWrite, "", put(""), ""},
		{"deleted", "write_file", toWrite, "old\n", os.Remove, ""},
		{"folder", "write_file", toWrite, "old\n", toFolder, ""},
		{"edited", "edit_file", toEdit, "old\n", put("old\nmore\n"), "old\nmore\n"},
		{"edited away", "edit_file", toEdit, "old\n", put("new\n"), "new\n"},
		{"edit possible only now", "edit_file", toEdit, "other\n", put("old\n"), "old\n"},
		{"edit deleted", "edit_file", toEdit, "old\n", os.Remove, ""},
		{"edit folder", "edit_file", toEdit, "old\n", toFolder, ""},
		{"edit binary", "edit_file", toEdit, "old\n", put("old\x00"), "old\x00"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, dir := writable(t, map[string]string{"in/keep": ""})
			file := filepath.Join(dir, "in", "f.txt")
			if c.before != "" {
				write(t, dir, "in/f.txt", c.before)
			}
			_, basis, _ := preview(t, s, c.tool, c.given) // one of them would fail
			if basis == "" {
				t.Fatal("the preview has no basis")
			}
			must(t, c.meanwhile(file))
			const want = `"in/f.txt" has changed since this change was shown, so nothing was written`
			if got, changed := callWith(t, connect(t, s), c.tool, c.given, basis); !changed || got != want {
				t.Errorf("got %q, %v", got, changed)
			}
			if after, _ := os.ReadFile(file); string(after) != c.after {
				t.Errorf("the file has %q, want %q", after, c.after)
			}
		})
	}
}

func put(text string) func(string) error {
	return func(file string) error { return os.WriteFile(file, []byte(text), 0o600) }
}

func toFolder(file string) error {
	if err := os.Remove(file); err != nil {
		return err
	}
	return os.Mkdir(file, 0o700)
}

func TestCallWithBasisOfSameFile(t *testing.T) {
	s, dir := writable(t, map[string]string{"f.txt": "old\n"})
	c := connect(t, s)
	for _, step := range []struct {
		tool        string
		given       args
		want, after string
	}{
		{"edit_file", args{"path": "f.txt", "old_text": "old", "new_text": "new"}, `Changed "f.txt".`, "new\n"},
		{"write_file", args{"path": "f.txt", "content": "all\n"}, `Changed "f.txt".`, "all\n"},
		{"write_file", args{"path": "g.txt", "content": "all\n"}, `Created "g.txt" (4 bytes).`, "all\n"},
	} {
		_, basis, err := preview(t, s, step.tool, step.given)
		must(t, err)
		if got, changed := callWith(t, c, step.tool, step.given, basis); changed || got != step.want {
			t.Errorf("%s: %q, %v", step.tool, got, changed)
		}
		holds(t, dir, step.given["path"].(string), step.after)
	}
	if _, basis, err := preview(t, s, "read_file", args{"path": "f.txt"}); basis != "" || err != nil {
		t.Errorf("read_file has the basis %q, %v", basis, err)
	}
}
