package oauth

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
)

func TestReadChallenge(t *testing.T) {
	const bearer = `Bearer error="insufficient_scope", scope="read write", resource_metadata="https://mcp.example/about"`
	for _, other := range []string{"Negotiate", "Negotiate YIIJ=", "NTLM TlRMTVNTUAACAAA=", `Basic realm="x"`, ""} {
		for _, lines := range [][]string{{bearer, other}, {other, bearer}} {
			got := readChallenge(http.Header{"Www-Authenticate": lines})
			if !got.bearer || got.err != "insufficient_scope" || len(got.scopes) != 2 ||
				got.metadata != "https://mcp.example/about" {
				t.Errorf("%q is read as %+v", lines, got)
			}
		}
	}
}

func FuzzPasted(f *testing.F) {
	for _, text := range []string{
		"http://127.0.0.1:1234/callback?code=a&state=b&iss=https%3A%2F%2Fx", "code=a&state=b",
		"?error=access_denied&state=b", "<http://x?state=s&code=c>",
		"'http://127.0.0.1/callback\n?code=a\n&state=b'", "http://x#code=a&state=b", "%zz", "code=a;state=b",
		"?code=\x1b[31m&state=\u202e", "state=a&state=b&code=c",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		answer := readPasted(text)
		if answer == nil {
			return
		}
		again := readPasted("  http://127.0.0.1:1/callback?" + answer.Encode() + "\n")
		if again.Get("code") != answer.Get("code") || again.Get("state") != answer.Get("state") {
			t.Errorf("%q is read again as %q", answer, again)
		}
	})
}

func FuzzChallenge(f *testing.F) {
	for _, text := range []string{
		`Bearer resource_metadata="https://x/.well-known/oauth-protected-resource", scope="a b"`,
		`Bearer error="insufficient_scope", scope="write"`,
		`Basic realm="x", Bearer`, `Bearer realm="a\"b", error=invalid_token`, `bearer`, `Bearer "`, `,,,`, `Bearer =`,
		`Bearer scope="` + strings.Repeat("x ", 500) + `"`,
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		asked := readChallenge(http.Header{"Www-Authenticate": {text}})
		if len(asked.scopes) > maxScopes {
			t.Errorf("%d scopes", len(asked.scopes))
		}
		for _, scope := range asked.scopes {
			if scope == "" || len(scope) > maxScope || strings.ContainsAny(scope, " \n\t") {
				t.Errorf("the scope %q", scope)
			}
		}
	})
}

func FuzzCovers(f *testing.F) {
	f.Add("https://x.example/a/mcp", "https://x.example/a")
	f.Add("https://x.example/mcp", "https://x.example.evil/mcp")
	f.Add("http://x.example:80/mcp", "http://x.example")
	f.Fuzz(func(t *testing.T, home, resource string) {
		u, err := url.Parse(home)
		if err != nil {
			return
		}
		s := New(Options{Server: "x", URL: home})
		if !s.covers(resource) {
			return
		}
		r, err := url.Parse(resource)
		if err != nil || !strings.EqualFold(r.Hostname(), u.Hostname()) || !strings.EqualFold(r.Scheme, u.Scheme) {
			t.Errorf("%q stands for %q", resource, home)
		}
	})
}
