package mcpclient

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"regexp"
	"strings"
)

// seen is a fingerprint of a tool as it was when its calls were allowed: "rd-o.5Qk0hCRV8Jxu.Zz1mFnqTb2pA", hints, description and schema.
// A pattern of the configuration that ends in " #" and one only allows that tool. "" stands for any.
type seen string

var stampedPattern = regexp.MustCompile(`(?s)^(.*) #([r-][d-][i-][o-]\.[\w-]{12}\.[\w-]{12})$`)

// splitSeen takes "server.tool #fingerprint" apart.
func splitSeen(p string) (string, seen) {
	if m := stampedPattern.FindStringSubmatch(p); m != nil {
		return m[1], seen(m[2])
	}
	return p, ""
}

// seenOf returns the fingerprint of a tool. The description is part of it because it instructs the model. Built-in tools have none:
// they are as safe as this program.
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
	return seen(string(hints) + "." + digest(t.Server, t.ServerTool, t.Description) + "." + digest(string(sorted(t.Schema))))
}

func digest(parts ...string) string {
	sum := sha256.Sum256([]byte(strings.Join(parts, "\x00")))
	return base64.RawURLEncoding.EncodeToString(sum[:9])
}

// sorted writes a schema the same way whatever the order of its members, which some servers change at each start.
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

// differences names what two tools of one name differ in.
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
