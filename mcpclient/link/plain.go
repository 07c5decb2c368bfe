package link

import (
	"encoding/json"

	"github.com/mark3labs/mcp-go/mcp"
)

// listWithoutOddTools is a page of tools/list for the client, which fails on all because of one, or complains on standard error.
func (w *wire) listWithoutOddTools(page json.RawMessage) json.RawMessage {
	var list struct {
		Tools      []json.RawMessage `json:"tools"`
		NextCursor string            `json:"nextCursor,omitempty"`
	}
	if json.Unmarshal(page, &list) != nil {
		return page
	}
	plain := []json.RawMessage{}
	for _, raw := range list.Tools {
		var t mcp.Tool
		if json.Unmarshal(raw, &t) == nil && (!w.modern() || mcp.ValidateParamHeaderAnnotations(&t) == nil) {
			plain = append(plain, raw)
		}
	}
	list.Tools = plain
	page, _ = json.Marshal(list)
	return page
}

// plainOffer is the answer to a request about prompts or resources for the client, which fails on all of it because of one odd part.
// We read the answer ourselves; the client needs to know only whether there is another page, or a question.
func plainOffer(method mcp.MCPMethod, result json.RawMessage) (plain json.RawMessage, ok bool) {
	member := ""
	switch method {
	case mcp.MethodPromptsList:
		member = "prompts"
	case mcp.MethodResourcesList:
		member = "resources"
	case mcp.MethodResourcesTemplatesList:
		member = "resourceTemplates"
	case mcp.MethodPromptsGet:
		member = "messages"
	case mcp.MethodResourcesRead:
		member = "contents"
	default:
		return nil, false
	}
	var rest struct {
		NextCursor string `json:"nextCursor"`
		ResultType string `json:"resultType"`
	}
	_ = json.Unmarshal(result, &rest)
	if rest.ResultType == "input_required" {
		return nil, false
	}
	plain, err := json.Marshal(map[string]any{member: []any{}, "nextCursor": rest.NextCursor})
	return plain, err == nil
}
