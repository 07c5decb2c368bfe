//go:build e2e && unix

package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// asking has the reference server with all tools that ask something while they run.
func (w *world) asking(more string) {
	w.t.Helper()
	w.configure(w.traffic.URL, w.stdio("everything", "stdio")+
		"enabled_tools = [\"trigger-elicitation-request\", \"trigger-url-elicitation\", \"trigger-sampling-request\", "+
		"\"trigger-long-running-operation\", \"get-roots-list\"]\nroots = true\n"+more+"\n[approval]\nmode = \"all\"\n")
}

func TestAServerAsksAPersonInAForm(t *testing.T) {
	w := newWorld(t)
	w.asking("")
	s := w.chat()
	s.enter("[[asks]] me")
	s.read("everything asks you")
	s.press("Ann\t")
	s.see("Agree to the terms")
	s.press(" ")
	s.see("‹ yes ›")
	s.press("\t\tann\t") // past the line of a story, to the address
	s.see("this is no e-mail address")
	s.press("\x1b[Z@example.org\t")
	s.see("ann@example.org")
	for range 10 { // fields to the button at the end
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
	w.awaitRecord(`- Name: Ann\n- Agreed to terms: true\n- Email: ann@example.org`)
	s.leave()
}

func TestAPersonDeclinesAndLeaves(t *testing.T) {
	w := newWorld(t)
	w.asking("")
	s := w.chat()
	s.enter("[[asks]] me")
	s.read("everything asks you")
	s.press("\x1b")
	s.see("The server has its answer.")
	w.awaitRecord("User cancelled the elicitation dialog")
	s.leave()
}

func TestAServerSendsAPersonToAPage(t *testing.T) {
	w := newWorld(t)
	w.asking("")
	visited := filepath.Join(w.home, "visited")
	browser := filepath.Join(w.home, "browser.sh")
	if err := os.WriteFile(browser, fmt.Appendf(nil, "#!/bin/sh\necho \"$1\" > %q\n", visited), 0o700); err != nil {
		t.Fatal(err)
	}
	cmd := w.command(t.Context())
	cmd.Env = append(cmd.Env, "BROWSER="+browser)
	s := w.openTerminal(cmd, 100, 30)
	s.see("Ask anything")
	s.enter("[[visits]] there")
	s.see("Go there only if you know example.org") // the address stands in the call, too
	if _, err := os.Stat(visited); err == nil {
		t.Error("the browser was opened before anybody said so")
	}
	s.read("Go there only if you know example.org")
	s.press("y")
	s.see("The page was visited.")
	if !eventually(func() bool { text, _ := os.ReadFile(visited); return string(text) == "https://example.org/gate\n" }) {
		t.Error("the browser did not get the address")
	}
	s.leave()
}

func TestTheModelWritesForAServer(t *testing.T) {
	w := newWorld(t)
	w.asking("")
	s := w.chat()
	s.enter("[[samples]] please")
	s.see("Server everything wants your model")
	s.read("You are a helpful test server.")
	s.press("y")
	s.see("Server everything is to get this")
	s.read("It was a dark and stormy night.")
	s.press("y")
	s.see("The server has its text.")
	w.awaitRecord(`LLM sampling result`)
	s.leave()
}

func TestNobodyIsThereToAsk(t *testing.T) {
	w := newWorld(t)
	w.asking("")
	_, out := w.ask("[[asks]] me")
	if !strings.Contains(out.stderr, "only the full-screen chat can show, so it was declined") || !strings.Contains(out.stdout, "User declined") {
		t.Errorf("a form without a person:\n%s\n%s", out.stdout, out.stderr)
	}
	_, out = w.ask("[[samples]] please")
	if !strings.Contains(out.stderr, `To allow it: sampling = "allow" under [mcp_servers.everything]`) {
		t.Errorf("a sampling without a person:\n%s\n%s", out.stdout, out.stderr)
	}
	w.asking("sampling = \"allow\"\n")
	_, out = w.ask("[[samples]] please")
	if !strings.Contains(out.stdout, "It was a dark and stormy night.") || !strings.Contains(out.stderr, "write something for it") {
		t.Errorf("a sampling that is allowed:\n%s\n%s", out.stdout, out.stderr)
	}
}

func TestServersAreToldOfFolders(t *testing.T) {
	w := newWorld(t)
	w.asking("")
	_, out := w.ask("[[roots]] please")
	if !strings.Contains(out.stdout, "URI: file://"+w.home) {
		t.Errorf("the current folder is not told:\n%s", out.stdout)
	}
	_, out = w.ask("[[roots]] please", "--root", "notes", "--root", "state")
	if !strings.Contains(out.stdout, "Current MCP Roots (2 total)") || !strings.Contains(out.stdout, w.home+"/notes") {
		t.Errorf("the folders of --root are not told:\n%s", out.stdout)
	}
}

func TestAPersonTriesATool(t *testing.T) {
	w := newWorld(t)
	w.asking("")
	s := w.chat()
	s.see("ready", func(screen string) bool { return regexp.MustCompile(`\d servers?\b`).MatchString(screen) })
	s.enter("/tools")
	s.see("enter try it")
	s.press("running")
	s.see("filter running")
	s.press("\r")
	s.see("› duration")
	s.press("x")
	s.press("\t")
	s.see("this is no number")
	s.press("\x1b[Z\x15") // back, and the line is empty
	s.see("Duration of the operation")
	s.press("60\x1b[F\r")
	s.see("Using Trigger Long Running Operation Tool…")
	s.see("esc to stop")
	s.press("\x1b")
	s.see("stopped · tried by you")
	s.enter("/tools")
	s.see("enter try it")
	s.press("running")
	s.see("filter running")
	s.press("\r")
	s.see("› duration")
	s.press("\x152\x1b[F\r")
	s.see("Long running operation completed. Duration: 2 seconds, Steps: 5.")
	s.see("Ask anything")
	if n := len(w.traffic.requests()); n > 0 {
		t.Errorf("the model was asked %d times", n)
	}
	s.leave()
}
