package conn

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/aloudchat/aloud/secret"
)

func TestReadContents(t *testing.T) {
	raw := json.RawMessage(`{"contents":[{"uri":"a:1","mimeType":"text/plain","text":"one"},
		{"uri":"a:2","mimeType":"text/plain","blob":"dHdv"},
		{"uri":"a:3","mimeType":"image/png","blob":"aW1n"},{"uri":"a:4","mimeType":"application/zip","blob":"enp6"},
		{"uri":"a:5","blob":"?"},7]}`)
	c := readContents(raw)
	if !strings.HasPrefix(c.Text, "[a:1]\none\n\n[a:2]\ntwo") || len(c.Images) != 1 ||
		fmt.Sprint(c.Other[:2]) != "[application/zip, 3 bytes unreadable]" {
		t.Errorf("%+v", c)
	}
}

func TestLongContentsAreCut(t *testing.T) {
	content := json.RawMessage(`{"contents":[{"text":"a"}` + strings.Repeat(`,{"text":"a"}`, 249) + `]}`)
	if c := readContents(content); !strings.HasSuffix(c.Text, "a\n\n[… and 50 more]") {
		t.Errorf("a resource ends in %q", c.Text[len(c.Text)-30:])
	}
	messages := json.RawMessage(`{"messages":[{"content":"a"}` + strings.Repeat(`,{"content":"a"}`, 249) + `]}`)
	if all := readMessages(messages, secret.Hider{}); len(all) != 1 ||
		!strings.HasSuffix(all[0].Text, "a\n\n[… and 50 more]") {
		t.Errorf("a prompt is %+v", all)
	}
}

func FuzzMessages(f *testing.F) {
	f.Add([]byte(`{"messages":[{"role":"user","content":{"type":"text","text":"x"}}]}`))
	f.Add([]byte(`{"contents":[{"uri":"a:b","blob":"eA=="}]}`))
	f.Add([]byte(`[{"type":"image","data":"eA=="},{"type":"audio"},7]`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		readMessages(raw, secret.Hider{})
		readContents(raw)
	})
}
