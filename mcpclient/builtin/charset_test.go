package builtin_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/aloudchat/aloud/mcpclient/builtin"
)

// TestFetchCharsets fetches pages that say "Zoë" in many charsets.
func TestFetchCharsets(t *testing.T) {
	const html, late = "text/html", "<p>a</p>"
	filler := strings.Repeat(late, 300)
	for name, c := range map[string]struct{ kind, body, want string }{
		"JSON":                       {"application/json", `{"name": "Zoë"}`, `{"name": "Zoë"}`},
		"JSON with another charset":  {"application/json; charset=iso-8859-1", `"Zoë"`, `"Zoë"`},
		"JSON in another charset":    {"application/json; charset=iso-8859-1", "\"Zo\xeb\"", `"Zoë"`},
		"invalid JSON":               {"application/json", "\"Zo\xeb\"", "\"Zo\ufffd\""},
		"JSON of an API":             {"application/vnd.github+json", `"Zoë"`, `"Zoë"`},
		"lines of JSON":              {"application/x-ndjson", `"Zoë"`, `"Zoë"`},
		"feed":                       {"application/atom+xml", "<feed>Zoë</feed>", "<feed>Zoë</feed>"},
		"feed with a mark":           {"application/rss+xml", "\xef\xbb\xbf<rss>Zoë</rss>", "<rss>Zoë</rss>"},
		"feed that declares latin1":  {"text/xml", "<?xml version='1.0' encoding='iso-8859-1'?>Zo\xeb", "?>Zoë"},
		"feed that declares wrongly": {"text/xml", "<?xml version='1.0' encoding='iso-8859-1'?>Zoë", "?>Zoë"},
		"Markdown":                   {"text/markdown", filler + "Zoë", "Zoë"},
		"plain text":                 {"text/plain", "Zoë", "Zoë"},
		"plain text by header":       {"text/plain; charset=iso-8859-1", "Zo\xeb", "Zoë"},
		"header that is wrong":       {"text/plain; charset=iso-8859-1", "Zoë", "Zoë"},
		"header and another meta":    {html + "; charset=iso-8859-2", "<meta charset=utf-8>Zo\xeb \xb6", "Zoë ś"},
		"unknown header":             {html + "; charset=nonsense", "<meta charset=iso-8859-2>Zo\xeb \xb6", "Zoë ś"},
		"late meta":                  {html, filler + "<meta charset=utf-8><p>Zoë", "Zoë"},
		"late meta of another":       {html, filler + "<meta charset=iso-8859-2><p>Zo\xeb \xb6", "Zoë ś"},
		"meta with http-equiv": {html,
			`<meta http-equiv=Content-Type content="text/html; charset=shift_jis">` + "\x93\xfa", "日"},
		"meta that says UTF-16":       {html, "<meta charset=utf-16>Zo\xeb", "Zoë"},
		"nothing declared":            {html, "<p>Zoë", "Zoë"},
		"nothing declared, latin1":    {html, "<p>Zo\xeb", "Zoë"},
		"a broken character":          {html, filler + "<p>Zoë \xff Zoë", "Zoë \ufffd Zoë"},
		"UTF-16 with a mark":          {"text/plain", "\xff\xfeZ\x00o\x00\xeb\x00", "Zoë"},
		"UTF-16 by header":            {"text/plain; charset=utf-16be", "\x00Z\x00o\x00\xeb", "Zoë"},
		"seven bits":                  {"text/plain; charset=iso-2022-jp", "\x1b$BF|\x1b(B", "日"},
		"a text of unknown kind":      {"application/octet-stream", "Zoë", "Zoë"},
		"a text that starts as a BMP": {"", "BMI of Zoë", "BMI of Zoë"},
		"a text said to be a PDF":     {"application/pdf", "%PDF- is how Zoë", "%PDF- is how Zoë"},
		"a page of unknown kind":      {"", "<html><p>Zo\xeb", "Zoë"},
	} {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header()["Content-Type"] = nil // the server must not guess
			if c.kind != "" {
				w.Header().Set("Content-Type", c.kind)
			}
			io.WriteString(w, c.body)
		}))
		got, failed := call(t, connect(t, builtin.Fetch(builtin.Options{AllowPrivate: true})), "fetch",
			args{"url": server.URL})
		server.Close()
		if failed || !strings.HasSuffix(got, c.want) {
			t.Errorf("%s: failed is %v, want %q at the end of %.200q", name, failed, c.want, got)
		}
	}
}

// The limit of a page cuts the character in its middle.
func TestFetchCutCharacter(t *testing.T) {
	const limit = 5 << 20
	body := "Zoë " + strings.Repeat("x", limit-len("Zoë ")-1) + "ë"
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/plain; charset=iso-8859-1")
		io.WriteString(w, body)
	}))
	t.Cleanup(server.Close)
	c := connect(t, builtin.Fetch(builtin.Options{AllowPrivate: true}))
	for offset, want := range map[int]string{0: "Zoë xx", limit - 3: "xx\n[The page is longer"} {
		got, failed := call(t, c, "fetch", args{"url": server.URL, "offset": offset})
		if failed || !strings.HasPrefix(got, want) {
			t.Errorf("from %d: failed is %v, want %q at the start of %.100q", offset, failed, want, got)
		}
	}
}
