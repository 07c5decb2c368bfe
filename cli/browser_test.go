package cli

import "testing"

func TestOpenPageOnlyHTTP(t *testing.T) {
	t.Setenv("BROWSER", "true")
	for _, address := range []string{"", "file:///etc/passwd", "javascript:alert(1)", "--version"} {
		if err := openPage(address); err == nil {
			t.Errorf("%q was opened", address)
		}
	}
	t.Setenv("BROWSER", "aloud-is-not-installed")
	if err := openPage("https://example.org/"); err == nil {
		t.Error("a browser that is not there was started")
	}
}
