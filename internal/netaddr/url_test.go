package netaddr_test

import (
	"net/url"
	"strings"
	"testing"

	"golang.org/x/net/idna"

	"github.com/aloudchat/aloud/internal/netaddr"
)

func TestParseURL(t *testing.T) {
	for address, want := range map[string]string{
		"https://good.example/a?b#c":              "https good.example",
		" HTTPS://Good.Example:8443 \n":           "https Good.Example:8443",
		"good.example":                            "https good.example",
		"good.example:8080/x":                     "https good.example:8080",
		"localhost:8080":                          "https localhost:8080",
		"good.example/?u=https://evil.example":    "https good.example",
		"https://good.example?@evil.example":      "https good.example",
		"https://good.example/@evil.example\\":    "https good.example",
		"http://good.example./":                   "http good.example.",
		"https://good.example@evil.example":       "https evil.example",
		"https://bücher.example:1/":               "https xn--bcher-kva.example:1",
		"https://ｇｏｏｄ。example":                    "https good.example",
		"ftp://good.example":                      "ftp good.example",
		"http://[::1]:80/":                        "http [::1]:80",
		"http://[fe80::1%25en0]/":                 "http [fe80::1%en0]",
		"http://127.0.0.1":                        "http 127.0.0.1",
		"https:/good.example":                     "",
		"https:good.example":                      "",
		"HTTPS:8443":                              "",
		`https:\\good.example`:                    "",
		`https:/\good.example`:                    "",
		`https://good.example\@evil.example`:      "",
		`https://good.example\.evil.example`:      "",
		"https:///good.example":                   "",
		"//good.example":                          "",
		"https://good.exam\tple":                  "",
		"https://good.exam\nple":                  "",
		"https://good.example /":                  "",
		"\x00https://good.example":                "",
		"https://good.example\u00a0.evil.example": "",
		"https://a@good.example@evil.example":     "",
		"http://a@evil.example:80@127.0.0.1/":     "",
		"http://a@evil.example@1.2.3.4/":          "",
		"http://a@[::1]":                          "http [::1]",
		"https://good%2eexample":                  "",
		"https://%C3%BC.example":                  "",
		"https://good.example／.evil.example":      "",
		"http://127.1":                            "",
		"http://0177.0.0.1":                       "",
		"http://2130706433":                       "",
		"http://0x7f.0.0.1":                       "",
		"http://127.0.0.1.":                       "",
		"http://１２７.1":                            "",
		"http://[127.0.0.1]":                      "",
		"http://[::1":                             "",
		"http://good.example:x":                   "",
		"javascript:alert(1)":                     "",
		"data:,x":                                 "",
		"file:///etc/passwd":                      "",
		"https://":                                "",
		"https://.":                               "",
		"://":                                     "",
		"":                                        "",
	} {
		u, err := netaddr.ParseURL(address)
		if err != nil {
			u = new(url.URL)
		}
		if got := strings.TrimSpace(u.Scheme + " " + u.Host); got != want {
			t.Errorf("%q is %q, %v, want %q", address, got, err, want)
		}
	}
}

func TestParseBase(t *testing.T) {
	for address, want := range map[string]string{
		"http://box":                  "http://box",
		" HTTPS://box:99/base/ ":      "https://box:99/base",
		"http://127.0.0.1:11434/a/b/": "http://127.0.0.1:11434/a/b",
		"https://me:secret@box":       "https://me:secret@box",
		"http://[fe80::1]:8/v1":       "http://[fe80::1]:8/v1",
	} {
		if u, err := netaddr.ParseBase(address); err != nil || u.String() != want {
			t.Errorf("%q is %v, %v, want %q", address, u, err, want)
		}
	}
	for _, address := range []string{
		"", "box", "box:80", "ftp://secret@box", "http://", "https:/box", `http:\\box`, "http://[::1", "http://two words",
		"\x00", "http://secret@box:x", "http://secret@box:0", "http://secret@box:70000", "http://user:secret%zz@box",
		"http://secret@box?x=1", "http://secret@box#x",
	} {
		if u, err := netaddr.ParseBase(address); err == nil || strings.Contains(err.Error(), "secret") {
			t.Errorf("%q is %v, %v, want an error without the secret", address, u, err)
		}
	}
}

// FuzzParseURL checks that what was judged is what would be contacted.
func FuzzParseURL(f *testing.F) {
	for _, seed := range []string{"https://good.example/a", "https:/a", `a\b@c`, "http://[::1]:80", "１２７.1", "ü.example"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, address string) {
		u, err := netaddr.ParseURL(address)
		if err != nil {
			return
		}
		again, err := netaddr.ParseURL(u.String())
		if err != nil || again.Host != u.Host || again.Scheme != u.Scheme {
			t.Errorf("%q is %q, and that is %q, %v", address, u, again, err)
		}
		if looked, err := idna.Lookup.ToASCII(u.Hostname()); err == nil && !strings.EqualFold(looked, u.Hostname()) {
			t.Errorf("%q is judged as %q and looked up as %q", address, u.Hostname(), looked)
		}
	})
}
