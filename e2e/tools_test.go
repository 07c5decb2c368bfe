//go:build e2e && unix

package e2e

import (
	"slices"
	"strings"
	"testing"
)

// A use is one call of a tool. Its arguments may have HOME in them.
type use struct {
	tool, arguments string
	want            string // in the result; "": whatever it says, it answers
	fails           bool
}

// uses has every tool of the reference servers, in an order in which they find what they need.
var uses = map[string][]use{
	"everything": {
		{tool: "echo", arguments: `{"message": "hello"}`, want: "hello"},
		{tool: "get-annotated-message", arguments: `{"messageType": "error", "includeImage": true}`, want: "[image: image/png"},
		{tool: "get-env", arguments: `{}`, want: "PATH"},
		{tool: "get-resource-links", arguments: `{"count": 2}`, want: "[link: Text Resource 2"},
		{tool: "get-resource-reference", arguments: `{"resourceType": "Blob", "resourceId": 1}`, want: "demo://resource"},
		{tool: "get-structured-content", arguments: `{"location": "Chicago"}`, want: "temperature"},
		{tool: "get-sum", arguments: `{"a": 2, "b": 40}`, want: "42"},
		{tool: "get-tiny-image", arguments: `{}`, want: "[image: image/png"},
		{tool: "gzip-file-as-resource", arguments: `{"name": "a.gz", "data": "data:text/plain;base64,aGVsbG8=", "outputType": "resource"}`, want: "application/gzip"},
		{tool: "toggle-simulated-logging", arguments: `{}`, want: "Started"},
		{tool: "toggle-subscriber-updates", arguments: `{}`, want: "Started"},
		{tool: "trigger-long-running-operation", arguments: `{"duration": 1, "steps": 2}`, want: "completed"},
		{tool: "get-roots-list", arguments: `{}`, want: "roots"},
		{tool: "simulate-research-query", arguments: `{"topic": "tea"}`}, // runs as a task only, and says so where there are none
		{tool: "trigger-sampling-request", arguments: `{"prompt": "hello", "maxTokens": 10}`},
		{tool: "trigger-elicitation-request", arguments: `{}`},
	},
	"notes": {
		{tool: "list_allowed_directories", arguments: `{}`, want: "notes"},
		{tool: "create_directory", arguments: `{"path": "HOME/notes/new"}`, want: "new"},
		{tool: "write_file", arguments: `{"path": "HOME/notes/new/a.txt", "content": "one\ntwo\n"}`, want: "a.txt"},
		{tool: "read_file", arguments: `{"path": "HOME/notes/new/a.txt"}`, want: "two"},
		{tool: "read_text_file", arguments: `{"path": "HOME/notes/new/a.txt", "head": 1}`, want: "one"},
		{tool: "read_text_file", arguments: `{"path": "/etc/passwd"}`, want: "denied", fails: true},
		{tool: "read_multiple_files", arguments: `{"paths": ["HOME/notes/new/a.txt", "HOME/notes/todo.txt"]}`, want: "buy milk"},
		{tool: "edit_file", arguments: `{"path": "HOME/notes/new/a.txt", "edits": [{"oldText": "two", "newText": "three"}]}`, want: "+three"},
		{tool: "list_directory", arguments: `{"path": "HOME/notes"}`, want: "[DIR] new"},
		{tool: "list_directory_with_sizes", arguments: `{"path": "HOME/notes/new"}`, want: "a.txt"},
		{tool: "directory_tree", arguments: `{"path": "HOME/notes"}`, want: "todo.txt"},
		{tool: "search_files", arguments: `{"path": "HOME/notes", "pattern": "**/a.txt"}`, want: "a.txt"},
		{tool: "get_file_info", arguments: `{"path": "HOME/notes/todo.txt"}`, want: "size: 9"},
		{tool: "move_file", arguments: `{"source": "HOME/notes/new/a.txt", "destination": "HOME/notes/b.txt"}`, want: "b.txt"},
		{tool: "read_media_file", arguments: `{"path": "HOME/notes/dot.png"}`, want: "[image: image/png"},
	},
	"memory": {
		{tool: "create_entities", want: "Ada",
			arguments: `{"entities": [{"name": "Ada", "entityType": "person", "observations": ["likes tea"]}, {"name": "Bob", "entityType": "person", "observations": []}]}`},
		{tool: "create_relations", arguments: `{"relations": [{"from": "Ada", "to": "Bob", "relationType": "knows"}]}`, want: "knows"},
		{tool: "add_observations", arguments: `{"observations": [{"entityName": "Ada", "contents": ["was born in 1815"]}]}`, want: "1815"},
		{tool: "read_graph", arguments: `{}`, want: "likes tea"},
		{tool: "search_nodes", arguments: `{"query": "tea"}`, want: "Ada"},
		{tool: "open_nodes", arguments: `{"names": ["Bob"]}`, want: "Bob"},
		{tool: "delete_observations", arguments: `{"deletions": [{"entityName": "Ada", "observations": ["likes tea"]}]}`, want: "deleted"},
		{tool: "delete_relations", arguments: `{"relations": [{"from": "Ada", "to": "Bob", "relationType": "knows"}]}`, want: "deleted"},
		{tool: "delete_entities", arguments: `{"entityNames": ["Bob"]}`, want: "deleted"},
	},
	"sequential-thinking": {
		{tool: "sequentialthinking", arguments: `{"thought": "first", "nextThoughtNeeded": false, "thoughtNumber": 1, "totalThoughts": 1}`, want: "thoughtNumber"},
	},
}

// dot is a picture of one pixel.
const dot = "\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x00\x00\x01\x00\x00\x00\x01\x08\x06\x00\x00\x00\x1f\x15\xc4\x89\x00\x00\x00\nIDATx\x9cc\x00\x01\x00\x00\x05\x00\x01\r\n-\xb4\x00\x00\x00\x00IEND\xaeB`\x82"

func TestEveryToolOfTheReferenceServers(t *testing.T) {
	for server, calls := range uses {
		t.Run(server, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.write("notes/dot.png", dot)
			w.configure(w.traffic.URL, w.one(server))
			w.allAreUsed(server, calls)
			for _, u := range calls {
				out := w.run("mcp", "call", server, u.tool, strings.ReplaceAll(u.arguments, "HOME", w.home))
				switch {
				case u.want == "" && out.code <= 2: // it is there for those who can
				case out.code != map[bool]int{true: 1}[u.fails] || !strings.Contains(out.stdout, u.want):
					t.Errorf("%s %s: exit code %d, and no %q in\n%s%s", u.tool, u.arguments, out.code, u.want, out.stdout, out.stderr)
				}
			}
		})
	}
}

// one is the table of one reference server with all its tools.
func (w *world) one(server string) string {
	switch server {
	case "everything":
		return w.stdio(server, "stdio") + "roots = true\n"
	case "notes":
		return w.stdio("filesystem", w.home+"/notes")
	case "memory":
		return w.stdio(server) + "env = { MEMORY_FILE_PATH = \"" + w.home + "/memory.jsonl\" }\n"
	default:
		return w.stdio(server)
	}
}

// allAreUsed wants every tool that a server offers to be among those that are called.
func (w *world) allAreUsed(server string, calls []use) {
	w.t.Helper()
	var tools []struct{ Server, Tool string }
	decode(w.t, w.run("mcp", "tools", server, "--output", "json"), &tools)
	if len(tools) == 0 {
		w.t.Errorf("the server %q has no tools", server)
	}
	for _, tool := range tools {
		if !slices.ContainsFunc(calls, func(u use) bool { return u.tool == tool.Tool }) {
			w.t.Errorf("nobody calls the tool %q of %q", tool.Tool, server)
		}
	}
}
