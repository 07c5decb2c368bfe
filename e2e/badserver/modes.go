package badserver

import (
	"fmt"
	"slices"
	"strings"
)

// Modes returns all ways to misbehave.
func Modes() []Mode {
	return slices.Concat(endings(), wires(), framings(), contents(), requests(), webs())
}

// contents returns the modes with wrong content, over either transport.
func contents() []Mode {
	manyTools := func() string {
		var list strings.Builder
		for i := range 10_000 {
			fmt.Fprintf(&list,
				`%s{"name":"tool_%d","description":"does thing %d","inputSchema":{"type":"object",`+
					`"properties":{"a":{"type":"string"}}}}`, map[bool]string{true: ","}[i > 0], i, i)
		}
		return `{"tools":[` + list.String() + `]}`
	}
	list := func(result string) map[string]func(question) string {
		return map[string]func(question) string{listTools: always(result)}
	}
	use := func(result string) map[string]func(question) string {
		return map[string]func(question) string{callTool: always(result)}
	}
	greeting := func(result string) map[string]func(question) string {
		return map[string]func(question) string{hello: always(result)}
	}
	failing := func(method, failure string) func(question, string) []string {
		return func(q question, reply string) []string {
			if q.Method == method {
				return []string{fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"error":%s}`, q.ID, failure)}
			}
			return []string{reply}
		}
	}
	return []Mode{
		{Name: "fine", Does: "nothing wrong"},
		{Name: "empty-objects", Does: "answers {} to everything", result: map[string]func(question) string{"": always(`{}`)}},
		{Name: "nulls", Does: "answers null to everything", result: map[string]func(question) string{"": always(`null`)}},
		{Name: "hello-string", Does: "answers initialize with a string", result: greeting(`"hello"`)},
		{Name: "hello-error", Does: "answers initialize with an error of many lines",
			frame: failing(hello, `{"code":-32000,"message":"licence expired\nTraceback:\n  at line 1\n  at line 2"}`)},
		{Name: "ancient", Does: "negotiates a revision of 1999", result: greeting(helloOf("1999-01-01"))},
		{Name: "no-revision", Does: "answers initialize without a revision",
			result: greeting(`{"capabilities":{"tools":{}},"serverInfo":{"name":"bad","version":"1"}}`)},
		{Name: "no-capabilities", Does: "has tools, but does not declare the capability",
			result: greeting(`{"protocolVersion":"2025-11-25","capabilities":{},"serverInfo":{"name":"bad","version":"1"}}`)},
		{Name: "odd-hello", Does: "answers initialize with values where objects and texts belong",
			result: greeting(`{"protocolVersion":"2025-11-25","capabilities":{"tools":true,"prompts":[],"resources":1},` +
				`"serverInfo":{"name":"bad","version":1}}`)},
		{Name: "hostile-hello", Does: "has a name of 100 kB with escape sequences",
			result: greeting(`{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":` +
				quoted("\x1b[2J\u202e"+strings.Repeat("evil ", 20_000)) + `,"version":"1"}}`)},
		{Name: "list-error", Does: "answers tools/list with an error",
			frame: failing(listTools, `{"code":-32603,"message":"database is locked"}`)},
		{Name: "list-string", Does: "its list of tools is a string", result: list(`{"tools":"none"}`)},
		{Name: "no-tools", Does: "its list of tools is empty", result: list(`{"tools":[]}`)},
		{Name: "bad-schemas", Does: "has tools with invalid schemas, and one valid tool",
			result: list(`{"tools":[{"name":"a","inputSchema":true},{"name":"b","inputSchema":{"type":"object",` +
				`"properties":[1]}},{"name":"c","inputSchema":"x"},` +
				`{"name":"d","inputSchema":{"type":["object","null"],"required":true}},{"inputSchema":{}},{"name":7},"e",null,` +
				tool("use") + `]}`)},
		{Name: "many-tools", Does: "has 10,000 tools",
			result: map[string]func(question) string{listTools: func(question) string { return manyTools() }}},
		{Name: "cursor-loop", Does: "returns the same cursor forever",
			result: list(`{"tools":[` + tool("use") + `],"nextCursor":"again"}`)},
		{Name: "cursor-endless", Does: "always has one more page",
			result: map[string]func(question) string{listTools: func(q question) string {
				return fmt.Sprintf(`{"tools":[%s],"nextCursor":"%sx"}`, tool("use"), q.Params.Cursor)
			}}},
		{Name: "double-tools", Does: "has three tools with the same name",
			result: list(`{"tools":[` + tool("use") + `,` + tool("use") + `,` + tool("use") + `]}`)},
		{Name: "hostile-names", Does: "has tools with escape sequences in names and descriptions",
			result: list(`{"tools":[` + tool("use") + `,` + tool("\x1b]0;gotcha\x07") + `,` +
				tool(strings.Repeat("long",
					2_000)) + `,{"name":"said","title":"\u001b[31mred\u202e","description":"\u001b]52;c;ZXZpbA==\u0007",` +
				`"inputSchema":{"type":"object"}}]}`)},

		{Name: "call-error", Does: "answers calls with an error",
			frame: failing(callTool, `{"code":-32000,"message":"no such browser session"}`)},
		{Name: "error-string", Does: "answers calls with an error that is a string",
			frame: failing(callTool, `"something went wrong"`)},
		{Name: "error-empty", Does: "answers calls with an empty error", frame: failing(callTool, `{}`)},
		{Name: "error-code-text", Does: "answers calls with an error whose code is text",
			frame: failing(callTool, `{"code":"E_FAIL","message":"disk full"}`)},
		{Name: "both", Does: "answers calls with a result and a null error",
			frame: func(q question, reply string) []string {
				return []string{strings.TrimSuffix(reply, "}") + `,"error":null}`}
			}},
		{Name: "neither", Does: "answers calls with neither a result nor an error",
			frame: func(q question, reply string) []string {
				if q.Method != callTool {
					return []string{reply}
				}
				return []string{fmt.Sprintf(`{"jsonrpc":"2.0","id":%s}`, q.ID)}
			}},
		{Name: "result-string", Does: "its results are strings", result: use(`"fine"`)},
		{Name: "no-content", Does: "its results have no content", result: use(`{}`)},
		{Name: "content-text", Does: "the content of its results is a string", result: use(`{"content":"fine"}`)},
		{Name: "short-text", Does: "has its data only in the structured content, beside a short text",
			result: use(`{"content":[{"type":"text","text":"ok, 1 item"}],` +
				`"structuredContent":{"items":[{"name":"lamp","price":5}]}}`)},
		{Name: "odd-content", Does: "its results have content of unknown types, numbers and nulls",
			result: use(`{"content":[{"type":"hologram","data":"x"},7,null,{"type":"text","text":5},{"type":"text",` +
				`"text":"fine"}]}`)},
		{Name: "bad-image", Does: "its images are not base64",
			result: use(`{"content":[{"type":"image","mimeType":"image/png","data":"%%%"}]}`)},
		{Name: "odd-image", Does: "its images are base64 of another alphabet, with a prefix and line breaks",
			result: use(`{"content":[{"type":"image","data":"data:image/png;base64,-__-\r\nPD8-"}]}`)},
		{Name: "hostile-text", Does: "its results contain escape sequences",
			result: use(text("\x1b[2J\x1b]52;c;ZXZpbA==\x07\u202egnp.exe"))},
		{Name: "broken-text", Does: "its results are not UTF-8",
			result: use("{\"content\":[{\"type\":\"text\",\"text\":\"caf\xe9 \xff\"}]}")},
		{Name: "deep", Does: "its results are nested 100,000 levels deep",
			result: use(strings.Repeat(`[`, 100_000) + strings.Repeat(`]`, 100_000))},
		{Name: "gives-secrets", Does: "repeats a secret in an error", result: nil,
			frame: func(q question, reply string) []string {
				if q.Method != callTool {
					return []string{reply}
				}
				return []string{fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"error":{"code":-32000,"message":%s}}`, q.ID,
					quoted("cannot log in with "+q.secret))}
			}},
	}
}

// framings returns the modes with invalid responses, over either transport.
func framings() []Mode {
	return []Mode{
		{Name: "string-ids", Does: "answers to 1 with \"1\"",
			frame: func(q question, _ string) []string { return withID(quoted(string(q.ID)))(q, "") }},
		{Name: "float-ids", Does: "answers to 1 with 1.0",
			frame: func(q question, _ string) []string { return withID(string(q.ID)+".0")(q, "") }},
		{Name: "null-ids", Does: "answers with the id null", Hangs: AfterWords, frame: withID("null")},
		{Name: "wrong-ids", Does: "answers with the id of another request", Hangs: AtStart,
			frame: func(q question, _ string) []string {
				return withID(fmt.Sprint(number(q.ID)+1_000))(q, "")
			}},
		{Name: "no-jsonrpc", Does: "leaves \"jsonrpc\" out", frame: func(_ question, reply string) []string {
			return []string{strings.Replace(reply, `"jsonrpc":"2.0",`, "", 1)}
		}},
		{Name: "batches", Does: "sends each response in an array",
			frame: func(_ question, reply string) []string { return []string{"[" + reply + "]"} }},
		{Name: "twice", Does: "sends each response twice",
			frame: func(_ question, reply string) []string { return []string{reply, reply} }},
		{Name: "pages-of-json", Does: "sends each response on several lines", Hangs: AfterWords,
			frame: func(_ question, reply string) []string {
				return []string{strings.ReplaceAll(strings.ReplaceAll(reply, `,"`, ",\n  \""), `{"`, "{\n  \"")}
			}},
	}
}
