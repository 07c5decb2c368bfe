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

	"github.com/aloudchat/aloud/mcpclient"
	"github.com/aloudchat/aloud/mcpclient/jsonrpc"
)

// requestHeaders returns the HTTP headers that repeat parts of a request, as modern revisions require. tool is the tool
// of a call, else nil.
func requestHeaders(m jsonrpc.Message, tool *mcpclient.Tool) http.Header {
	var p struct {
		Name, URI string
		Arguments json.RawMessage
	}
	_ = json.Unmarshal(m.Params, &p)
	h := http.Header{"Mcp-Method": {m.Method}}
	switch m.Method {
	case methodCall, methodPrompt:
		h.Set("Mcp-Name", headerValue(p.Name))
	case methodRead:
		h.Set("Mcp-Name", headerValue(p.URI))
	}
	if tool != nil {
		_ = readHeaderSchema(tool.Schema).each(p.Arguments, func(name string, _ headerSchema, value json.RawMessage) error {
			if text, ok := headerText(value); ok {
				h.Set(name, headerValue(text))
			}
			return nil
		})
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

// headerText returns the text of an argument, if it can be the value of a header.
func headerText(argument json.RawMessage) (text string, ok bool) {
	var value any
	_ = json.Unmarshal(argument, &value) // may be missing
	const most = 1<<53 - 1               // the largest integer that JavaScript can represent
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

func readHeaderSchema(schema json.RawMessage) (s headerSchema) {
	_ = json.Unmarshal(schema, &s) // it names no headers if it is invalid
	return s
}

// each calls f with every property that names a header, and with the value of the argument, until f returns an error.
func (s headerSchema) each(
	arguments json.RawMessage, f func(name string, p headerSchema, value json.RawMessage) error,
) error {
	var values map[string]json.RawMessage
	_ = json.Unmarshal(arguments, &values)
	for property, p := range s.Properties {
		if p.Header != nil {
			var name string
			_ = json.Unmarshal(p.Header, &name)
			if err := f("Mcp-Param-"+name, p, values[property]); err != nil {
				return err
			}
		}
		if err := p.each(values[property], f); err != nil {
			return err
		}
	}
	return nil
}

// check returns an error if the headers of a schema are invalid.
func (s headerSchema) check() error {
	seen := map[string]bool{"Mcp-Param-": true} // an empty name
	return s.each(nil, func(name string, p headerSchema, _ json.RawMessage) error {
		name = http.CanonicalHeaderKey(name)
		if !p.isPrimitive() || !httpguts.ValidHeaderFieldName(name) || seen[name] {
			return errors.New("its x-mcp-header annotations are invalid")
		}
		seen[name] = true
		return nil
	})
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
