package attach

import (
	"context"
	"errors"
	"fmt"
	"image"
	"image/png"
	"iter"
	"path"
	"slices"
	"strings"
	"testing"
)

// shelf has files by name. Those in other folders, and those named .env, must be asked about.
type shelf map[string]string

func (s shelf) Names(context.Context, bool) iter.Seq[string] {
	return slices.Values([]string{"todo.md"})
}

func (s shelf) Has(string) bool { return false }

func (s shelf) Locate(name string) (real, why string, ok bool) {
	clean := path.Clean(name)
	_, ok = s[clean]
	switch {
	case !ok:
		return "", "", false
	case path.IsAbs(clean):
		return clean, "is outside the current folder", true
	case clean == ".env":
		why = "usually holds secrets"
	}
	return "/here/" + clean, why, true
}

func (s shelf) Read(_ context.Context, real string, from, until int) (string, []byte, error) {
	text := s[strings.TrimPrefix(real, "/here/")]
	switch {
	case text == "":
		return "", nil, errors.New("not text")
	case strings.HasPrefix(text, "\x89PNG"), text == "bmp":
		return "", []byte(text), nil
	}
	lines := strings.SplitAfter(text, "\n")
	if until == 0 {
		until = len(lines)
	}
	if from > len(lines) {
		return "", nil, fmt.Errorf("no line %d", from)
	}
	return strings.Join(lines[max(from-1, 0):min(until, len(lines))], ""), nil, nil
}

func withFiles(room int) Reader {
	r, _ := reader(room, false)
	r.Files = shelf{"todo.md": "buy milk\n", "src/main.go": "1\n2\n3\n4\n5\n", "docs": "a.md\n", "my notes.md": "note\n",
		"odd:3": "odd\n", "zip": "", ".env": "KEY=1", "/etc/hosts": "hosts\n", "cat.png": painted(), "x.bmp": "bmp",
		"big.log": strings.Repeat("line\n", 100_000)}
	return r
}

func TestMentionedFilesAreAttached(t *testing.T) {
	for text, want := range map[string]string{
		"sum up @todo.md":                         "@todo.md=buy milk\n",
		"(@todo.md), @todo.md: and \"@todo.md\"!": "@todo.md=buy milk\n",
		"@src/main.go:2-3, @src/main.go:5.":       "@src/main.go:2-3=2\n3\n @src/main.go:5=5\n",
		"@todo.md:0 and @todo.md:x":               "",
		"@docs/ or @docs":                         "@docs/=a.md\n @docs=a.md\n",
		"@\"my notes.md\", @\"my notes.md\":1-9.": "@my notes.md=note\n @my notes.md:1-9=note\n",
		"@odd:3":                        "@odd:3=odd\n",
		"@files:notes.txt and @todo.md": "@files:file:///notes.txt=buy ``` milk\n @todo.md=buy milk\n",
		"@alice: mail a@todo.md or @ todo.md, @...":   "",
		"@todo @todo.md/ @todo.md:x @missing.md:1-2 ": "@todo.md/=buy milk\n",
		"@\"my notes.md @\"\" @\"\ntodo.md\"":         "",
	} {
		m, notes, err := withFiles(10_000).Question(t.Context(), Typed(text))
		var got []string
		for _, a := range m.Attached {
			got = append(got, a.Name()+"="+a.Text)
		}
		if got := strings.Join(got, " "); err != nil || got != want || m.Text != text || len(notes) > 0 {
			t.Errorf("%s: got %q, %q, %v, want %q", text, got, notes, err, want)
		}
	}
	m, _, err := withFiles(10_000).Question(t.Context(), foreign("see <@todo.md and> @<todo.md>").Trim())
	if err != nil || len(m.Attached) > 0 {
		t.Errorf("a paste attached %+v, %v", m.Attached, err)
	}
}

func TestFilesThatAreNotAttached(t *testing.T) {
	for text, want := range map[string]string{
		"@todo.md:9-3":       "cannot attach @todo.md:9-3: no line 9",
		"@zip":               "cannot attach @zip: not text",
		"is @cat.png cute?":  "cannot attach @cat.png: the model test:8b cannot see images. Choose a model with vision",
		"@x.bmp":             "cannot attach @x.bmp: it is not a PNG, JPEG, GIF or WebP image",
		"@big.log":           "about 143k tokens, but only about 1k fit. Attach some lines, as in @big.log:1-100, or",
		"@big.log:1-9999":    "about 14.3k tokens, but only about 1k fit. Attach some lines, as in @big.log:1-100, or",
		"@.env":              `"/here/.env" usually holds secrets, and you cannot be asked here`,
		"@todo.md @.env":     `"/here/.env" usually holds secrets`,
		"see /etc/hosts":     "",
		"see @/etc/hosts:1.": `"/etc/hosts" is outside the current folder`,
	} {
		_, _, err := withFiles(1000).Question(t.Context(), Typed(text))
		if (err != nil) != (want != "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %s", text, err, want)
		}
	}
}

// painted returns an image.
func painted() string {
	var b strings.Builder
	_ = png.Encode(&b, image.NewGray(image.Rect(0, 0, 2, 2))) // a Builder takes all
	return b.String()
}

func TestMentionedImageIsAttached(t *testing.T) {
	r := withFiles(3000)
	seeing, _ := reader(3000, true)
	r.AttachLimits = seeing.AttachLimits
	m, notes, err := r.Question(t.Context(), Typed("is @cat.png like @todo.md?"))
	if err != nil || len(notes) > 0 || len(m.Images) != 1 || string(m.Images[0]) != painted() || len(m.Attached) != 2 ||
		m.Attached[0].Name() != "@cat.png" || m.Attached[0].Images != 1 {
		t.Errorf("got %+v, %q, %v", m, notes, err)
	}
}

func TestAllowedFileHasItsFullPath(t *testing.T) {
	r := withFiles(1000)
	r.Allowed = []string{"/etc/hosts", "/here/.env"}
	m, _, err := r.Question(t.Context(), Typed("@.env and @/etc/hosts:1-2."))
	if got := fmt.Sprintf("%+v", m.Attached); err != nil || !strings.Contains(got, "URI:/here/.env ") ||
		!strings.Contains(got, "URI:/etc/hosts:1-2 ") {
		t.Errorf("got %s, %v", got, err)
	}
}

func TestMeasureReadsOnlyFilesAndAsksNothing(t *testing.T) {
	for text, want := range map[string]string{
		"@todo.md, @todo.md. @.env @files:notes.txt @x": "@todo.md 31, @/here/.env 6, <nil>",
		"@x @files:notes.txt":                           "<nil>",
		"@zip":                                          "cannot attach @zip: not text",
		"@todo.md @big.log:1-9000": "@todo.md 31, @big.log:1-9000 12887, the attachments have about 12.9k tokens, " +
			"but only about 1k fit. Attach some lines, as in @big.log:1-100, or enlarge the context window",
	} {
		m, err := withFiles(1000).Measure(t.Context(), Typed(text).Mentions())
		got := ""
		for _, a := range m.Attached {
			got += fmt.Sprintf("%s %d, ", a.Name(), a.Tokens())
		}
		if got += fmt.Sprint(err); got != want {
			t.Errorf("%s: got %s, want %s", text, got, want)
		}
	}
}
