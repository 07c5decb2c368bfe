package builtin_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"testing"

	"github.com/aloudchat/aloud/mcpclient/builtin"
)

// pages serves the page that show sets.
func pages(t testing.TB) (address string, show func(page string)) {
	t.Helper()
	var body string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		io.WriteString(w, body)
	}))
	t.Cleanup(server.Close)
	return server.URL, func(page string) { body = page }
}

// Each of these pages once took gigabytes.
func TestFetchMemory(t *testing.T) {
	const most = 600 << 20 // bytes allocated by server, client and call
	repeat := func(part string, size int) string { return strings.Repeat(part, size/len(part)) }
	var bold strings.Builder
	for i := range 500 {
		fmt.Fprintf(&bold, "<b a%d>", i)
	}
	address, show := pages(t)
	c := connect(t, builtin.Fetch(builtin.Options{AllowPrivate: true}))
	for name, page := range map[string]string{
		"open formatting, small": "<p>" + bold.String() + repeat("<p>x</p>", 160<<10),
		"formatting as raw text": "<xmp><p>" + bold.String() + repeat("<p>x</p>", 160<<10),
		"formatting in pieces":   "<p>" + strings.ReplaceAll(bold.String(), "<b", "<<font>b") + repeat("<p>x</p>", 160<<10),
		"open formatting, large": "<p>" + bold.String() + repeat("<p>x</p>", 4800<<10),
		"misnested":              repeat("<b><i><a href=x><p></b></i></a>", 4<<20),
		"deep":                   repeat("<div>", 5<<20),
		"deep lists":             repeat("<ul><li>", 1<<10) + repeat("x<br>", 4<<20),
		"deep quotes":            repeat("<blockquote>", 1<<10) + repeat("x<p>", 4<<20),
		"deep tables":            repeat("<table><tr><td>x", 4<<20),
		"a wide cell":            "<table><tr><td>" + repeat("x", 1<<20) + repeat("<tr><td>y", 2<<20),
		"a wide row":             "<table><tr>" + repeat("<td>x", 2<<20) + repeat("<tr><td>y", 2<<20),
		"empty elements":         repeat("<b></b>", 5<<20),
		"links":                  repeat("<a href=/>x", 5<<20),
		"attributes":             "<p " + repeat("a ", 5<<20) + ">x",
		"never closed menu":      "x<nav>" + repeat("<p>y", 4<<20),
	} {
		show(page)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		succeeds(t, c, "fetch", args{"url": address}, "")
		runtime.ReadMemStats(&after)
		if took := after.TotalAlloc - before.TotalAlloc; took > most {
			t.Errorf("%s: a page of %d kB takes %d MB", name, len(page)>>10, took>>20)
		}
	}
}

func TestFetchInvalidHTML(t *testing.T) {
	address, show := pages(t)
	c := connect(t, builtin.Fetch(builtin.Options{AllowPrivate: true}))
	for page, want := range map[string]string{
		"<p>one<p>two <b>bold</b><p>three":                     "one\n\ntwo **bold**\n\nthree",
		"<ul><li>a<ul><li>b</ul><li>c</ul>d":                   "- a\n  \n  - b\n- c\n\nd",
		"<table><tr><th>A<th>B<tr><td>1<td>2</table>":          "| A | B  \n| 1 | 2",
		"<table>above<td>1<td>2</table></table>below":          "above | 1 | 2\n\nbelow",
		"<table><form><tr><td>1</form><td>2</table>":           "| 1\n\n| 2",
		"<svg><path d=x/><title>icon</title></svg>text":        "text",
		"<svg>" + strings.Repeat("<path/>", 500) + "</svg>x":   "x",
		strings.Repeat("<div>", 500) + "<p>deep<p>deeper":      "deep\n\ndeeper",
		"a<script>b<p>c</script><nav>menu<p>d</nav>e":          "ae",
		"<body><header>h</header><main>m</main><p>not this":    "m",
		"<a href=/x>one<a href=/y>two":                         "[one](" + address + "/x)[two](" + address + "/y)",
		"<p>Hello<svg>" + strings.Repeat("<g>", 20_000):        "Hello",
		"<!-- <p>no --><pre>\n a\n  b</pre><br>":               "```\n a\n  b\n```",
		"<blockquote>q<p>r</blockquote>s<h1>t</h1></p></nope>": "> q\n> \n> r\n\ns\n\n# t",
		"<p>Run <code>main</code> in <a href=/m>main</a>":      "Run `main` in [main](" + address + "/m)",
		"<p>main":                                "main",
		"<p>a &lt; b &amp;&amp; c &gt; d":        "a < b && c > d",
		"<p>write &amp;lt; <code>&lt;b></code>":  "write &lt; `<b>`",
		"<h2>The  language<br>C#</h2><h3>#</h3>": "## The language C#\n\n### #",
		"<ul><li>a</ul><ul><li>b</ul>":           "- a\n\n- b",
		`<a href="/a\b&quot;">x</a>`:             "[x](" + address + "/a%5Cb%22)",
		"<p>a <b>&lt;b&gt;</b> \\ [x] `y` *z*":   "a **<b>** \\ [x] `y` *z*",
	} {
		show(page)
		got, failed := call(t, c, "fetch", args{"url": address})
		if failed || got != want {
			t.Errorf("%.100q gives %.200q, want %q", page, got, want)
		}
	}
	show(strings.Repeat("<p>x", 60_000))
	succeeds(t, c, "fetch", args{"url": address, "offset": 140_000}, "[The page has more than 100000 elements.")
}
