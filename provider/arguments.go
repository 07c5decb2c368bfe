package provider

import (
	"bytes"
	"encoding/json"
	"fmt"
)

// object makes a tool's arguments a JSON object. Nothing or null means none, and an object written as a string, as some models do, is unwrapped.
// The complaint is for the model: what it sent, and what it should send.
func object(raw json.RawMessage) (arguments json.RawMessage, complaint string) {
	raw = bytes.TrimSpace(raw)
	if len(raw) == 0 || string(raw) == "null" || string(raw) == `""` {
		return json.RawMessage("{}"), ""
	}
	var wrapped string
	if raw[0] == '"' && json.Unmarshal(raw, &wrapped) == nil {
		raw = bytes.TrimSpace([]byte(wrapped))
	}
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(raw, &fields); err != nil {
		return nil, fmt.Sprintf("The arguments are not a JSON object (%v): %q. Call the tool again with an object, such as {}.", err, clip(string(raw), 200))
	}
	return raw, ""
}

// asJSON keeps arguments that are no JSON readable in places that want JSON: as a string.
func asJSON(raw json.RawMessage) json.RawMessage {
	if json.Valid(raw) {
		return raw
	}
	quoted, err := json.Marshal(clip(string(raw), 4096))
	if err != nil {
		return json.RawMessage("{}")
	}
	return quoted
}
