//go:build e2e && unix

package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// configureForms configures the reference server with all tools that ask for input.
func (w *world) configureForms() {
	w.t.Helper()
	w.configure(w.traffic.URL, w.stdio("everything", "stdio")+
		"enabled_tools = [\"trigger-elicitation-request\", \"trigger-url-elicitation\", "+
		"\"trigger-long-running-operation\", \"get-roots-list\"]\nroots = true\n\n[approval]\nmode = \"all\"\n")
}

func TestScreenForm(t *testing.T) {
	w := newWorld(t)
	w.configureForms()
	s := w.chat()
	s.enter("[[asks]] me")
	s.read("everything asks for input")
	s.press("Ann\t")
	s.see("Agree to the terms")
	s.press(" ")
	s.see("‹ yes ›")
	s.press("\t\tann\t") // past a text field, to the address
	s.see("not an email address")
	s.press("\x1b[Z@example.org\t")
	s.see("ann@example.org")
	for range 11 { // fields before the button
		s.press("\t")
	}
	s.see("the button", func(screen string) bool {
		return strings.Contains(screen, "› Send") || strings.Contains(screen, "› Decline")
	})
	if strings.Contains(s.term.Screen(), "› Decline") {
		s.press("\x1b[D\x1b[D")
		s.see("› Send")
	}
	s.press("\r")
	s.see("The server has its answer.")
	w.waitForSession(`- Name: Ann\n- Agreed to terms: true\n- Email: ann@example.org`)
	s.quit()
}

func TestScreenOpensPage(t *testing.T) {
	w := newWorld(t)
	w.configureForms()
	visited := filepath.Join(w.home, "visited")
	browser := filepath.Join(w.home, "browser.sh")
	must(t, os.WriteFile(browser, fmt.Appendf(nil, "#!/bin/sh\necho \"$1\" > %q\n", visited), 0o700))
	cmd := w.command(t.Context())
	cmd.Env = append(cmd.Env, "BROWSER="+browser)
	s := w.openTerminal(cmd, 100, 30)
	s.see("Ask anything")
	s.enter("[[visits]] there")
	s.see("Open it only if you know example.org") // the line of the call shows the address, too
	if _, err := os.Stat(visited); err == nil {
		t.Error("the browser was opened without approval")
	}
	s.read("Open it only if you know example.org")
	s.press("y")
	s.see("The page was visited.")
	if !eventually(func() bool { text, _ := os.ReadFile(visited); return string(text) == "https://example.org/gate\n" }) {
		t.Error("the browser did not get the address")
	}
	s.quit()
}

func TestServersGetFolders(t *testing.T) {
	w := newWorld(t)
	w.configureForms()
	_, out := w.ask("[[roots]] please")
	if !strings.Contains(out.stdout, "URI: file://"+w.home) {
		t.Errorf("the current folder is not shared:\n%s", out.stdout)
	}
	_, out = w.ask("[[roots]] please", "--root", "notes", "--root", "state")
	if !strings.Contains(out.stdout, "Current MCP Roots (2 total)") || !strings.Contains(out.stdout, w.home+"/notes") {
		t.Errorf("the folders of --root are not shared:\n%s", out.stdout)
	}
}
