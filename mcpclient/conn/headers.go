package conn

import (
	"encoding/json"
	"errors"
	"maps"
	"net/http"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/aloudchat/aloud/mcpclient"
	"github.com/aloudchat/aloud/mcpclient/jsonrpc"
)

// requestHeaders returns the HTTP headers that repeat parts of a request, as modern revisions require. It returns none
// before. tool is the tool of a call, else nil.
func requestHeaders(revision string, m jsonrpc.Message, tool *mcpclient.Tool) http.Header {
	all := mcp.StandardHeaders(revision, m.Method, m.Params)
	if all != nil && tool != nil {
		maps.Copy(all, mcp.GenerateParamHeaders(headerSchema(tool.Schema), m.Params))
	}
	h := http.Header{}
	for name, value := range all {
		h.Set(name, value)
	}
	return h
}

// checkHeaders returns an error if the headers that a schema names are invalid.
func checkHeaders(schema json.RawMessage) error {
	if mcp.ValidateParamHeaderAnnotations(headerSchema(schema)) != nil {
		return errors.New("its x-mcp-header annotations are invalid")
	}
	return nil
}

// headerSchema returns a tool with the parts of a schema that name headers. mcp-go reads none of them if another part
// is unusual, such as a property that is true instead of an object.
func headerSchema(schema json.RawMessage) *mcp.Tool {
	type property struct {
		Type       json.RawMessage     `json:"type,omitempty"`
		Header     json.RawMessage     `json:"x-mcp-header,omitempty"`
		Properties map[string]property `json:"properties,omitempty"`
	}
	var s property
	_ = json.Unmarshal(schema, &s) // ignores fields of the wrong type
	raw, _ := json.Marshal(s)      // valid, because it was read from JSON
	return &mcp.Tool{RawInputSchema: raw}
}
