package conn

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"net/http"
	"slices"
	"strings"

	"golang.org/x/net/http/httpguts"

	"github.com/aloudchat/aloud/mcpclient/stdio"
)

// requestHeaders returns the HTTP headers that repeat parts of a request, as modern revisions require. tool is the tool
// of a call, else nil.
func requestHeaders(m stdio.Message, tool *Tool) http.Header {
	var p struct {
		Name, URI string
		Arguments map[string]json.RawMessage
	}
	_ = json.Unmarshal(m.Params, &p)
	h := http.Header{"Mcp-Method": {m.Method}}
	switch m.Method {
	case methodCall, methodPrompt:
		h.Set("Mcp-Name", headerValue(p.Name))
	case methodRead:
		h.Set("Mcp-Name", headerValue(p.URI))
	}
	if tool == nil {
		return h
	}
	bound, _ := headerArguments(tool.Schema)
	for name, path := range bound {
		if value, ok := argument(p.Arguments, path); ok {
			h.Set(name, headerValue(value))
		}
	}
	return h
}

// headerValue encodes a value that is not plain ASCII.
func headerValue(value string) string {
	const prefix, suffix = "=?base64?", "?="
	odd := strings.ContainsFunc(value, func(r rune) bool { return r < ' ' || r > '~' })
	if odd || strings.TrimSpace(value) != value || strings.HasPrefix(value, prefix) && strings.HasSuffix(value, suffix) {
		return prefix + base64.StdEncoding.EncodeToString([]byte(value)) + suffix
	}
	return value
}

// argument returns the text of the argument at a path, if it can be the value of a header.
func argument(arguments map[string]json.RawMessage, path []string) (text string, ok bool) {
	raw := arguments[path[0]]
	for _, name := range path[1:] {
		var object map[string]json.RawMessage
		_ = json.Unmarshal(raw, &object)
		raw = object[name]
	}
	var value any
	_ = json.Unmarshal(raw, &value) // may be missing
	const most = 1<<53 - 1          // the largest integer that JavaScript can represent
	switch v := value.(type) {
	case string:
		return v, true
	case bool:
		return fmt.Sprint(v), true
	case float64:
		return fmt.Sprintf("%.0f", v), v == math.Trunc(v) && math.Abs(v) <= most
	}
	return "", false
}

// headerSchema is the part of a tool's schema that names headers.
type headerSchema struct {
	Type       any                     `json:"type"`
	Header     json.RawMessage         `json:"x-mcp-header"`
	Properties map[string]headerSchema `json:"properties"`
}

// headerArguments returns the paths of the arguments that calls of a tool repeat as headers, by header.
func headerArguments(schema json.RawMessage) (map[string][]string, error) {
	var s headerSchema
	if json.Unmarshal(schema, &s) != nil {
		return nil, nil //nolint:nilnil // it names no headers
	}
	bound := map[string][]string{}
	return bound, s.bind(nil, bound)
}

var errHeaders = errors.New("its x-mcp-header annotations are invalid")

// bind adds the headers below path.
func (s headerSchema) bind(path []string, bound map[string][]string) error {
	const deepest = 50
	for name, p := range s.Properties {
		at := append(slices.Clone(path), name)
		if p.Header != nil {
			var header string
			_ = json.Unmarshal(p.Header, &header)
			key := http.CanonicalHeaderKey("Mcp-Param-" + header)
			if !p.isPrimitive() || !httpguts.ValidHeaderFieldName(header) || bound[key] != nil {
				return errHeaders
			}
			bound[key] = at
		}
		if len(at) == deepest {
			return nil
		}
		if err := p.bind(at, bound); err != nil {
			return err
		}
	}
	return nil
}

// isPrimitive reports whether all types of a property can be the value of a header.
func (s headerSchema) isPrimitive() bool {
	types, several := s.Type.([]any)
	if !several {
		types = []any{s.Type}
	}
	return len(types) > 0 && !slices.ContainsFunc(types, func(name any) bool {
		return name != "string" && name != "integer" && name != "boolean"
	})
}
