package provider

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestTrimKeepsShortText(t *testing.T) {
	for _, text := range []string{"", "short", `[1, 2,  3]`, "é", strings.Repeat("x", 600)} {
		if kept, cut := Trim(text, 600); kept != text || cut {
			t.Errorf("Trim(%q) = %q, %v", text, kept, cut)
		}
	}
	if kept, cut := Trim("a\xffb", 600); kept != "a\uFFFDb" || cut {
		t.Errorf("invalid UTF-8 became %q, %v", kept, cut)
	}
}

func TestTrimKeepsHeadAndTail(t *testing.T) {
	var b strings.Builder
	for i := range 1000 {
		fmt.Fprintf(&b, "line %d\n", i)
	}
	kept, cut := Trim(b.String(), 1000)
	if !cut || len(kept) > 1000 {
		t.Errorf("cut %v, %d bytes", cut, len(kept))
	}
	lines := strings.Split(kept, "\n")
	for i, line := range lines {
		if !strings.HasPrefix(line, "line ") && !strings.Contains(line, " of 8890 bytes left out here") && i != len(lines)-1 {
			t.Errorf("line %d is %q: not cut between lines", i, line)
		}
	}
	if lines[0] != "line 0" || lines[len(lines)-2] != "line 999" {
		t.Errorf("kept %q", kept)
	}
}

func TestTrimCutsBetweenElements(t *testing.T) {
	text := "[" + strings.Repeat(`{"id":12345678},`, 499) + `{"id":"last"}]`
	kept, cut := Trim(text, 700)
	head, tail, _ := strings.Cut(kept, "\n[… ")
	if !cut || len(kept) > 700 || !strings.HasSuffix(head, `{"id":12345678},`) ||
		!strings.HasSuffix(tail, "…]\n"+tail[strings.Index(tail, "{"):]) ||
		!strings.HasSuffix(tail, `{"id":"last"}]`) {
		t.Errorf("%d bytes: %s", len(kept), kept)
	}
}

func FuzzTrim(f *testing.F) {
	f.Add("plain text\nwith lines\n", 10)
	f.Add(`{"a":[1,2,3,{"b":"c\u00e9\ud83d\ude00"}],"long":"`+strings.Repeat("é", 200)+`"}`, 90)
	f.Add(strings.Repeat(`{"n":1.5e3}`+"\n", 50), 130)
	f.Add("["+strings.Repeat(`"\\\"",`, 90)+"null]", 64)
	f.Add(strings.Repeat(`{"a":`, 80)+"["+strings.Repeat("1,", 300)+"1]"+strings.Repeat("}", 80), 600)
	f.Add(`["`+strings.Repeat("\xff", 500)+`"]`, 100)
	f.Fuzz(func(t *testing.T, text string, limit int) {
		limit %= 2000
		kept, cut := Trim(text, limit)
		switch {
		case !utf8.ValidString(kept):
			t.Fatalf("not UTF-8: %q", kept)
		case len(kept) > max(limit, MinResult):
			t.Fatalf("%d bytes kept of %d with the limit %d: %q", len(kept), len(text), limit, kept)
		case !cut && kept != strings.ToValidUTF8(text, "\uFFFD"):
			t.Fatalf("%q became %q without a cut", text, kept)
		}
		if _, again := Trim(kept, limit); again {
			t.Fatalf("%q is cut a second time", kept)
		}
	})
}
