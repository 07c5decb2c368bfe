//go:build e2e && unix

package e2e

import (
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
)

const (
	instructions     = "@everything:demo://resource/static/document/instructions.md"
	instructionsText = "Server Instructions" // part of that resource
)

// worldWithPrompts returns a world whose only server has prompts, resources and templates.
func worldWithPrompts(t testing.TB) *world {
	t.Helper()
	w := newWorld(t)
	w.configure(w.traffic.URL, w.stdio("everything", "stdio")+
		"enabled_tools = [\"echo\"]\n\n[approval]\nmode = \"all\"\n")
	return w
}

// lastRequest returns the messages of the last request.
func (w *world) lastRequest() string {
	w.t.Helper()
	requests := w.traffic.requests()
	if len(requests) == 0 {
		w.t.Fatal("no request")
	}
	var b strings.Builder
	for _, m := range requests[len(requests)-1].Messages {
		b.WriteString(m.Role + ": " + m.Content + "\n")
	}
	return b.String()
}

func TestMessageWithResource(t *testing.T) {
	w := worldWithPrompts(t)
	r, out := w.ask("[[answer]] what is in " + instructions + "?")
	if out.code != 0 || !strings.Contains(r.Answer, "plain answer") {
		t.Fatalf("exit code %d, %q\n%s", out.code, r.Answer, out.stderr)
	}
	if text := w.run("sessions", "show", r.Session); !strings.Contains(text.stdout, "**"+instructions+"**") {
		t.Errorf("the saved conversation lacks the resource:\n%s%s", text.stdout, text.stderr)
	}
}

// TestEveryResource attaches all resources to one message. It does not wait for the answer, which would take long.
func TestEveryResource(t *testing.T) {
	w := newWorld(t)
	w.configure(w.traffic.URL, w.stdio("everything", "stdio")+w.memory())
	question := "what is in " + strings.Join(slices.Sorted(maps.Keys(attachments())), " and ") + "?"
	cmd := w.start("-p", question)
	if !eventually(func() bool { return len(w.traffic.requests()) > 0 }) {
		t.Fatal("no request")
	}
	cmd.signal(os.Interrupt)
	if out := cmd.wait(); out.code != 130 {
		t.Errorf("exit code %d\n%s", out.code, out.stderr)
	}
	w.checkAttached()

	s := w.openTerminal(w.command(t.Context()), 160, 60)
	s.see("/ commands · @ files")
	s.press(question)
	s.see("knowledge-graph?")
	s.press("\r")
	for mention := range attachments() {
		_, uri, _ := strings.Cut(mention, ":")
		s.see(uri + " · ")
	}
	s.press(escape)
	s.see("Stopped")
	w.checkAttached()
	s.quit()
}

// checkAttached checks that the last request has all resources.
func (w *world) checkAttached() {
	w.t.Helper()
	request := w.lastRequest()
	for mention, text := range attachments() {
		if !strings.Contains(request, "Attached: "+mention+".") || !strings.Contains(request, text) {
			w.t.Errorf("the last request lacks %q of %q:\n%.2000s", text, mention, request)
		}
	}
}

func TestPrompts(t *testing.T) {
	w := worldWithPrompts(t)
	for name, p := range prompts {
		out := w.run("-p", "/everything:"+name+" "+p.arguments+"\n[[answer]]")
		if out.code != 0 || !strings.Contains(out.stdout, "plain answer") || !strings.Contains(w.lastRequest(), p.says) {
			t.Errorf("%s: exit code %d, %s%s\nthe request:\n%s", name, out.code, out.stdout, out.stderr, w.lastRequest())
		}
	}
}

func TestScreenPrompts(t *testing.T) {
	w := worldWithPrompts(t)
	s := w.chat()
	s.see("/ commands · @ files")
	for name, p := range prompts {
		s.enter(strings.TrimSpace("/everything:" + name + " " + p.arguments))
		s.see(p.says)
		s.read("enter to send")
		s.press(escape)
		s.see("› /everything:" + name)
		s.press("\x15") // ctrl+u
		s.see("Ask anything")
	}
	s.quit()
}

func TestUnknownResourcesAndPrompts(t *testing.T) {
	w := worldWithPrompts(t)
	for _, test := range []struct {
		question, stderr string
		code             int
	}{
		{"see @everything:nothing", `server "everything" has no resource "nothing"`, 1},
		{"see @everything:demo://resource/dynamic/text/none", "cannot attach @everything:demo", 1},
		{"/everything:no-such-prompt", `server "everything" has no prompt "no-such-prompt". Its prompts: ` +
			"simple-prompt, args-prompt, completable-prompt, resource-prompt", 2},
		{"/everything:args-prompt", `prompt /everything:args-prompt requires "city"`, 2},
		{"/everything:args-prompt town=x", `prompt /everything:args-prompt has no argument "town"`, 2},
		{"/everything:resource-prompt resourceType=None resourceId=1", "Invalid resourceType", 1},
	} {
		out := w.run("-p", test.question)
		if out.code != test.code || !strings.Contains(out.stderr, test.stderr) || out.stdout != "" {
			t.Errorf("%s: exit code %d\n%s%s", test.question, out.code, out.stdout, out.stderr)
		}
	}
	if n := len(w.traffic.requests()); n != 0 {
		t.Errorf("%d requests, want none", n)
	}
}

func TestScreenPromptForm(t *testing.T) {
	w := worldWithPrompts(t)
	s := w.chat()
	s.see("everything", func(screen string) bool { return !strings.Contains(screen, "connecting") })
	s.press("/everything:comp")
	s.see("Team Management")
	s.press("\r")
	s.read("Choose the department")
	s.press("Marketing\t")
	s.see("› name")
	s.press("[[answer]] me\r")
	s.see("Please promote [[answer]] me to the head of the Marketing team.")
	s.read("enter to send")
	s.press("e")
	s.see("› Please promote [[answer]] me")
	s.press("\r")
	s.see("plain answer")
	s.quit()
}

func TestScreenResource(t *testing.T) {
	w := worldWithPrompts(t)
	s := w.chat()
	s.press("[[sampled]] see @")
	s.see("@everything:demo://")
	s.press("instruc\t")
	s.see("see " + instructions)
	s.press("\r")
	s.see(" tok")
	s.see("It was a dark and stormy night.")
	if got := w.lastRequest(); !strings.Contains(got, instructionsText) {
		t.Errorf("the request is\n%s", got)
	}
	s.press("\x0f") // ctrl+o
	s.see("Cross-Feature Relationships")
	s.press("\x0f")
	s.press("[[answer]] of @everything:dynamic/te\t")
	s.see("@everything:demo://resource/dynamic/text/{resourceId}")
	s.press(strings.Repeat("\x7f", len("{resourceId}")) + "7")
	s.see("@everything:demo://resource/dynamic/text/7")
	s.press("\r")
	s.see("plain answer")
	if got := w.lastRequest(); !strings.Contains(got, "Resource 7: This is a plaintext resource") {
		t.Errorf("the request is\n%s", got)
	}
	s.quit()

	again := w.chat("--continue")
	again.see("demo://resource/dynamic/text/7 · ")
	again.quit()
}
