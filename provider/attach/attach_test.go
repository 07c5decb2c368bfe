package attach

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/aloudchat/aloud/mcpclient"
	"github.com/aloudchat/aloud/provider"
	"github.com/aloudchat/aloud/provider/providertest"
)

// source has the servers "files" and "paths", with resources and prompts, and "empty", without.
type source struct {
	contents map[string]mcpclient.Contents
	prompts  []mcpclient.Prompt
	messages []mcpclient.PromptMessage
}

func newSource() *source {
	return &source{
		contents: map[string]mcpclient.Contents{
			"file:///notes.txt": {Text: "buy ``` milk\n", MIME: "text/plain"},
			"file:///big.txt":   {Text: strings.Repeat("line of text\n", 100_000)},
			"file:///cat.png":   {Images: [][]byte{[]byte("cat")}},
			"file:///a.zip":     {Other: []string{"application/zip, 3 bytes"}},
			"file:///mixed":     {Text: "words", Images: [][]byte{[]byte("dog")}},
			"day://1":           {Text: "monday"},
			"path:///src/x.go":  {Text: "package x"},
		},
		prompts: []mcpclient.Prompt{
			{Server: "files", Name: "sum"},
			{Server: "files", Name: "sum up", Arguments: []mcpclient.PromptArgument{{Name: "what", Required: true}}},
			{Server: "files", Name: "trip", Arguments: []mcpclient.PromptArgument{
				{Name: "from", Required: true}, {Name: "to", Required: true}, {Name: "by"}}},
		},
		messages: []mcpclient.PromptMessage{{Role: "user", Text: "Hello"}, {Role: "assistant", Text: "Hi"},
			{Role: "user", Text: "Go", Images: [][]byte{[]byte("img")}}},
	}
}

func (s *source) Offering(_ context.Context, server string) error {
	switch server {
	case "files", "empty", "paths":
		return nil
	case "broken":
		return errors.New(`server "broken" failed`)
	}
	return fmt.Errorf("%w %q", mcpclient.ErrNoServer, server)
}

func (s *source) Servers() []string { return []string{"files", "broken", "empty", "paths"} }

func (s *source) Prompts() []mcpclient.Prompt { return s.prompts }

func (s *source) Prompt(context.Context, string, string, map[string]string) ([]mcpclient.PromptMessage, error) {
	return s.messages, nil
}

func (s *source) Resources() []mcpclient.Resource {
	return []mcpclient.Resource{
		{Server: "files", URI: "file:///notes.txt", Name: "notes.txt"}, {Server: "files", URI: "file:///big.txt"},
		{Server: "files", URI: "file:///cat.png"}, {Server: "files", URI: "file:///a.zip"},
		{Server: "files", URI: "file:///mixed"}, {Server: "files", URI: "day://{n}", Template: true},
		{Server: "paths", URI: "path:///{+path}", Template: true},
		{Server: "paths", URI: "path:///deep/far.md", Name: "deep/far.md"},
	}
}

func (s *source) Read(_ context.Context, _, uri string) (mcpclient.Contents, error) {
	c, ok := s.contents[uri]
	if !ok {
		return c, errors.New("no such file")
	}
	return c, nil
}

func reader(room int, sees bool) (Reader, *source) {
	s := newSource()
	limits := provider.AttachLimits{Model: "test:8b", Room: room, Vision: sees}
	return Reader{Source: s, AttachLimits: func(context.Context) provider.AttachLimits { return limits }}, s
}

func TestMentionedResourcesAreAttached(t *testing.T) {
	d, _ := reader(10_000, true)
	for text, want := range map[string]string{
		"what is in @files:file:///notes.txt?":                        "@files:file:///notes.txt",
		"(@files:notes.txt) and @files:day://1, @files:notes.txt":     "@files:file:///notes.txt @files:day://1",
		"mail a@files:notes.txt or @nobody:x or @files: or @files :x": "",
		"@files:file:///cat.png":                                      "@files:file:///cat.png",
	} {
		m, notes, err := d.Question(t.Context(), Typed(text))
		var names []string
		for _, a := range m.Attached {
			names = append(names, a.Name())
		}
		if got := strings.Join(names, " "); err != nil || got != want || m.Text != text || len(notes) != 0 {
			t.Errorf("%s: %q, %q, %v", text, got, notes, err)
		}
	}
	m, _, err := d.Question(t.Context(), Typed("see @files:file:///cat.png"))
	if err != nil || len(m.Images) != 1 || m.Attached[0].Images != 1 {
		t.Errorf("%+v, %v", m, err)
	}
	for text, want := range map[string]int{
		"look\n\n<read @files:notes.txt>\n":                            0,
		"<@files:notes.txt\n>":                                         0,
		"see @files:notes.txt, as in <see @files:notes.txt>":           1,
		"<it says @files:day://1 >and @files:notes.txt> <@files:>x":    1,
		"<cat> @files:notes.txt @files:<notes.txt> a<b>@files:day://1": 2,
	} {
		in := foreign(text)
		m, _, err := d.Question(t.Context(), in.Trim())
		if err != nil || len(m.Attached) != want || m.Text != strings.TrimSpace(in.Text) {
			t.Errorf("%q: %+v, %v", text, m, err)
		}
	}
}

// foreign returns an input whose parts between < and > are foreign.
func foreign(marked string) Input {
	var in Input
	for i, part := range strings.FieldsFunc("."+marked, func(r rune) bool { return r == '<' || r == '>' }) {
		part = strings.TrimPrefix(part, map[bool]string{true: "."}[i == 0])
		if i%2 == 1 {
			in.Foreign = append(in.Foreign, Span{From: len(in.Text), Until: len(in.Text) + len(part)})
		}
		in.Text += part
	}
	return in
}

func TestImageInLineOfPrompt(t *testing.T) {
	r, _ := reader(10_000, true)
	for text, want := range map[string]string{
		"/files:sum <[image 1: a]>":            "an image is no argument of /files:sum. Move it to a line below",
		"/files:sum\n<[image 1: a]>":           "",
		"/files:sum\n<[image 1: a]> <a paste>": "",
	} {
		in := foreign(text)
		in.Images = []Image{{Mark: "[image 1: a]", Data: []byte("a")}}
		call, err := r.Find(t.Context(), in)
		if got := fmt.Sprint(err); want != "" && got != want || want == "" && (err != nil || len(call.Rest.Images) != 1) {
			t.Errorf("%q: got %+v, %v", text, call, err)
		}
	}
}

func TestForeignPartsStayForeign(t *testing.T) {
	show := func(in Input) string {
		text := in.Text
		for _, f := range slices.Backward(in.Foreign) {
			text = text[:f.From] + "<" + text[f.From:f.Until] + ">" + text[f.Until:]
		}
		return text
	}
	joined := Join(foreign(" a <b> c\n"), Typed(" "), foreign("<d\n>"), foreign("e"), foreign("<f>g<h>"))
	if got := show(joined); got != "a <b> c\n\n<d>\n\ne\n\n<f>g<h>" {
		t.Errorf("%q", got)
	}
	if got := show(foreign("a<bcd>e<f>").Part(2, 5)); got != "<cd>e" {
		t.Errorf("%q", got)
	}
	if got := show(foreign("< \n>").Trim()); got != "" {
		t.Errorf("%q", got)
	}
	for text, want := range map[string]string{
		"/files:sum up it": "/files:sum", "/etc/hosts: what is it": "", "/help": "", "/:x": "", "</files:sum>": "",
		"see (@files:a) and @files:b, @files:c.": "@files:a + 2", "is it @files:a?": "@files:a", "mail a@b.c": "",
		"/files:\x1b[2J": "/files:[2J",
	} {
		if got := foreign(text).Wants(); got != want {
			t.Errorf("%q wants %q, not %q", text, got, want)
		}
	}
	for text, begins := range map[string]bool{"/all:x <y>": true, "</all:x>": false, "/<all>:x": true, "<x>/": false} {
		if foreign(text).Begins("/") != begins {
			t.Errorf("%q", text)
		}
	}
}

func TestNotesForMentionsNotAttached(t *testing.T) {
	d, _ := reader(10_000, false)
	for text, want := range map[string]string{
		"@empty:x":            "[@empty:x is not attached: the server has no resources]",
		"see @file:notes.txt": "[@file:notes.txt is not attached: no such server. Did you mean @files:notes.txt?]",
		"@media:print a@b:c":  "[]",
		"@paths:src/x.go.":    "[]",
	} {
		m, notes, err := d.Question(t.Context(), Typed(text))
		if got := fmt.Sprint(notes); err != nil || got != want || len(m.Attached) > 0 != strings.Contains(text, "src/x.go") {
			t.Errorf("%s: %s, %+v, %v", text, got, m.Attached, err)
		}
	}
}

func TestErrorsOfMentions(t *testing.T) {
	d, _ := reader(10_000, false)
	for text, want := range map[string]string{
		"@files:note.txt":     `server "files" has no resource "note.txt". Type @files: to list its resources`,
		"@paths:none.go":      "@paths:none.go: no such file",
		"@paths:far.md":       "@paths:far.md: no such file",
		"@files:file:///gone": "@files:file:///gone: no such file",
		"@files:file:///cat.png": "@files:file:///cat.png: 1 image (test:8b has no vision). " +
			"Choose a model with vision",
		"@files:file:///a.zip": "@files:file:///a.zip: unsupported data (application/zip, 3 bytes)",
		"@broken:x":            `@broken:x: server "broken" failed`,
	} {
		_, _, err := d.Question(t.Context(), Typed(text))
		if err == nil || strings.TrimPrefix(err.Error(), "cannot attach ") != want {
			t.Errorf("%s: %v", text, err)
		}
	}
	m, notes, err := d.Question(t.Context(), Typed("@files:file:///mixed"))
	want := "[Left out of @files:file:///mixed: 1 image (test:8b has no vision)]"
	if err != nil || len(m.Images) != 0 || m.Attached[0].Text != "words" || fmt.Sprint(notes) != want {
		t.Errorf("%+v, %q, %v", m, notes, err)
	}
}

func TestLargeTextsAreTruncated(t *testing.T) {
	d, _ := reader(3000, true)
	m, notes, err := d.Question(t.Context(), Typed("@files:file:///big.txt and @files:notes.txt"))
	const want = "@files:file:///big.txt has about 371k tokens, but only"
	if err != nil || len(notes) != 1 || !strings.HasPrefix(notes[0], want) {
		t.Fatalf("%q, %v", notes, err)
	}
	if got := m.Tokens(); got > 3000 || got < 2500 || !m.Attached[0].Cut || m.Attached[1].Cut {
		t.Errorf("%d tokens", got)
	}
	d, _ = reader(10, true)
	_, _, err = d.Question(t.Context(), Typed("@files:file:///big.txt"))
	if err == nil || !strings.Contains(err.Error(), "only about 10 fit") {
		t.Error(err)
	}
}

func TestPromptCalls(t *testing.T) {
	d, s := reader(10_000, true)
	for text, want := range map[string]string{
		"/files:sum":                                  "/files:sum map[] ",
		"/files:sum up all of it":                     "/files:sum up map[what:all of it] ",
		"/files:sum up what='a b'":                    "/files:sum up map[what:a b] ",
		"/files:trip from=\"Bad Ems\" to=Bern\nnow, ": "/files:trip map[from:Bad Ems to:Bern] now,",
	} {
		call, err := d.Find(t.Context(), Typed(text))
		if call == nil || err != nil {
			t.Errorf("%s: %v, %v", text, call, err)
			continue
		}
		if got := fmt.Sprint(call.Name(), " ", call.Arguments, " ", call.Rest.Text); got != want {
			t.Errorf("%s: %q", text, got)
		}
	}
	for text, want := range map[string]string{
		"/files:trip over=there": `prompt /files:trip has no argument "over". Usage: /files:trip from=… to=… by=…`,
		"/files:sum=1":           `server "files" has no prompt "sum=1". Its prompts: sum, sum up, trip`,
		"/files:sum x":           `prompt /files:sum takes no arguments, but got "x"`,
	} {
		if _, err := d.Find(t.Context(), Typed(text)); err == nil || err.Error() != want {
			t.Errorf("%s: %v", text, err)
		}
	}
	if call, err := d.Find(t.Context(), foreign("</files:sum>")); call != nil || err != nil {
		t.Errorf("a pasted line calls a prompt: %v %v", call, err)
	}
	for _, text := range []string{"/etc/hosts: what is it", "/help", "what /files:sum", "/nobody:sum", "/files: sum"} {
		if call, err := d.Find(t.Context(), Typed(text)); call != nil || err != nil {
			t.Errorf("%s: %v", text, err)
		}
	}
	_, _, err := d.Fill(t.Context(), Call{Prompt: s.prompts[2], Arguments: map[string]string{"from": "x"}})
	if err == nil || err.Error() != `prompt /files:trip requires "to". Write /files:trip to=…` {
		t.Error(err)
	}
}

func TestPromptBecomesMessages(t *testing.T) {
	d, s := reader(10_000, false)
	messages, notes, err := d.Fill(t.Context(), Call{Prompt: s.prompts[0], Rest: Typed("and more")})
	want := "[Left out of the prompt: 1 image (test:8b has no vision)]"
	if err != nil || len(messages) != 4 || fmt.Sprint(notes) != want {
		t.Fatalf("%+v %q %v", messages, notes, err)
	}
	for i, want := range []string{
		"user Hello /files:sum", "assistant Hi /files:sum", "user Go /files:sum", "user and more ",
	} {
		if got := fmt.Sprint(messages[i].Role, " ", messages[i].Text, " ", messages[i].From); got != want {
			t.Errorf("%d: %q", i, got)
		}
	}
	s.messages = []mcpclient.PromptMessage{{Role: "user", Text: "Listen", Other: []string{"audio/ogg, 16 bytes"}}}
	want = "[Left out of the prompt: unsupported data (audio/ogg, 16 bytes)]"
	if _, notes, err := d.Fill(t.Context(), Call{Prompt: s.prompts[0]}); err != nil || fmt.Sprint(notes) != want {
		t.Errorf("%q, %v", notes, err)
	}
	s.messages = []mcpclient.PromptMessage{{Role: "user", Text: strings.Repeat("long ", 1_000_000)}}
	_, _, err = d.Fill(t.Context(), Call{Prompt: s.prompts[0]})
	if err == nil || !strings.Contains(err.Error(), "has about 1.4M tokens, but only about 10k fit") {
		t.Error(err)
	}
}

func FuzzMentions(f *testing.F) {
	f.Add("@a:b @c:d, e@f:g (@h:i)")
	f.Add("/files:sum up what='a b' from=\"x")
	f.Add("(@todo.md:1-2) @\"my notes.md\":3. @\"")
	d, s := reader(10_000, true)
	d.Files = withFiles(0).Files
	unquoted := strings.NewReplacer(`"`, "")
	f.Fuzz(func(t *testing.T, text string) {
		for _, m := range Typed(text).Mentions() {
			word := strings.TrimPrefix(m.Server+":"+m.Resource, ":")
			if !strings.Contains(unquoted.Replace(text), "@"+unquoted.Replace(word)) {
				t.Errorf("%+v is not in %q", m, text)
			}
		}
		call, ok, err := Parse(Typed(text), s.prompts)
		if ok && err == nil && len(call.Arguments) > len(call.Prompt.Arguments) {
			t.Errorf("%q: %+v", text, call)
		}
		_, _, _ = d.Question(t.Context(), Typed(text))
	})
}

func TestImagesOfInput(t *testing.T) {
	in := foreign("<[image 1: a.png 3 bytes]> and @files:file:///cat.png")
	in.Images = []Image{{Mark: "[image 1: a.png 3 bytes]", Data: []byte("own")}}
	sees, _ := reader(10_000, true)
	m, notes, err := sees.Question(t.Context(), Join(in, Typed("and that")))
	if err != nil || len(notes) > 0 || fmt.Sprintf("%s", m.Images) != "[own cat]" || m.Attached[0].Images != 1 {
		t.Errorf("%+v, %q, %v", m, notes, err)
	}
	blind, _ := reader(10_000, false)
	for other, models := range map[string]provider.Model{
		"a model with vision": nil,
		"eye:4b, which can": &providertest.Script{Models: []provider.Info{{Name: "no:1b"},
			{Name: "cloud", Vision: true, Remote: true}, {Name: "eye:4b", Vision: true}}},
	} {
		blind.Model = models
		_, _, err := blind.Question(t.Context(), in.Trim())
		if err == nil || err.Error() != "the model test:8b cannot see images. Choose "+other {
			t.Errorf("got %v", err)
		}
	}
}

func TestImageFiles(t *testing.T) {
	for name, c := range map[string]struct{ data, want string }{
		"a.png": {"text", `cannot attach "a.png": it is not a PNG, JPEG, GIF or WebP image of up to 10 MB`},
		"b\x1b.gif": {"GIF89a\x02\x00\x02\x00\x00\x00\x00,\x00\x00\x00\x00\x02\x00\x02\x00\x00\x02\x02\x84Q\x00;",
			"b.gif 29 bytes"},
		"big.gif":  {"GIF89a\xff\xff\xff\xff\x00\x00\x00", "20 megapixels"},
		"long.gif": {"GIF89a\x02\x00\x02\x00\x00\x00\x00" + strings.Repeat("x", 10_000_000), "10 MB"},
	} {
		if runtime.GOOS == "windows" {
			name = strings.ReplaceAll(name, "\x1b", "") // not possible in names there
		}
		file := filepath.Join(t.TempDir(), name)
		if err := os.WriteFile(file, []byte(c.data), 0o600); err != nil {
			t.Fatal(err)
		}
		images, err := ReadImages([]string{file})
		got := fmt.Sprint(err)
		if len(images) > 0 {
			got = images[0].About
		}
		if !strings.Contains(got, c.want) {
			t.Errorf("%q: got %s", name, got)
		}
	}
}
