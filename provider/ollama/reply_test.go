package ollama

import (
	"encoding/json"
	"testing"
)

// FuzzPlainText checks that a line read without parsing it has the text that parsing finds, and nothing else.
func FuzzPlainText(f *testing.F) {
	const head = `{"model":"m","created_at":"2026-11-23T22:43:52Z","message":{"role":"assistant","content":"`
	const tail = `"},"done":false}`
	for text, isPlain := range map[string]bool{
		" é 日本": true, "": false, `a\nb`: false, `a\"b`: false, "a\xff": false, `a"},"error":"no","x":{"y":"`: false,
		`","thinking":"hm`: false, `","tool_calls":[{"function":{"name":"t"}}],"x":"`: false,
	} {
		if _, got := plainText([]byte(head + text + tail)); got != isPlain {
			f.Errorf("%q is read without parsing: %v", text, got)
		}
		f.Add(head + text + tail)
	}
	f.Add(`{"model":"m","error":"no","message":{"role":"assistant","content":"a"},"done":false}`)
	f.Add(head + `a"},"done":true}`)
	f.Fuzz(func(t *testing.T, line string) {
		text, isPlain := plainText([]byte(line))
		var r reply
		if err := json.Unmarshal([]byte(line), &r); err != nil || !isPlain {
			return
		}
		m := r.Message
		if text != m.Content || m.Thinking != "" || m.ToolCalls != nil || r.Done || r.Error != nil {
			t.Errorf("the text of %s is read as %q", line, text)
		}
	})
}
