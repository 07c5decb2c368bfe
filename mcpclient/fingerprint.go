package mcpclient

import (
	"crypto/sha256"
	"encoding/base64"
	"strings"

	"github.com/aloudchat/aloud/internal/jsonschema"
	"github.com/aloudchat/aloud/internal/sanitize"
)

// Fingerprint names one version of a tool by its hints, description and schema: "rd-o.5Qk0hCRV8Jxu.Zz1mFnqTb2pA". A
// pattern that ends in " #" and a fingerprint allows only that version of the tool. "" means any version.
type Fingerprint string

// stampedPattern matches "server.tool #fingerprint".
var stampedPattern = sanitize.Pattern(`(?s)^(.*) #([r-][d-][i-][o-]\.[\w-]{12}\.[\w-]{12})$`)

// FingerprintOf returns the fingerprint of a tool, or "" for a built-in tool, which never changes. The description is
// part of it because the model follows it.
func FingerprintOf(t Tool) Fingerprint {
	if t.BuiltIn != "" {
		return ""
	}
	hints := []byte("rdio")
	for i, set := range []bool{t.ReadOnly, t.Destructive, t.Idempotent, t.OpenWorld} {
		if !set {
			hints[i] = '-'
		}
	}
	schema := jsonschema.Sorted(t.Schema) // some servers change the order at each start
	parts := []string{string(hints), digest(t.Server, t.ServerTool, t.Description), digest(string(schema))}
	return Fingerprint(strings.Join(parts, "."))
}

func digest(parts ...string) string {
	sum := sha256.Sum256([]byte(strings.Join(parts, "\x00")))
	return base64.RawURLEncoding.EncodeToString(sum[:9])
}

// Differences names the parts in which two fingerprints differ: "hints", "description", "arguments".
func (f Fingerprint) Differences(other Fingerprint) []string {
	a, b := strings.Split(string(f), "."), strings.Split(string(other), ".")
	var parts []string
	for i, part := range []string{"hints", "description", "arguments"} {
		if i < len(a) && i < len(b) && a[i] != b[i] {
			parts = append(parts, part)
		}
	}
	return parts
}
