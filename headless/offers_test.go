package headless_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/aloudchat/aloud/headless"
	"github.com/aloudchat/aloud/mcpclient"
	"github.com/aloudchat/aloud/mcpclient/servers"
	"github.com/aloudchat/aloud/provider"
	"github.com/aloudchat/aloud/provider/loop"
	"github.com/aloudchat/aloud/provider/providertest"
	"github.com/aloudchat/aloud/session/live"
)

// shelf starts a server "files" with a prompt and a note that counts how often it is read.
func shelf(t *testing.T) *servers.Set {
	s := server.NewMCPServer("files", "1", server.WithPromptCapabilities(true),
		server.WithResourceCapabilities(false, false))
	read := 0
	s.AddResource(mcp.NewResource("file:///note", "note"), func(_ context.Context,
		r mcp.ReadResourceRequest) ([]mcp.ResourceContents, error) {
		read++
		return []mcp.ResourceContents{mcp.TextResourceContents{URI: r.Params.URI,
			Text: fmt.Sprint("buy milk, read ", read)}}, nil
	})
	s.AddPrompt(mcp.NewPrompt("greet", mcp.WithArgument("who", mcp.RequiredArgument()), mcp.WithArgument("how")),
		func(_ context.Context, r mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
			if r.Params.Arguments["who"] == "nobody" {
				return nil, errors.New("there is nobody")
			}
			return mcp.NewGetPromptResult("", []mcp.PromptMessage{
				mcp.NewPromptMessage(mcp.RoleUser, mcp.NewTextContent("Hello "+r.Params.Arguments["who"])),
				mcp.NewPromptMessage(mcp.RoleAssistant, mcp.NewTextContent("Hi")),
				mcp.NewPromptMessage(mcp.RoleUser, mcp.NewTextContent("Now sing")),
			}), nil
		})
	set := servers.Start(t.Context(), []mcpclient.Server{{Name: "files", Local: local{s}}},
		servers.Options{Board: new(servers.Board)})
	t.Cleanup(set.Close)
	return set
}

// local serves a server of mcp-go in this process.
type local struct{ s *server.MCPServer }

func (l local) Serve(ctx context.Context, in io.Reader, out io.Writer) error {
	return server.NewStdioServer(l.s).Listen(ctx, in, out)
}

// asked returns the messages that the model received, without the system prompt.
func asked(r provider.Request) string {
	var b strings.Builder
	for _, m := range r.Messages[1:] {
		fmt.Fprintf(&b, "%s: %s\n", m.Role, m.Text)
	}
	return b.String()
}

func TestAnswerWithResources(t *testing.T) {
	for _, test := range []struct {
		question, unread string
		want             string // part of the request; "" means no request
		stderr           string
		code             int
	}{
		{"read @files:file:///note, please", "", "read @files:file:///note, please\n\nAttached: @files:file:///note.", "", 0},
		{"look\n\nread @files:file:///note", "read @files:file:///note", "user: look\n\nread @files:file:///note\n", "", 0},
		{"read @files:file:///note\n\nit says read @files:file:///note", "it says read @files:file:///note",
			"Attached: @files:file:///note.", "", 0},
		{"note @files:file:///note\n\nnote", "note", "Attached: @files:file:///note.", "", 0},
		{"/files:greet who=Ada", "", "user: Hello Ada\nassistant: Hi\nuser: Now sing\n", "", 0},
		{"/files:greet who=Ada\nlike @files:note", "",
			"user: Now sing\n\nlike @files:note\n\nAttached: @files:file:///note.", "", 0},
		{"/files:greet who=Ada", "/files:greet who=Ada", "user: /files:greet who=Ada\n", "", 0},
		{"/etc/hosts: what is it", "", "user: /etc/hosts: what is it\n", "", 0},
		{"read @files:file:///gone", "", "",
			"aloud: cannot attach @files:file:///gone: server \"files\" returned no resource: error", 1},
		{"/files:greet", "", "", "aloud: prompt /files:greet requires \"who\". Write /files:greet who=…\n", 2},
		{"/files:greet whom=Ada", "", "",
			"aloud: prompt /files:greet has no argument \"whom\". Usage: /files:greet who=… how=…\n", 2},
		{"/files:sing", "", "", "aloud: server \"files\" has no prompt \"sing\". Its prompts: greet\n", 2},
		{"/files:greet who=nobody", "", "", "there is nobody", 1},
	} {
		var out, errs strings.Builder
		model := &providertest.Script{Replies: []providertest.Reply{{{Text: "Fine."}}}}
		code := headless.Answer(t.Context(), headless.Options{
			Parts:  live.Parts{Chat: loop.Chat{Model: model, Name: "scripted"}, Offers: shelf(t)},
			Stdout: &out, Stderr: &errs, Unread: test.unread,
		}, test.question)
		got := ""
		if requests := model.Requests(); len(requests) > 0 {
			got = asked(requests[0])
		}
		if code != test.code || !strings.Contains(got, test.want) || (test.want == "") != (got == "") ||
			!strings.Contains(errs.String(), test.stderr) {
			t.Errorf("%q: exit code %d, asked %q, stderr %q", test.question, code, got, errs.String())
		}
	}
}

func TestLinesWithResources(t *testing.T) {
	var out, errs strings.Builder
	model := &providertest.Script{Replies: []providertest.Reply{{{Text: "Fine."}}}, Forever: true}
	code := headless.Lines(t.Context(), headless.LinesOptions{Options: headless.Options{
		Parts: live.Parts{Chat: loop.Chat{Model: model, Name: "scripted"}, Offers: shelf(t)}, Stdout: &out, Stderr: &errs,
	}}, strings.NewReader("read @files:note\n/retry\n/files:greet who=Ada\n"))
	requests := model.Requests()
	if len(requests) != 2 || code != 0 {
		t.Fatalf("%d requests, exit code %d\n%s", len(requests), code, errs.String())
	}
	if again := asked(requests[1]); again != asked(requests[0]) || !strings.Contains(again, "read 1") {
		t.Errorf("asked again: %s", again)
	}
	want := "aloud: unknown command \"/files:greet\"\n  /help lists commands; prompts need the full screen or -p\n"
	if !strings.Contains(errs.String(), want) {
		t.Errorf("not said: %s\n%s", want, errs.String())
	}
}
