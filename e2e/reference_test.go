//go:build e2e && unix

package e2e

import (
	"cmp"
	"strings"
)

// A use is one call of a tool of a reference server. Paths are relative to the folder notes.
type use struct {
	tool, arguments string
	// shows is the beginning of the call's line on the screen. It leaves out two or more arguments: Ollama changes their
	// order.
	shows         string
	want          string          // part of the result
	text          string          // part of the result for the model, or "" if it is the same
	headless      string          // part of the result without a screen, or "" if it is the same
	failsHeadless bool            // the call fails without a screen
	sameReply     bool            // in the same reply as the call before
	answer        func(s *screen) // the user's actions during the call; may be nil
}

// wantResult returns the expected part of the result without a screen.
func (u use) wantResult() string { return cmp.Or(u.headless, u.text, u.want) }

// helloURL is a data URL.
const helloURL = "data:text/plain;base64,aGVsbG8="

// uses has every tool of the reference servers, in an order that works. The model of these tests makes exactly these
// calls.
var uses = map[string][]use{
	"everything": {
		{tool: "echo", arguments: `{"message": "hello"}`, shows: "✓ Echo Tool     hello", want: "Echo: hello"},
		{sameReply: true, tool: "get-annotated-message", arguments: `{"messageType": "error", "includeImage": true}`,
			shows: "✓ Get Annotated Message Tool  ", want: "[image: image/png, 4 kB]"},
		{sameReply: true, tool: "get-env", arguments: `{}`, shows: "✓ Print Environment Tool", want: `"HOME": "/`},
		{sameReply: true, tool: "get-resource-links", arguments: `{"count": 2}`, shows: "✓ Get Resource Links Tool  count 2",
			want: "[link: Text Resource 2"},
		{tool: "get-resource-reference", arguments: `{"resourceType": "Text", "resourceId": 1}`,
			shows: "✓ Get Resource Reference Tool", want: "Resource 1: This is a plaintext resource"},
		{sameReply: true, tool: "get-resource-reference", arguments: `{"resourceType": "Blob", "resourceId": 2}`,
			shows: "✓ Get Resource Reference Tool", want: "Resource 2: This is a base64 blob"},
		{sameReply: true, tool: "get-structured-content", arguments: `{"location": "Chicago"}`,
			shows: "✓ Get Structured Content Tool  Chicago", want: `"temperature": 36`,
			text: `"temperature":36`},
		{sameReply: true, tool: "get-sum", arguments: `{"a": 2, "b": 40}`, shows: "✓ Get Sum Tool  ",
			want: "The sum of 2 and 40 is 42"},
		{tool: "trigger-elicitation-request", arguments: `{}`, shows: "✓ Trigger Elicitation Request Tool",
			want: "User cancelled", headless: "User declined",
			answer: func(s *screen) { s.answer("Please provide inputs", escape) }},
		{tool: "get-tiny-image", arguments: `{}`, shows: "✓ Get Tiny Image Tool", want: "[image: image/png, 4 kB]"},
		{sameReply: true, tool: "gzip-file-as-resource",
			arguments: `{"name": "a.gz", "data": "` + helloURL + `", "outputType": "resource"}`,
			shows:     "✓ GZip File as Resource Tool", want: "application/gzip, 25 bytes]"},
		{sameReply: true, tool: "gzip-file-as-resource", arguments: `{"name": "b.gz", "data": "` + helloURL + `"}`,
			shows: "✓ GZip File as Resource Tool", want: "[link: b.gz, demo://resource/session/b.gz"},
		{tool: "trigger-url-elicitation", arguments: `{"url": "https://example.org/gate"}`,
			shows: "✓ Trigger URL Elicitation Tool", want: "User declined to open the URL",
			headless: "User declined",
			answer:   func(s *screen) { s.answer("Open it only if you know example.org", "n") }},
		{tool: "trigger-url-elicitation", arguments: `{"url": "https://example.org/error", "errorPath": true}`,
			shows: "✓ Trigger URL Elicitation Tool", want: "✅ User", headless: "This request requires", failsHeadless: true,
			answer: func(s *screen) {
				s.answer("Open it only if you know modelcontextprotocol.io", "y")
				s.answer("Continue when you are done on the page", "\t\r")
				s.answer("https://example.org/error\n", "y") // requested by the second call
			}},
		{tool: "toggle-simulated-logging", arguments: `{}`, shows: "✓ Toggle Simulated Logging",
			want: "Started simulated, random-leveled logging"},
		{sameReply: true, tool: "toggle-subscriber-updates", arguments: `{}`, shows: "✓ Toggle Subscriber Updates",
			want: "Started simulated resource updated notifications"},
		{sameReply: true, tool: "get-roots-list", arguments: `{}`, shows: "✓ Get Roots List Tool", want: "URI: file://"},
		{tool: "trigger-long-running-operation", arguments: `{"duration": 1, "steps": 2}`,
			shows: "✓ Trigger Long Running Operation Tool  ", want: "Long running operation completed",
			answer: func(s *screen) { s.see("Trigger Long Running Operation Tool on everything · 1/2") }},
	},
	"notes": {
		{tool: "list_allowed_directories", arguments: `{}`, shows: "✓ List Allowed Directories",
			want: "Allowed directories:"},
		{tool: "create_directory", arguments: `{"path": "new"}`, shows: "✓ Create Directory  new",
			want: "Successfully created directory new"},
		{tool: "write_file", arguments: `{"path": "new/a.txt", "content": "one\ntwo\n"}`,
			shows: "✓ Write File  ", want: "Successfully wrote to new/a.txt"},
		{tool: "read_file", arguments: `{"path": "new/a.txt"}`, shows: "✓ Read File (Deprecated)  new/a.txt",
			want: "two"},
		{sameReply: true, tool: "read_text_file", arguments: `{"path": "new/a.txt", "head": 1}`, shows: "✓ Read Text File  ",
			want: "one"},
		{sameReply: true, tool: "read_text_file", arguments: `{"path": "/etc/passwd"}`,
			shows: "✗ Read Text File  /etc/passwd", want: "Access denied"},
		{sameReply: true, tool: "read_multiple_files", arguments: `{"paths": ["new/a.txt", "todo.txt"]}`,
			shows: "✓ Read Multiple Files  ", want: "buy milk"},
		{tool: "edit_file", arguments: `{"path": "new/a.txt", "edits": [{"oldText": "two", "newText": "three"}]}`,
			shows: "✓ Edit File  ", want: "+three"},
		{tool: "list_directory", arguments: `{"path": "."}`, shows: "✓ List Directory  .", want: "[DIR] new"},
		{sameReply: true, tool: "list_directory_with_sizes", arguments: `{"path": "new"}`,
			shows: "✓ List Directory with Sizes  new", want: "Total: 1 files"},
		{sameReply: true, tool: "directory_tree", arguments: `{"path": "."}`, shows: "✓ Directory Tree  .",
			want: `"children": [`},
		{sameReply: true, tool: "search_files", arguments: `{"path": ".", "pattern": "**/a.txt"}`, shows: "✓ Search Files  ",
			want: "notes/new/a.txt"},
		{sameReply: true, tool: "get_file_info", arguments: `{"path": "todo.txt"}`, shows: "✓ Get File Info  todo.txt",
			want: "size: 9"},
		{tool: "move_file", arguments: `{"source": "new/a.txt", "destination": "b.txt"}`,
			shows: "✓ Move File  ", want: "Successfully moved new/a.txt to b.txt"},
		{sameReply: true, tool: "read_media_file", arguments: `{"path": "dot.png"}`,
			shows: "✓ Read Media File  dot.png", want: "[image: image/png, 67 bytes]"},
	},
	"memory": {
		{tool: "create_entities", shows: "✓ Create Entities  ", want: `"likes tea"`,
			arguments: `{"entities": [{"name": "Ada", "entityType": "person", "observations": ["likes tea"]}, ` +
				`{"name": "Bob", "entityType": "person", "observations": []}]}`},
		{tool: "create_relations", arguments: `{"relations": [{"from": "Ada", "to": "Bob", "relationType": "knows"}]}`,
			shows: "✓ Create Relations  ", want: "│ knows", text: `"relationType": "knows"`},
		{tool: "add_observations", arguments: `{"observations": [{"entityName": "Ada", "contents": ["was born in 1815"]}]}`,
			shows: "✓ Add Observations  ", want: `"addedObservations"`},
		{tool: "read_graph", arguments: `{}`, shows: "✓ Read Graph", want: `"was born in 1815"`},
		{sameReply: true, tool: "search_nodes", arguments: `{"query": "tea"}`, shows: "✓ Search Nodes  tea",
			want: `"name": "Ada"`},
		{sameReply: true, tool: "open_nodes", arguments: `{"names": ["Bob"]}`, shows: "✓ Open Nodes  ",
			want: `"name": "Bob"`},
		{tool: "delete_observations", arguments: `{"deletions": [{"entityName": "Ada", "observations": ["likes tea"]}]}`,
			shows: "✓ Delete Observations  ", want: "Observations deleted successfully"},
		{sameReply: true, tool: "delete_relations",
			arguments: `{"relations": [{"from": "Ada", "to": "Bob", "relationType": "knows"}]}`,
			shows:     "✓ Delete Relations  ", want: "Relations deleted successfully"},
		{tool: "delete_entities", arguments: `{"entityNames": ["Bob"]}`, shows: "✓ Delete Entities  ",
			want: "Entities deleted successfully"},
	},
	"sequential-thinking": {
		{tool: "sequentialthinking",
			arguments: `{"thought": "first", "nextThoughtNeeded": false, "thoughtNumber": 1, "totalThoughts": 1}`,
			shows:     "✓ Sequential Thinking", want: `"thoughtHistoryLength": 1`},
	},
}

// firstMissing returns the first text that does not follow those before it, or "".
func firstMissing(screen string, texts []string) string {
	for _, text := range texts {
		_, rest, ok := strings.Cut(screen, text)
		if !ok {
			return text
		}
		screen = rest
	}
	return ""
}

// dot is a picture of one pixel.
const dot = "\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x00\x00\x01\x00\x00\x00\x01\x08\x06\x00\x00\x00\x1f\x15" +
	"\xc4\x89\x00\x00\x00\nIDATx\x9cc\x00\x01\x00\x00\x05\x00\x01\r\n-\xb4\x00\x00\x00\x00IEND\xaeB`" +
	"\x82"
