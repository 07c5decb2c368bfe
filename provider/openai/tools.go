package openai

import (
	"cmp"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/aloudchat/aloud/internal/jsonschema"
	"github.com/aloudchat/aloud/internal/sanitize"
	"github.com/aloudchat/aloud/provider"
	"github.com/aloudchat/aloud/provider/endpoint"
)

type tool struct {
	Type     string   `json:"type"`
	Function function `json:"function"`
}

type function struct {
	Name        string          `json:"name"`
	Description string          `json:"description,omitempty"`
	Parameters  json.RawMessage `json:"parameters"`
}

// encodeTool returns a tool with a schema that strict servers accept too.
func encodeTool(spec provider.ToolSpec) any {
	return tool{"function", function{spec.Name, spec.Description, jsonschema.Complete(spec.Schema)}}
}

// maxRefusedTools limits the tools that are left out of one request, because each takes another request. A server that
// refuses more of them refuses all, or something else.
const maxRefusedTools = 8

// refusals are the tools that a server has refused during one request.
type refusals struct {
	tools   []provider.ToolSpec
	lasting []provider.ToolSpec // the tools to leave out of later requests too
	notices []string
}

// add adds the tool that a refusal names, and reports whether it names one. Errors with a special meaning are not about
// a tool, even if they name one.
func (r *refusals) add(c *Client, req provider.Request, known habits, refusal *endpoint.Refusal) bool {
	if len(r.tools) == maxRefusedTools {
		return false
	}
	tool, ok := namedTool(known.offered(req.Tools), refusal)
	if !ok || refusedPart(known, refusal) != "" || c.explain(refusal, req).Kind != provider.KindFailed {
		return false
	}
	r.tools = append(r.tools, tool)
	if refusal.Status < http.StatusInternalServerError { // else the failure may pass
		r.lasting = append(r.lasting, tool)
	}
	r.notices = append(r.notices, fmt.Sprintf("The server refused the tool %s, so the model goes on without it: %s",
		c.Safe(cmp.Or(tool.Title, tool.Name)), c.Safe(refusal.Text)))
	return true
}

// offered returns the tools that the server did not refuse.
func (h habits) offered(tools []provider.ToolSpec) []provider.ToolSpec {
	if len(h.refusedTools) == 0 {
		return tools
	}
	return slices.DeleteFunc(slices.Clone(tools), func(tool provider.ToolSpec) bool {
		return slices.ContainsFunc(h.refusedTools, func(refused provider.ToolSpec) bool {
			return endpoint.SameTool(tool, refused)
		})
	})
}

var (
	// placeOfTool matches a place in the list of tools: tools.3, tools[3], ["tools", 3]. It does not match a limit in a
	// sentence: "Too many tools. 128 is the maximum".
	placeOfTool = sanitize.Pattern(`\btools(?:['"]?[.\[]|['"],\s*)(\d{1,4})`)
	// nameOfTool matches what may be a tool's name, in quotes or after a word for it.
	nameOfTool = sanitize.Pattern("(?i)(?:['\"`]|\\b(?:function|tool)[ :]+)([\\w.:/-]+)")
)

// namedTool returns the tool that a refusal names. ok is false if it names none or several.
func namedTool(tools []provider.ToolSpec, refusal *endpoint.Refusal) (tool provider.ToolSpec, ok bool) {
	if refusal.Text == "" || !refusesRequest(refusal) || isBusy(refusal) {
		return tool, false
	}
	places := map[int]bool{}
	for _, match := range placeOfTool().FindAllStringSubmatch(reasonIn(refusal), -1) {
		if i, err := strconv.Atoi(match[1]); err == nil && i < len(tools) {
			places[i] = true
		}
	}
	for _, match := range nameOfTool().FindAllStringSubmatch(refusal.Text, -1) {
		i := slices.IndexFunc(tools, func(t provider.ToolSpec) bool { return t.Name == strings.TrimRight(match[1], ".:") })
		if i >= 0 {
			places[i] = true
		}
	}
	for i := range places {
		tool = tools[i]
	}
	return tool, len(places) == 1
}
