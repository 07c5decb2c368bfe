package conn

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/aloudchat/aloud/mcpclient"
	"github.com/aloudchat/aloud/mcpclient/elicit"
	"github.com/aloudchat/aloud/mcpclient/jsonrpc"
)

func TestInvalidTools(t *testing.T) {
	page := `{"tools":[
		{"name":"good","title":"Good One","description":"d",
			"inputSchema":{"type":"object","$schema":"x","oneOf":[{"a":9007199254740993}]},
		 "annotations":{"readOnlyHint":true,"openWorldHint":true}},
		{"name":"true","inputSchema":true},
		{"name":"list","inputSchema":{"properties":["a"]}},
		{"name":"php","inputSchema":{"properties":[]}},
		{"name":"bare","outputSchema":null},
		{"name":"odd","title":7,"inputSchema":{"type":["object","null"]},"annotations":{"readOnlyHint":"yes"}},
		{"inputSchema":{}},
		"nonsense\u001b[31m"]}`
	tools, remarks, err := offering(t, page).Tools(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, tool := range tools {
		names = append(names, tool.ServerTool)
	}
	if got := strings.Join(names, " "); got != "good php bare odd" {
		t.Errorf("kept: %s", got)
	}
	if len(remarks) != 4 || remarks[3] != "1 more skipped" ||
		remarks[0] != `tool "true" skipped: its schema is not an object` {
		t.Errorf("remarks: %q", remarks)
	}
	good := tools[0]
	if string(good.Schema) != `{"type":"object","$schema":"x","oneOf":[{"a":9007199254740993}]}` {
		t.Errorf("the schema did not stay as it was: %s", good.Schema)
	}
	if good.Title != "Good One" || !good.ReadOnly || good.Destructive || !good.OpenWorld || good.Trusted {
		t.Errorf("%+v", good)
	}
	if bare := tools[2]; len(bare.Output) > 0 {
		t.Errorf("null announces %s", bare.Output)
	}
	if odd := tools[3]; odd.ReadOnly || !odd.Destructive || odd.Title != "" {
		t.Errorf("%+v", odd)
	}
	if php := tools[1]; string(php.Schema) != `{"properties":{}}` {
		t.Errorf("%s", php.Schema)
	}
}

func TestLongToolName(t *testing.T) {
	tools, remarks, _ := offering(t,
		`{"tools":[{"name":"`+strings.Repeat("n", maxName)+`"},{"name":"`+strings.Repeat("é",
			maxName)+`"}]}`).Tools(t.Context())
	if len(tools) != 1 || len(remarks) != 1 || !strings.HasSuffix(remarks[0], "its name is longer than 200 bytes") ||
		len(remarks[0]) > 400 {
		t.Errorf("%d tools, remarks %q", len(tools), remarks)
	}
}

func FuzzTools(f *testing.F) {
	f.Add([]byte(`{"tools":[{"name":"a","inputSchema":{"properties":[]}},{"name":"b","inputSchema":{}}]}`))
	f.Fuzz(func(t *testing.T, page []byte) {
		tools, _, _ := offering(t, string(page)).Tools(t.Context())
		for _, tool := range tools {
			var schema map[string]any
			if json.Unmarshal(tool.Schema, &schema) != nil || tool.ServerTool == "" {
				t.Errorf("%+v", tool)
			}
		}
	})
}

func TestMillionsOfTools(t *testing.T) {
	page := `{"tools":[{"name":"add","inputSchema":{"type":"object"}}` + strings.Repeat(",{}", 1_000_000) + "]}"
	tools, remarks, err := offering(t, page).Tools(t.Context())
	if err != nil || len(tools) != 1 || len(remarks) != 2+maxRemarks ||
		remarks[0] != "only the first 1 tools were read" || remarks[4] != "9996 more skipped" {
		t.Errorf("%d tools, remarks %q", len(tools), remarks)
	}
}

func TestOpenWorldDefault(t *testing.T) {
	for _, trusted := range []bool{true, false} {
		c := connect(t, mcpclient.Server{Name: "s", Trusted: trusted}, func(string, int) (string, error) {
			return `{"tools":[{"name":"read","annotations":{"readOnlyHint":true}}]}`, nil
		})
		if tools, _, err := c.Tools(t.Context()); err != nil || tools[0].OpenWorld == trusted {
			t.Errorf("trusted %v: %+v, %v", trusted, tools, err)
		}
	}
}

// TestUndeclaredToolsThatFail checks that a server that declares no tools has none only if it says so before it lists
// any. Every other error is reported.
func TestUndeclaredToolsThatFail(t *testing.T) {
	const some = `{"result":{"tools":[{"name":"t"}]}}`
	const page = `{"result":{"tools":[{"name":"t"}],"nextCursor":"2"}}`
	refused := func(code int) string { return fmt.Sprintf(`{"error":{"code":%d,"message":"no"}}`, code) }
	for _, test := range []struct {
		answers []string // to each tools/list; one that is not JSON is an HTTP status
		listed  int      // tools of the first list
		failed  bool     // the last list
	}{
		{[]string{refused(-32601)}, 0, false},
		{[]string{refused(-32602)}, 0, false},
		{[]string{refused(0), refused(-32600)}, 0, false},
		{[]string{`{"result":{"tools":7}}`}, 0, false},
		{[]string{refused(-32603)}, 0, true},
		{[]string{refused(-32000)}, 0, true},
		{[]string{"500"}, 0, true},
		{[]string{"403"}, 0, true},
		{[]string{some, "502"}, 1, true},
		{[]string{some, refused(-32601)}, 1, true},
		{[]string{some, `{"result":{"tools":7}}`}, 1, true},
		{[]string{page, refused(-32601)}, 0, true},
	} {
		lists := 0
		handler := func(w http.ResponseWriter, r *http.Request) {
			var m jsonrpc.Message
			_ = json.NewDecoder(r.Body).Decode(&m)
			answer := `{"result":{"protocolVersion":"2025-11-25","capabilities":{}}}`
			switch {
			case m.Method == "tools/list":
				answer = test.answers[min(lists, len(test.answers)-1)]
				lists++
			case m.Method != mcp.MethodInitialize:
				w.WriteHeader(http.StatusAccepted)
				return
			}
			if status, err := strconv.Atoi(answer); err == nil {
				w.WriteHeader(status)
				return
			}
			w.Header().Set("Content-Type", "application/json")
			fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,%s`, m.ID, answer[1:])
		}
		web := httptest.NewServer(http.HandlerFunc(handler))
		to := mcpclient.Server{URL: web.URL, Protocol: mcp.LATEST_LEGACY_PROTOCOL_VERSION}
		c, err := Dial(t.Context(), to, &elicit.Handler{}, nil)
		if err != nil {
			t.Fatal(err)
		}
		tools, _, err := c.Tools(t.Context())
		if len(tools) != test.listed {
			t.Errorf("%v: %d tools, %v", test.answers, len(tools), err)
		}
		if len(test.answers) > 1 && test.answers[0] != page {
			_, _, err = c.Tools(t.Context())
		}
		if (err != nil) != test.failed {
			t.Errorf("%v: %v", test.answers, err)
		}
		c.Close()
		web.Close()
	}
}
