package conn

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/aloudchat/aloud/sanitize"
)

const (
	// MaxTools is more than any model reads; a server that pages on without end is stopped here.
	MaxTools = 10_000

	maxRemarks = 3 // about tools that were left out
)

// Tool is one tool of one server, as the rest of aloud sees it.
type Tool struct {
	Name        string // towards the model: unique over all servers, "server__tool", [a-zA-Z0-9_-], at most 64 bytes
	Server      string // the server's name in the configuration
	ServerTool  string // what the server calls it
	BuiltIn     string // the built-in server whose tool it is, "files"; "": none
	Title       string // the server's title for it, or ""
	Description string
	Schema      json.RawMessage // the JSON Schema of the arguments, as the server sent it
	Trusted     bool            // built in or marked trusted: its hints may widen what runs without asking
	ReadOnly    bool            // hint: changes nothing
	Destructive bool            // hint: may delete or overwrite
	Idempotent  bool            // hint: calling twice is calling once
	OpenWorld   bool            // hint: reaches beyond this machine
	Output      json.RawMessage // the JSON Schema of what it gives besides content; empty: it announces nothing
}

// Source is where tools come from.
type Source struct {
	Server  string
	BuiltIn string                 // which built-in server it is; "": none
	Trusted bool                   // its hints are believed
	Wanted  func(tool string) bool // reports which tools are kept; nil: all
}

// Tools fetches the server's tools. The remarks name what was left out, and why. The error is one sentence, with what a process wrote last.
func (c *Conn) Tools(ctx context.Context) (tools []Tool, remarks []string, err error) {
	if c.can.Tools == nil {
		return nil, nil, nil
	}
	var odd []string // about tools that were left out
	tools, cut, err := pages(ctx, c, mcp.MethodToolsList, "tools", MaxTools, func(raw json.RawMessage) (Tool, bool) {
		t, err := readTool(raw, c.server.Source, c.isModern())
		if err != nil {
			odd = append(odd, sanitize.Line(fmt.Sprintf("left out the tool %.100q: %v", t.ServerTool, err)))
		}
		return t, err == nil && (c.server.Source.Wanted == nil || c.server.Source.Wanted(t.ServerTool))
	})
	if err != nil {
		if answer, ok := errors.AsType[errorAnswer](err); ok {
			err = fmt.Errorf("it does not list its tools: %s", cmp.Or(answer.said, "it gives no reason"))
		}
		return nil, nil, WithOutput(err, c.Output())
	}
	if more := len(odd) - maxRemarks; more > 0 {
		odd = append(odd[:maxRemarks], fmt.Sprintf("left out %d more tools", more))
	}
	seen := map[string]bool{}
	tools = slices.DeleteFunc(tools, func(t Tool) bool {
		double := seen[t.ServerTool]
		seen[t.ServerTool] = true
		return double
	})
	return tools, append(cut, odd...), nil
}

func readTool(raw json.RawMessage, from Source, modern bool) (Tool, error) {
	var r struct {
		Name        string          `json:"name"`
		Title       string          `json:"title"`
		Description string          `json:"description"`
		InputSchema json.RawMessage `json:"inputSchema"`
		Output      json.RawMessage `json:"outputSchema"`
		Execution   struct {
			TaskSupport mcp.TaskSupport `json:"taskSupport"`
		} `json:"execution"`
		Annotations struct {
			Title       string `json:"title"`
			ReadOnly    *bool  `json:"readOnlyHint"`
			Destructive *bool  `json:"destructiveHint"`
			Idempotent  *bool  `json:"idempotentHint"`
			OpenWorld   *bool  `json:"openWorldHint"`
		} `json:"annotations"`
	}
	_ = json.Unmarshal(raw, &r) // a field of the wrong type is as if it were missing
	t := Tool{
		Server: from.Server, ServerTool: r.Name, BuiltIn: from.BuiltIn,
		Title:       cmp.Or(r.Title, r.Annotations.Title),
		Description: r.Description,
		Trusted:     from.Trusted,
		ReadOnly:    hint(r.Annotations.ReadOnly, false),
		Idempotent:  hint(r.Annotations.Idempotent, false),
		Output:      r.Output,
	}
	// The specification's defaults, save that a trusted server that says nothing of the open world is believed to stay here:
	// most say only readOnlyHint, and trusting them would otherwise change nothing.
	t.Destructive = hint(r.Annotations.Destructive, true) && !t.ReadOnly
	t.OpenWorld = hint(r.Annotations.OpenWorld, !t.Trusted)

	if string(t.Output) == "null" { // some write everything down that they have not
		t.Output = nil
	}
	if t.ServerTool == "" {
		return t, errors.New("it has no name")
	}
	if len(t.ServerTool) > LongestName {
		return t, fmt.Errorf("its name is longer than %d bytes", LongestName)
	}
	if r.Execution.TaskSupport == mcp.TaskSupportRequired {
		return t, errors.New("it runs only as a task, which aloud does not support")
	}
	if modern {
		var typed mcp.Tool
		if json.Unmarshal(raw, &typed) == nil && mcp.ValidateParamHeaderAnnotations(&typed) != nil {
			return t, errors.New("its x-mcp-header annotations are not valid")
		}
	}
	var err error
	t.Schema, err = readSchema(r.InputSchema)
	return t, err
}

func hint(h *bool, otherwise bool) bool {
	if h == nil {
		return otherwise
	}
	return *h
}

// readSchema returns a schema as it came when models can make something of it.
func readSchema(raw json.RawMessage) (json.RawMessage, error) {
	if len(raw) == 0 || string(raw) == "null" {
		return json.RawMessage(`{"type":"object","properties":{}}`), nil
	}
	var schema map[string]json.RawMessage
	if json.Unmarshal(raw, &schema) != nil {
		return nil, errors.New("its schema is not an object")
	}
	switch properties := bytes.TrimSpace(schema["properties"]); {
	case len(properties) == 0 || properties[0] == '{':
		return raw, nil
	case bytes.HasPrefix(properties, []byte("[")) && len(bytes.Trim(properties, "[] \t\r\n")) == 0:
		schema["properties"] = json.RawMessage("{}") // how PHP writes an empty object
		return json.Marshal(schema)
	default:
		return nil, errors.New("the properties of its schema are not an object")
	}
}
