package conn

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/aloudchat/aloud/internal/secret"
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

// TestBase64OfAnyForm reads the same data from an image of a result, an image of a prompt and a blob.
func TestBase64OfAnyForm(t *testing.T) {
	want := []byte("\xfb\xff\xfe<?>")
	for _, data := range []string{
		"+//+PD8+", "-__-PD8-", `+//+\r\nPD8+\n`, ` +//+\tPD8+ `, "data:image/png;base64,+//+PD8+",
		"data:image/png;name=a.png;base64,-__-PD8-", `\n DATA:;BASE64,+//+PD8+`,
	} {
		part := `{"type":"image","mimeType":"image/png","data":"` + data + `"}`
		r, err := readResult(json.RawMessage(`{"content":[`+part+`],"structuredContent":["`+data+`"]}`), nil, secret.Hider{})
		wantText := "[image: image/png, 6 bytes]\n" + `["(data of the content above)"]`
		if err != nil || len(r.Images) != 1 || !bytes.Equal(r.Images[0], want) || r.Text != wantText {
			t.Errorf("%s: the result is %+v, %v", data, r, err)
		}
		prompt := readMessages(json.RawMessage(`{"messages":[{"content":`+part+`}]}`), secret.Hider{})
		if len(prompt) != 1 || len(prompt[0].Images) != 1 || !bytes.Equal(prompt[0].Images[0], want) {
			t.Errorf("%s: the prompt is %+v", data, prompt)
		}
		c := readContents(json.RawMessage(`{"contents":[{"mimeType":"image/png","blob":"` + data + `"}]}`))
		if len(c.Images) != 1 || !bytes.Equal(c.Images[0], want) {
			t.Errorf("%s: the resource is %+v", data, c)
		}
	}
	for data, wantText := range map[string]string{
		"YQ": "a", "YQ==": "a", "YWI=": "ab", "data:text/plain,a": "", "YQ==YQ==": "", "%": "", "Y": "",
	} {
		c := readContents(json.RawMessage(`{"contents":[{"mimeType":"text/plain","blob":"` + data + `"}]}`))
		if c.Text != wantText || (wantText == "") != (fmt.Sprint(c.Other) == "[text/plain, unreadable]") {
			t.Errorf("%s: %+v", data, c)
		}
	}
	unnamed := readContents(json.RawMessage(`{"contents":[{"blob":"data:image/png;base64,+//+PD8+"}]}`))
	if len(unnamed.Images) != 1 || unnamed.MIME != "image/png" {
		t.Errorf("without a MIME type: %+v", unnamed)
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
