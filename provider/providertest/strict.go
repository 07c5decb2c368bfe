package providertest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"slices"
)

// StrictTools returns a handler for chat completions that refuses tools as LM Studio, llama.cpp and OpenAI do. It
// passes other requests to next.
func StrictTools(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		if refusal := RefuseTools(body); refusal != "" {
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(http.StatusBadRequest)
			_ = json.NewEncoder(w).Encode(map[string]any{"error": map[string]any{"message": refusal}})
			return
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
		next.ServeHTTP(w, r)
	})
}

// RefuseTools returns the error with which a strict server refuses the body of a chat completion, or "" if its tools
// are accepted.
func RefuseTools(body []byte) string {
	var request struct {
		Tools []struct {
			Function struct {
				Name       string
				Parameters map[string]any
			}
		}
	}
	if err := json.Unmarshal(body, &request); err != nil {
		return err.Error()
	}
	for i, tool := range request.Tools {
		schema := tool.Function.Parameters
		at := fmt.Sprintf("'tools.%d.function.parameters", i)
		switch properties, isObject := schema["properties"].(map[string]any); {
		case schema["type"] != "object": // LM Studio
			return at + `.type': Invalid input: expected "object"`
		case !isObject:
			return at + ".properties': Invalid input: expected record"
		case properties == nil:
			return at + ".properties': Required"
		}
		for _, keyword := range []string{"oneOf", "anyOf", "allOf", "enum", "not"} { // OpenAI
			if _, has := schema[keyword]; has {
				return fmt.Sprintf("Invalid schema for function '%s': schema must have type 'object' and not have "+
					"'oneOf'/'anyOf'/'allOf'/'enum'/'not' at the top level.", tool.Function.Name)
			}
		}
		if refusal := refuseSchema(schema, 0); refusal != "" {
			return fmt.Sprintf("Invalid schema for function '%s': %s", tool.Function.Name, refusal)
		}
	}
	return ""
}

// refuseSchema returns the error for a schema that is not fully typed, or that only some servers support.
func refuseSchema(value any, depth int) string {
	const maxDepth = 20
	schema, isObject := value.(map[string]any)
	if !isObject { // llama.cpp
		return fmt.Sprintf("JSON schema conversion failed: Unrecognized schema: %v", value)
	}
	if _, has := schema["$ref"]; has || depth > maxDepth {
		return fmt.Sprintf("Error resolving ref %v", schema["$ref"])
	}
	if schema["type"] == "array" && schema["items"] == nil { // OpenAI
		return "array schema missing items"
	}
	for _, keyword := range slices.Sorted(maps.Keys(schema)) {
		if refusal := refuseKeyword(keyword, schema[keyword], depth+1); refusal != "" {
			return refusal
		}
	}
	return ""
}

func refuseKeyword(keyword string, value any, depth int) string {
	list, isList := value.([]any)
	object, isObject := value.(map[string]any)
	_, isText := value.(string)
	_, isNumber := value.(float64)
	_, isBool := value.(bool)
	valid := true
	var schemas []any
	switch keyword {
	case "type":
		valid = isText || isList && len(list) > 0
	case "required":
		valid = isList && !slices.ContainsFunc(list, func(name any) bool { _, ok := name.(string); return !ok })
	case "properties", "patternProperties":
		valid, schemas = isObject, slices.Collect(maps.Values(object))
	case "anyOf", "oneOf", "allOf", "prefixItems":
		valid, schemas = isList && len(list) > 0, list
	case "items", "not":
		schemas = []any{value}
	case "additionalProperties":
		if !isBool {
			schemas = []any{value}
		}
	case "enum":
		valid = isList && len(list) > 0
	case "description", "title", "format", "pattern":
		valid = isText
	case "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "minLength", "maxLength", "minItems", "maxItems":
		valid = isNumber
	}
	if !valid {
		return fmt.Sprintf("%v is not a valid value of %q", value, keyword)
	}
	for _, schema := range schemas {
		if refusal := refuseSchema(schema, depth); refusal != "" {
			return refusal
		}
	}
	return ""
}
