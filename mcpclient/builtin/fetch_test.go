package builtin_test

import (
	"compress/gzip"
	"compress/zlib"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"

	"github.com/andybalholm/brotli"

	"github.com/aloudchat/aloud/mcpclient/builtin"
)

const article = `<!doctype html><html><head><title> The
 Title </title><style>p{}</style><script>alert(1)</script></head>
<body><nav><a href="/menu">Menu</a></nav><main><h1>Heading</h1><p>First <b>bold</b> &amp; <a href="/next">next</a>.</p>
<ul><li>one</li><li>two</li></ul><table><tr><th>A</th></tr><tr><td>1</td></tr></table><pre><code>x := 1
</code></pre><details><summary>Why?</summary>Because.</details>
<img src="data:image/png;base64,AAAA"></main><footer>Imprint</footer></body></html>`

// reloads are refreshes without an address: the page reloads itself.
var reloads = []string{"60", "30", "12", "5", "5; url=", "5 ; ", "5,", "5;url=''", "5x"}

// web serves pages of all kinds on one host.
func web(t testing.TB) (host string) {
	t.Helper()
	other := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprint(w, "secret of the other")
	}))
	t.Cleanup(other.Close)
	mux := http.NewServeMux()
	page := func(path, kind, body string) {
		mux.HandleFunc(path, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", kind)
			io.WriteString(w, body)
		})
	}
	page("/article", "text/html; charset=utf-8", article)
	page("/data", "application/json", `{"a": 1}`)
	page("/latin1", "text/plain; charset=iso-8859-1", "na\xefve")
	page("/japanese", "text/html", "<html><head><meta charset=shift_jis></head><body>\x93\xfa\x96\x7b</body></html>")
	page("/picture", "image/png", "\x89PNG")
	page("/capitals", "Text/HTML", article)
	page("/feed", "application/atom+xml", "<feed/>")
	page("/document", "application/vnd.openxmlformats-officedocument.wordprocessingml.document", "PK\x03\x04\x00")
	page("/empty", "text/plain", "")
	page("/long", "text/plain", strings.Repeat("0123456789", 10_000))
	page("/huge", "text/plain", strings.Repeat("x", 6<<20))
	mux.HandleFunc("/untyped", func(w http.ResponseWriter, _ *http.Request) {
		w.Header()["Content-Type"] = nil // Go would send a guess
		io.WriteString(w, "BMI calculator")
	})
	mux.HandleFunc("/missing", func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "gone fishing", 404) })
	mux.Handle("/moved", http.RedirectHandler("/data", http.StatusFound))
	mux.Handle("/loop", http.RedirectHandler("/loop", http.StatusFound))
	mux.Handle("/away", http.RedirectHandler(other.URL+"/x?y=1", http.StatusFound))
	mux.Handle("/file", http.RedirectHandler("file:///etc/passwd", http.StatusFound))
	mux.HandleFunc("/bomb", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/plain")
		w.Header().Set("Content-Encoding", "gzip")
		z := gzip.NewWriter(w)
		_, _ = io.CopyN(z, zeros{}, 12<<20) // fetch stops reading before the end
		z.Close()
	})
	// Compressed in ways that the client does not undo by itself.
	squeezed := func(path, encoding string, squeeze func(io.Writer) io.WriteCloser) {
		mux.HandleFunc(path, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/plain")
			if encoding != "" {
				w.Header().Set("Content-Encoding", encoding)
			}
			z := squeeze(w)
			_, _ = io.WriteString(z, "squeezed")
			if path == "/brotlibomb" {
				_, _ = io.CopyN(z, zeros{}, 12<<20)
			}
			z.Close()
		})
	}
	squeezed("/brotli", "br", func(w io.Writer) io.WriteCloser { return brotli.NewWriter(w) })
	squeezed("/brotlibomb", "BR", func(w io.Writer) io.WriteCloser { return brotli.NewWriter(w) })
	squeezed("/gzip", "", func(w io.Writer) io.WriteCloser { return gzip.NewWriter(w) })
	squeezed("/deflate", "deflate", func(w io.Writer) io.WriteCloser { return zlib.NewWriter(w) })
	squeezed("/twice", "gzip, br", func(w io.Writer) io.WriteCloser { return brotli.NewWriter(w) })
	squeezed("/plain", "utf-8", func(w io.Writer) io.WriteCloser { return plain{w} })
	refresh := func(path, content string) {
		meta := `<META content="` + content + `" http-equiv=Refresh>`
		page(path, "text/html", "<!doctype html><!-- x --><head>"+meta+"</head><body>old page</body>")
	}
	refresh("/refresh", "0; url=/data")
	refresh("/refreshquoted", "3;URL='data#part'")
	refresh("/refreshloop", "0;url=/refreshloop2")
	refresh("/refreshloop2", "0;url=/refreshloop")
	refresh("/refreshaway", "0;url="+other.URL+"/x?y=1")
	refresh("/refreshself", "0;url=/refreshself")
	refresh("/refreshlate", "300;url=/data")
	refresh("/refreshfile", "0;url=file:///etc/passwd")
	for i, content := range reloads {
		refresh(fmt.Sprint("/reload", i), content)
	}
	mux.HandleFunc("/tick", func(w http.ResponseWriter, r *http.Request) {
		tick, _ := strconv.Atoi(r.FormValue("t"))
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprintf(w, `<meta http-equiv=refresh content="5; url=/tick?t=%d"><body>tick %d</body>`, tick+1, tick)
	})
	page("/inbody", "text/html", `<body>old page<pre><meta http-equiv="refresh" content="0;url=/data"></pre></body>`)
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	return server.URL
}

// plain does not compress.
type plain struct{ io.Writer }

func (plain) Close() error { return nil }

type zeros struct{}

func (zeros) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = '0'
	}
	return len(p), nil
}

func TestFetch(t *testing.T) {
	host := web(t)
	c := connect(t, builtin.Fetch(builtin.Options{AllowPrivate: true}))
	got := succeeds(t, c, "fetch", args{"url": host + "/article#part"}, "# The Title\n\n# Heading")
	link := "First **bold** & [next](" + host + "/next)."
	for _, want := range []string{link, "- one\n- two", "| A  \n| 1", "```\nx := 1\n```", "Why?\n\nBecause."} {
		if !strings.Contains(got, want) {
			t.Errorf("want %q in %q", want, got)
		}
	}
	for _, unwanted := range []string{"alert", "p{}", "Menu", "Imprint", "base64"} {
		if strings.Contains(got, unwanted) {
			t.Errorf("%q is in %q", unwanted, got)
		}
	}
	for path, want := range map[string]string{
		"/data": `{"a": 1}`, "/latin1": "naïve", "/japanese": "日本", "/moved": `{"a": 1}`,
		"/empty": "[The page is empty.]",
		"/away":  "redirects to another host: http://127.0.0.1:", "/bomb": "[Bytes 0 to 32768", "/capitals": "# The Title",
		"/feed": "<feed/>", "/untyped": "BMI calculator",
	} {
		succeeds(t, c, "fetch", args{"url": host + path}, want)
	}
	if answer := succeeds(t, c, "fetch", args{"url": host + "/away"}, "/x?y=1"); strings.Contains(answer, "secret") {
		t.Errorf("it followed the redirect: %q", answer)
	}
	for path, want := range map[string]string{
		"/missing": "answered 404 Not Found: gone", "/picture": "is not text but image/png", "/loop": "more than 5 redirects",
		"/document": "is not text but application/vnd.openxml",
	} {
		fails(t, c, "fetch", args{"url": host + path}, want)
	}
	if answer, _ := call(t, c, "fetch", args{"url": host + "/file"}); strings.Contains(answer, "root:") {
		t.Errorf("it read a file: %q", answer)
	}
	for _, address := range []string{
		"file:///etc/passwd", "ftp://example.com", "javascript:alert(1)", "http://", "", "://", "http://[::1", "data:,x",
		"https:/127.0.0.1", "https:127.0.0.1", `https:\\127.0.0.1`, "https:///127.0.0.1", "http://127.1",
	} {
		fails(t, c, "fetch", args{"url": address}, "is not an http or https address")
	}
	fails(t, c, "fetch", nil, `"url"`)
}

func TestFetchCompressed(t *testing.T) {
	host := web(t)
	c := connect(t, builtin.Fetch(builtin.Options{AllowPrivate: true}))
	succeeds(t, c, "fetch", args{"url": host + "/brotli"}, "squeezed")
	succeeds(t, c, "fetch", args{"url": host + "/gzip"}, "squeezed")
	succeeds(t, c, "fetch", args{"url": host + "/plain"}, "squeezed")
	fails(t, c, "fetch", args{"url": host + "/deflate"}, `/deflate is compressed as "deflate"`)
	fails(t, c, "fetch", args{"url": host + "/twice"}, `/twice is compressed as "gzip, br"`)
	succeeds(t, c, "fetch", args{"url": host + "/brotlibomb", "offset": 5 << 20}, "[The page is longer than 5 MB")
}

// A page that sends browsers on is followed like a redirect. One that reloads itself, maybe at changing addresses, is
// read.
func TestFetchRefresh(t *testing.T) {
	host := web(t)
	c := connect(t, builtin.Fetch(builtin.Options{AllowPrivate: true}))
	for path, want := range map[string]string{
		"/refresh": `{"a": 1}`, "/refreshquoted": `{"a": 1}`, "/refreshaway": "redirects to another host: http://127.0.0.1:",
		"/refreshself": "old page", "/refreshlate": "old page", "/refreshfile": "old page", "/inbody": "old page",
		"/refreshloop": "old page", "/tick": "tick 5",
	} {
		if got := succeeds(t, c, "fetch", args{"url": host + path}, want); strings.Contains(got, "secret of the other") {
			t.Errorf("%s was followed", path)
		}
	}
	for i := range reloads {
		succeeds(t, c, "fetch", args{"url": fmt.Sprint(host, "/reload", i)}, "old page")
	}
}

func TestFetchLongPage(t *testing.T) {
	host := web(t)
	c := connect(t, builtin.Fetch(builtin.Options{AllowPrivate: true}))
	succeeds(t, c, "fetch", args{"url": host + "/long"}, "[Bytes 0 to 32768 of 100000. Continue with offset 32768.]")
	if got := succeeds(t, c, "fetch", args{"url": host + "/long", "offset": 99_995}, "56789"); got != "56789" {
		t.Errorf("the end is %q", got)
	}
	fails(t, c, "fetch", args{"url": host + "/long", "offset": 100_000}, "the page has only 100000 bytes")
	succeeds(t, c, "fetch", args{"url": host + "/huge", "offset": 5 << 20}, "[The page is longer than 5 MB or incomplete.")
}

func FuzzReadable(f *testing.F) {
	f.Add(article)
	f.Add("<table><tr><td colspan=999999>x")
	f.Add("<h1>#</h1><h2>C#</h2><code>main</code>")
	f.Add(strings.Repeat("<div>", 200))
	address, show := pages(f)
	c := connect(f, builtin.Fetch(builtin.Options{AllowPrivate: true}))
	f.Fuzz(func(t *testing.T, page string) {
		show(page)
		if answer, failed := call(t, c, "fetch", args{"url": address}); failed || answer == "" {
			t.Errorf("failed is %v: %q", failed, answer)
		}
	})
}
