package mcpclient

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/aloudchat/aloud/mcpclient/fault"
	"github.com/aloudchat/aloud/sanitize"
	"github.com/mark3labs/mcp-go/mcp"
)

const (
	maxTools   = 10_000 // more than any model reads; a server that pages on for ever is stopped here
	maxRemarks = 3      // about tools that were left out
)

// list fetches all pages of a server's tools. The remarks name what was left out, and why.
func (c *connection) list(ctx context.Context, config Server) (tools []Tool, remarks []string, err error) {
	if c.client.GetServerCapabilities().Tools == nil {
		return nil, nil, nil
	}
	more := 0 // remarks
	tools, err = pages(maxTools, func(params mcp.PaginatedParams) ([]Tool, mcp.Cursor, error) {
		ctx, answer := withAnswer(ctx)
		var request mcp.ListToolsRequest
		request.Params = params
		page, err := c.client.ListToolsByPage(ctx, request)
		if err != nil {
			return nil, "", noTools(err, answer)
		}
		tools, odd := readTools(answer.result, config, c.wire.modern())
		said := min(len(odd), maxRemarks-len(remarks))
		remarks, more = append(remarks, odd[:said]...), more+len(odd)-said
		return tools, page.NextCursor, nil
	})
	if err != nil {
		return nil, nil, err
	}
	if more > 0 {
		remarks = append(remarks, fmt.Sprintf("left out %d more tools", more))
	}
	return withoutDoubles(tools), remarks, nil
}

// noTools says why a server does not tell its tools.
func noTools(err error, answer *answer) error {
	if answer.err != nil {
		return &fault.Worded{Text: fmt.Sprintf("it does not tell its tools: %s", cmp.Or(fault.Short(answer.err.Message), "nobody knows why")), Cause: err}
	}
	if _, odd := errors.AsType[*json.UnmarshalTypeError](err); odd {
		return errors.New("its list of tools makes no sense")
	}
	return err
}

func withoutDoubles(tools []Tool) []Tool {
	seen := map[string]bool{}
	return slices.DeleteFunc(tools, func(t Tool) bool {
		double := seen[t.ServerTool]
		seen[t.ServerTool] = true
		return double
	})
}

// readTools reads a page of tools/list. A tool nobody could call is left out, and the others stay.
func readTools(page json.RawMessage, config Server, modern bool) (tools []Tool, remarks []string) {
	var list struct {
		Tools []json.RawMessage `json:"tools"`
	}
	_ = json.Unmarshal(page, &list) // what is no list has no tools
	for _, raw := range list.Tools {
		t, err := readTool(raw, config, modern)
		switch {
		case err != nil:
			remarks = append(remarks, sanitize.Line(fmt.Sprintf("left out the tool %.100q: %v", t.ServerTool, err)))
		case enabled(t.ServerTool, config):
			tools = append(tools, t)
		}
	}
	return tools, remarks
}

func readTool(raw json.RawMessage, config Server, modern bool) (Tool, error) {
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
		Server: config.Name, ServerTool: r.Name,
		Title:       cmp.Or(r.Title, r.Annotations.Title),
		Description: r.Description,
		Trusted:     config.Trusted || config.Local != nil,
		ReadOnly:    hint(r.Annotations.ReadOnly, false),
		Idempotent:  hint(r.Annotations.Idempotent, false),
		Output:      r.Output,
		tasks:       r.Execution.TaskSupport == mcp.TaskSupportRequired || r.Execution.TaskSupport == mcp.TaskSupportOptional,
	}
	// The specification's defaults, save that a trusted server that says nothing of the open world is believed to stay here:
	// most say only readOnlyHint, and trusting them would otherwise change nothing.
	t.Destructive = hint(r.Annotations.Destructive, true) && !t.ReadOnly
	t.OpenWorld = hint(r.Annotations.OpenWorld, !t.Trusted)

	if t.ServerTool == "" {
		return t, errors.New("it has no name")
	}
	if len(t.ServerTool) > longestName {
		return t, fmt.Errorf("its name is longer than %d bytes", longestName)
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

func enabled(tool string, config Server) bool {
	fits := func(glob string) bool { return parseGlob(glob).matches(tool) }
	if len(config.EnabledTools) > 0 && !slices.ContainsFunc(config.EnabledTools, fits) {
		return false
	}
	return !slices.ContainsFunc(config.DisabledTools, fits)
}
