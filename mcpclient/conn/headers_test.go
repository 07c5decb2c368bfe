package conn

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/aloudchat/aloud/mcpclient"
	"github.com/aloudchat/aloud/mcpclient/jsonrpc"
)

func TestRequestHeaders(t *testing.T) {
	tool := &mcpclient.Tool{Schema: json.RawMessage(`{"properties":{
		"place":{"type":"string","x-mcp-header":"Place"},"n":{"type":["integer","boolean"],"x-mcp-header":"N"},
		"in":{"properties":{"side":{"type":"string","x-mcp-header":"side"}}},
		"any":true,"empty":{"properties":[]}}}`)}
	for arguments, want := range map[string]string{
		`{"place":"Rome","n":3,"in":{"side":" x"}}`: `3 Rome =?base64?IHg=?=`,
		`{"place":"Köln","n":true}`:                 `true =?base64?S8O2bG4=?=`,
		`{"place":null,"n":1.5,"in":[1]}`:           ``,
		`{"place":"=?base64?a?=","n":1e300}`:        `=?base64?PT9iYXNlNjQ/YT89?=`,
	} {
		params := `{"name":"go","arguments":` + arguments + `}`
		m := jsonrpc.Message{Method: mcp.MethodToolsCall, Params: json.RawMessage(params)}
		h := requestHeaders(mcp.LATEST_PROTOCOL_VERSION, m, tool)
		got := strings.Join(append(append(h["Mcp-Param-N"], h["Mcp-Param-Place"]...), h["Mcp-Param-Side"]...), " ")
		if got != want || h.Get("Mcp-Method") != "tools/call" || h.Get("Mcp-Name") != "go" {
			t.Errorf("%s gives %v", arguments, h)
		}
		if h := requestHeaders(mcp.LATEST_LEGACY_PROTOCOL_VERSION, m, tool); len(h) > 0 {
			t.Errorf("%s gives %v before they were defined", arguments, h)
		}
	}
}

func TestInvalidHeaders(t *testing.T) {
	for properties, valid := range map[string]bool{
		`{"a":{"type":"string","x-mcp-header":"A"}}`: true, `7`: true, `{"a":true,"b":{"properties":[]}}`: true,
		`{"a":true,"b":{"type":"number","x-mcp-header":"B"}}`: false,
		`{"a":{"type":"number","x-mcp-header":"A"}}`:          false, `{"a":{"x-mcp-header":"A"}}`: false,
		`{"a":{"type":"string","x-mcp-header":""}}`: false, `{"a":{"type":"string","x-mcp-header":"a b"}}`: false,
		`{"a":{"type":"string","x-mcp-header":"A"},"b":{"properties":{"c":{"type":"string","x-mcp-header":"a"}}}}`: false,
	} {
		if err := checkHeaders(json.RawMessage(`{"properties":` + properties + `}`)); (err == nil) != valid {
			t.Errorf("%s: %v", properties, err)
		}
	}
}
