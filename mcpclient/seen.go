package mcpclient

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"strings"

	"github.com/aloudchat/aloud/sanitize"
)

// seen is a fingerprint of the hints, description and schema of a tool: "rd-o.5Qk0hCRV8Jxu.Zz1mFnqTb2pA". A pattern
// that ends in " #" and a fingerprint allows only that version of the tool. "" allows any.
type seen string

// stampedPattern matches "server.tool #fingerprint".
var stampedPattern = sanitize.Pattern(`(?s)^(.*) #([r-][d-][i-][o-]\.[\w-]{12}\.[\w-]{12})$`)

// seenOf returns the fingerprint of a tool, or "" for a built-in tool. The description is part of it because the model
// follows it.
func seenOf(t Tool) seen {
	if t.BuiltIn != "" {
		return ""
	}
	hints := []byte("rdio")
	for i, set := range []bool{t.ReadOnly, t.Destructive, t.Idempotent, t.OpenWorld} {
		if !set {
			hints[i] = '-'
		}
	}
	parts := []string{string(hints), digest(t.Server, t.ServerTool, t.Description), digest(string(sorted(t.Schema)))}
	return seen(strings.Join(parts, "."))
}

func digest(parts ...string) string {
	sum := sha256.Sum256([]byte(strings.Join(parts, "\x00")))
	return base64.RawURLEncoding.EncodeToString(sum[:9])
}

// sorted returns a schema with its members in order. Some servers change the order at each start.
func sorted(schema json.RawMessage) []byte {
	decoder := json.NewDecoder(bytes.NewReader(schema))
	decoder.UseNumber()
	var value any
	if decoder.Decode(&value) != nil {
		return schema
	}
	text, err := json.Marshal(value)
	if err != nil {
		return schema
	}
	return text
}

// differences names the parts in which two fingerprints differ.
func (s seen) differences(other seen) []string {
	a, b := strings.Split(string(s), "."), strings.Split(string(other), ".")
	var parts []string
	for i, part := range []string{"hints", "description", "arguments"} {
		if i < len(a) && i < len(b) && a[i] != b[i] {
			parts = append(parts, part)
		}
	}
	return parts
}
