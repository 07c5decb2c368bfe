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

	"github.com/aloudchat/aloud/internal/sanitize"
	"github.com/aloudchat/aloud/mcpclient"
	"github.com/aloudchat/aloud/mcpclient/jsonrpc"
)

// maxTools is how many tools are read from a server.
const maxTools = 10_000

const maxRemarks = 3 // about skipped tools

// Tools fetches the tools of the server, even if it does not declare any. remarks name skipped tools, and why. The
// error contains the last output of a process.
func (c *Conn) Tools(ctx context.Context) (tools []mcpclient.Tool, remarks []string, err error) {
	limited, cancel := c.can.Tools.timeout(ctx)
	defer cancel()
	var odd []string // remarks about skipped tools
	wanted := mcpclient.Wanted(c.server.EnabledTools, c.server.DisabledTools)
	read := func(raw json.RawMessage) (mcpclient.Tool, bool) {
		c.hasTools.Store(true)
		t, err := readTool(raw, c.server, c.isModern())
		if err != nil {
			odd = append(odd, sanitize.Line(fmt.Sprintf("tool %.100q skipped: %v", t.ServerTool, err)))
		}
		return t, err == nil && wanted(t.ServerTool)
	}
	tools, cut, err := pages(limited, c, mcp.MethodToolsList, "tools", maxTools, read)
	if err != nil {
		if !c.can.Tools.declared && !c.hasTools.Load() && ctx.Err() == nil && c.Err() == nil &&
			(limited.Err() != nil || saysNone(err)) {
			return nil, nil, nil
		}
		if e, ok := errors.AsType[*jsonrpc.Error](err); ok && e.Message != "" {
			err = fmt.Errorf("%s failed: %s", mcp.MethodToolsList, clip(e.Message))
		} else if ok {
			err = fmt.Errorf("%s failed without a reason", mcp.MethodToolsList)
		}
		return nil, nil, WithOutput(err, c.Output())
	}
	if more := len(odd) - maxRemarks; more > 0 {
		odd = append(odd[:maxRemarks], fmt.Sprintf("%d more skipped", more))
	}
	seen := map[string]bool{}
	tools = slices.DeleteFunc(tools, func(t mcpclient.Tool) bool {
		double := seen[t.ServerTool]
		seen[t.ServerTool] = true
		return double
	})
	return tools, append(cut, odd...), nil
}

// saysNone reports whether err is how a server that declares no tools says that it has none.
func saysNone(err error) bool {
	refused, ok := errors.AsType[*jsonrpc.Error](err)
	if !ok {
		return errors.Is(err, errOddList) || errors.Is(err, errNothing)
	}
	switch refused.Code {
	case mcp.METHOD_NOT_FOUND, mcp.INVALID_REQUEST, mcp.INVALID_PARAMS, 0: // 0 means that it sent none
		return true
	}
	return false
}

func readTool(raw json.RawMessage, from mcpclient.Server, modern bool) (mcpclient.Tool, error) {
	var r struct {
		Name        string             `json:"name"`
		Title       string             `json:"title"`
		Description string             `json:"description"`
		InputSchema json.RawMessage    `json:"inputSchema"`
		Output      json.RawMessage    `json:"outputSchema"`
		Execution   mcp.ToolExecution  `json:"execution"`
		Annotations mcp.ToolAnnotation `json:"annotations"`
	}
	_ = json.Unmarshal(raw, &r) // ignores fields of the wrong type
	t := mcpclient.Tool{
		Server: from.Name, ServerTool: r.Name, BuiltIn: from.BuiltIn,
		Title:       cmp.Or(r.Title, r.Annotations.Title),
		Description: r.Description,
		Trusted:     from.Trusted,
		ReadOnly:    hint(r.Annotations.ReadOnlyHint, false),
		Idempotent:  hint(r.Annotations.IdempotentHint, false),
		Output:      r.Output,
	}
	// These are the defaults of the specification, except that openWorldHint defaults to false for trusted servers: most
	// set only readOnlyHint, and their tools would never run without approval.
	t.Destructive = hint(r.Annotations.DestructiveHint, true) && !t.ReadOnly
	t.OpenWorld = hint(r.Annotations.OpenWorldHint, !t.Trusted)

	if string(t.Output) == "null" {
		t.Output = nil
	}
	if t.ServerTool == "" {
		return t, errors.New("it has no name")
	}
	if len(t.ServerTool) > maxName {
		return t, fmt.Errorf("its name is longer than %d bytes", maxName)
	}
	if r.Execution.TaskSupport == mcp.TaskSupportRequired {
		return t, errors.New("it runs only as a task, which aloud does not support")
	}
	if modern {
		if err := checkHeaders(r.InputSchema); err != nil {
			return t, err
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

// readSchema returns the schema unchanged if models can use it.
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
		schema["properties"] = json.RawMessage("{}") // PHP writes an empty object as []
		return json.Marshal(schema)
	default:
		return nil, errors.New("the properties of its schema are not an object")
	}
}
