package screen

import (
	"errors"
	"testing"
)

func TestDesktopClipboard(t *testing.T) {
	wrote := ""
	write := func(text string) error { wrote += text; return nil }
	fails := func(string) error { return errors.New("no clipboard") }
	none := func(string) string { return "" }
	wsl := func(name string) string { return map[string]string{"WSL_DISTRO_NAME": "Ubuntu"}[name] }
	if !toDesktop("Grüße", none, write) || toDesktop("Grüße", none, fails) || toDesktop("Grüße", wsl, write) ||
		wrote != "Grüße" {
		t.Errorf("the desktop has %q", wrote)
	}
}
