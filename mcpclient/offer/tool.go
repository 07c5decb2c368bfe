// Package offer reads what servers offer from the lists that they give: tools, prompts, and resources with their templates. What is odd is read as far
// as it goes; what nobody could call, ask for or read is left out, and the others stay.
package offer

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/aloudchat/aloud/mcpclient/content"
	"github.com/aloudchat/aloud/sanitize"
	"github.com/mark3labs/mcp-go/mcp"
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
	Tasks       bool            // its calls may begin a task
}

// Source is where tools come from.
type Source struct {
	Server  string
	BuiltIn string                 // which built-in server it is; "": none
	Trusted bool                   // its hints are believed
	Wanted  func(tool string) bool // tells which tools are kept; nil: all
}

// Tools reads a page of tools/list. A tool nobody could call is left out, and the others stay. unread are those over the number that any page may
// have.
func Tools(page json.RawMessage, from Source, modern bool) (tools []Tool, unread int, remarks []string) {
	list, unread := content.Items(page, "tools", maxItems)
	for _, raw := range list {
		t, err := readTool(raw, from, modern)
		switch {
		case err != nil:
			remarks = append(remarks, sanitize.Line(fmt.Sprintf("left out the tool %.100q: %v", t.ServerTool, err)))
		case from.Wanted == nil || from.Wanted(t.ServerTool):
			tools = append(tools, t)
		}
	}
	return tools, unread, remarks
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
		Tasks:       r.Execution.TaskSupport == mcp.TaskSupportRequired || r.Execution.TaskSupport == mcp.TaskSupportOptional,
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
