package netaddr_test

import (
	"net/url"
	"strings"
	"testing"

	"golang.org/x/net/idna"

	"github.com/aloudchat/aloud/internal/netaddr"
	"github.com/aloudchat/aloud/internal/tabletest"
)

func TestParseURL(t *testing.T) {
	for _, row := range tabletest.Read(t, "urls.txt") {
		address, want := row[0], row[1]
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
