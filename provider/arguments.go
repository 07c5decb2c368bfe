package provider

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
)

// object makes a tool's arguments a JSON object. Nothing or null means none, and an object written as a string, as some models do, is unwrapped.
// The error is for the model: what it sent, and what it should send.
func object(raw json.RawMessage) (json.RawMessage, error) {
	raw = bytes.TrimSpace(bytes.ToValidUTF8(raw, []byte("\uFFFD"))) // encoding/json lets invalid bytes pass
	if len(raw) == 0 || bytes.Equal(raw, []byte("null")) || bytes.Equal(raw, []byte(`""`)) {
		return json.RawMessage("{}"), nil
	}
	var wrapped string
	if raw[0] == '"' && json.Unmarshal(raw, &wrapped) == nil {
		raw = bytes.TrimSpace([]byte(wrapped))
	}
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(raw, &fields); err != nil {
		return nil, fmt.Errorf("The arguments are not a JSON object (%v): %q. Call the tool again with an object, such as {}.", err, clip(string(raw), 200)) //nolint:staticcheck // read by the model
	}
	return raw, nil
}

// asJSON keeps arguments that are no JSON readable in places that want JSON: as a string.
func asJSON(raw json.RawMessage) json.RawMessage {
	if json.Valid(raw) {
		return raw
	}
	quoted, err := json.Marshal(strings.ToValidUTF8(clip(string(raw), 4096), "\uFFFD"))
	if err != nil {
		return json.RawMessage("{}")
	}
	return quoted
}
