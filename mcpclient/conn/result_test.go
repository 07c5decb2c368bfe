package conn

import (
	"encoding/json"
	"runtime"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/aloudchat/aloud/internal/secret"
)

func TestReadResult(t *testing.T) {
	picture := strings.Repeat("aGVsbG8h", 10)
	blob := func(kind, data string) string {
		return `{"content":[{"type":"resource","resource":{"uri":"file:///a",` +
			`"mimeType":"` + kind + `","blob":"` + data + `"}}]}`
	}
	for name, test := range map[string]struct {
		raw     string
		want    string
		sources []string
		images  int
		failed  bool
	}{
		"text": {raw: `{"content":[{"type":"text","text":"a"},{"type":"text","text":"b\u001b["}]}`,
			want: "a\nb\x1b["},
		"failure": {raw: `{"content":[{"type":"text","text":"no"}],"isError":true}`, want: "no", failed: true},
		"image": {raw: `{"content":[{"type":"image","mimeType":"image/png","data":"aGVsbG8="}]}`,
			want: "[image: image/png, 5 bytes]", images: 1},
		"broken image": {raw: `{"content":[{"type":"image","mimeType":"image/png","data":"%"}]}`,
			want: "[image: image/png, unreadable]"},
		"audio": {raw: `{"content":[{"type":"audio","mimeType":"audio/wav","data":"` + strings.Repeat("AAAA",
			4000) + `"}]}`, want: "[audio: audio/wav, 12 kB]"},
		"link": {raw: `{"content":[{"type":"resource_link","uri":"file:///a","name":"a","mimeType":"text/plain",` +
			`"description":"the first"}]}`, want: "[link: a, file:///a, text/plain] the first", sources: []string{"file:///a"}},
		"resource": {raw: `{"content":[{"type":"resource","resource":{"uri":"file:///a","text":"inside"}}]}`,
			want: "[resource: file:///a]\ninside", sources: []string{"file:///a"}},
		"blob": {raw: blob("application/pdf", "aGVsbG8="), want: "[resource: file:///a, application/pdf, 5 bytes]",
			sources: []string{"file:///a"}},
		"blob of text": {raw: blob("text/csv", "YSxi"), want: "[resource: file:///a, text/csv]\na,b",
			sources: []string{"file:///a"}},
		"blob of image": {raw: blob("image/png", "aGVsbG8="), want: "[resource: file:///a, image/png, 5 bytes]",
			sources: []string{"file:///a"}, images: 1},
		"structured": {raw: `{"structuredContent":{"n":9007199254740993}}`, want: `{"n":9007199254740993}`},
		"both":       {raw: `{"content":[{"type":"text","text":"n is 1"}],"structuredContent":{"n":1}}`, want: "n is 1"},
		"empty list": {raw: `{"content":[],"structuredContent":{"n":1}}`, want: `{"n":1}`},
		"image and more": {raw: `{"content":[{"type":"image","data":""}],"structuredContent":{"n":1}}`,
			want: "[image: 0 bytes]\n" + `{"n":1}`},
		"image told twice": {raw: `{"content":[{"type":"image","mimeType":"image/png","data":"` + picture +
			`"}],"structuredContent":{"width":3,"data":"` + picture + `"}}`,
			want: "[image: image/png, 60 bytes]\n" + `{"width":3,"data":"(data of the content above)"}`, images: 1},
		"blob told twice": {raw: `{"content":[{"type":"resource","resource":{"blob":"` + picture +
			`"}}],"structuredContent":["` + picture + `"]}`,
			want: "[resource: 60 bytes]\n" + `["(data of the content above)"]`},
		"unknown": {raw: `{"content":[{"type":"hologram","depth":3},{"type":"text","text":"a"}]}`,
			want: `[content of an unknown type: {"type":"hologram","depth":3}]` + "\na"},
		"odd fields": {raw: `{"content":[{"type":"text","text":{"a":1}},{"type":"text","text":"b"}]}`,
			want: `[content of an unknown type: {"type":"text","text":{"a":1}}]` + "\nb"},
		"no list":    {raw: `{"content":"just so"}`, want: "just so"},
		"an object":  {raw: `{"content":{"type":"text","text":"alone"}}`, want: "alone"},
		"strings":    {raw: `{"content":["a","b"]}`, want: "a\nb"},
		"nothing":    {raw: `{}`, want: nothing},
		"empty text": {raw: `{"content":[{"type":"text","text":""}]}`, want: nothing},
		"null":       {raw: `null`, want: nothing},
		"no object":  {raw: `[1]`, want: `[a result of an unknown kind: [1]]`},
		"of old":     {raw: `{"toolResult":42}`, want: `[a result of an unknown kind: {"toolResult":42}]`},
	} {
		r, err := readResult(json.RawMessage(test.raw), nil, secret.Hider{})
		if err != nil || r.Text != test.want || r.Failed != test.failed || len(r.Images) != test.images ||
			!slices.Equal(r.Sources, test.sources) {
			t.Errorf("%s: got %+v, %v, want %q", name, r, err, test.want)
		}
	}
}

func TestMillionsOfParts(t *testing.T) {
	for name, element := range map[string]string{"objects": "{}", "numbers": "0", "texts": `{"type":"text","text":"a"}`} {
		raw := json.RawMessage(`{"content":[` + strings.Repeat(element+",", 999_999) + element + `]}`)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		r, err := readResult(raw, nil, secret.Hider{})
		runtime.ReadMemStats(&after)
		if err != nil || !strings.HasSuffix(r.Text, "\n[… and 995000 more]") || len(r.Text) > 1<<20 {
			t.Errorf("%s: %d bytes that end in %q, %v", name, len(r.Text), r.Text[max(0, len(r.Text)-30):], err)
		}
		if cost := after.TotalAlloc - before.TotalAlloc; cost > uint64(len(raw)+20<<20) {
			t.Errorf("%s: reading %d bytes takes %d", name, len(raw), cost)
		}
	}
	long := json.RawMessage(`{"content":[{"type":"hologram","data":"` + strings.Repeat("x", 1<<20) + `"}]}`)
	if r, err := readResult(long, nil, secret.Hider{}); err != nil || len(r.Text) > 5000 ||
		!strings.HasSuffix(r.Text, "…]") {
		t.Errorf("%d bytes are told of what nobody can read, %v", len(r.Text), err)
	}
}

// elements must agree with encoding/json.
func FuzzElements(f *testing.F) {
	for _, seed := range []string{`[]`, ` [ 1 , "a,]\"\\" , {"b":[1,2]} , [ ] ] `, `{}`, `["\\",null]`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		var want []json.RawMessage
		if !json.Valid(raw) {
			return
		}
		wantList := json.Unmarshal(raw, &want) == nil && want != nil
		got, more, isList := elements(raw, 3)
		if isList != wantList || len(got)+more != len(want) {
			t.Fatalf("%q: %q and %d more, not %q", raw, got, more, want)
		}
		for i := range got {
			if string(got[i]) != string(want[i]) {
				t.Errorf("%q: %q is not %q", raw, got[i], want[i])
			}
		}
	})
}

func FuzzResult(f *testing.F) {
	for _, seed := range []string{`{"content":[{"type":"text","text":"a"}]}`,
		`{"content":[{"type":"resource","resource":{"blob":"aa"}}]}`, `{"content":[1,null,"x"]}`,
		`{"structuredContent":"\ud800"}`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		r, err := readResult(raw, nil, secret.Hider{})
		if err == nil && (r.Text == "" || !utf8.ValidString(r.Text)) {
			t.Errorf("text %q", r.Text)
		}
	})
}
