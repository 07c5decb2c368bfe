package session_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/aloudchat/aloud/session"
)

// TestLoadManyCalls would take minutes with a search for each call.
func TestLoadManyCalls(t *testing.T) {
	const many = 60_000
	var begun, asked, answered strings.Builder
	for i := range many {
		fmt.Fprintf(&begun, `{"type":"tool","call":{"id":"%d","name":"f","status":"pending"}}`+"\n", i)
		fmt.Fprintf(&asked, `{"id":"%d","name":"f"},`, i)
		fmt.Fprintf(&answered, `{"type":"message","message":{"role":"tool","call_id":"%d","text":"x"}}`+"\n", many-1-i)
	}
	message := `{"type":"message","message":{"role":"assistant","calls":[` + strings.TrimSuffix(asked.String(), ",") +
		"]}}\n"
	for name, text := range map[string]string{
		"killed":             begun.String(),
		"answered backwards": begun.String() + message + begun.String() + answered.String(),
	} {
		dir := t.TempDir()
		must(t, os.WriteFile(file(dir, "x"), []byte(text), 0o600))
		_, conv, err := session.Open(dir).Load("x")
		if err != nil || conv.Len() != many+1 {
			t.Errorf("%s: %d messages, %v", name, conv.Len(), err)
		}
	}
}
