package builtin_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/aloudchat/aloud/mcpclient/builtin"
)

func TestResources(t *testing.T) {
	c, _ := serve(t, map[string]string{
		"notes.txt": "buy milk", "sub/a b.md": "deep", ".env": "TOKEN=1", ".gitignore": "build/\n", "build/out.txt": "made",
		"node_modules/x.js": "x", "sub/empty": "", "cat.png": "\x89PNG\r\n\x1a\n\x00\x00",
	})
	list, err := c.ListResources(t.Context(), nil)
	must(t, err)
	var names []string
	for _, r := range list.Resources {
		names = append(names, r.Name)
	}
	if got := fmt.Sprint(names); got != "[.gitignore cat.png notes.txt sub/a b.md sub/empty]" {
		t.Errorf("the list is %s", got)
	}
	templates, err := c.ListResourceTemplates(t.Context(), nil)
	if err != nil || len(templates.ResourceTemplates) != 1 {
		t.Fatalf("%+v, %v", templates, err)
	}
	prefix, ok := strings.CutSuffix(templates.ResourceTemplates[0].URITemplate, "{+path}")
	if !ok || !strings.HasSuffix(prefix, "/served/") {
		t.Errorf("the template begins with %q", prefix)
	}
	for address, want := range map[string]string{
		list.Resources[1].URI:       "\x89PNG\r\n\x1a\n\x00\x00false",
		list.Resources[2].URI:       "buy milktrue",
		list.Resources[4].URI:       "false",
		list.Resources[3].URI:       "deep",
		prefix + "sub/../notes.txt": "buy milk",
		prefix + "build/out.txt":    "made",
		prefix + ".env":             `error ".env" usually holds secrets, and the user cannot be asked here`,
		prefix + "none":             `error "none" does not exist`,
		prefix + "sub":              `error "sub" is a folder`,
		prefix + "../../x":          "error ",
		prefix + "%2e%2e/x":         "error ",
		"file:///etc/passwd":        "error ",
	} {
		r, err := c.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: address})
		got := fmt.Sprint("error ", err)
		if err == nil {
			got = fmt.Sprint(r.Contents[0].Text, string(r.Contents[0].Blob), r.Contents[0].Blob == nil)
		}
		if !strings.Contains(got, strings.TrimPrefix(want, "error ")) || strings.HasPrefix(want, "error") != (err != nil) {
			t.Errorf("%s is %q, want %q", address, got, want)
		}
	}
}

func TestResourceListLimit(t *testing.T) {
	many := map[string]string{}
	for i := range 300 {
		many[fmt.Sprintf("a/%03d", i)] = ""
	}
	many["z.txt"] = ""
	c, _ := serve(t, many)
	list, err := c.ListResources(t.Context(), nil)
	if err != nil || len(list.Resources) != 200 || list.Resources[0].Name != "z.txt" {
		t.Errorf("%d resources, %v", len(list.Resources), err)
	}
}

func TestSources(t *testing.T) {
	s := open(t, "files", builtin.Options{Dir: t.TempDir()})
	got := s.Sources("read_file", json.RawMessage(`{"path":"sub/a b.md"}`))
	if len(got) != 1 || !strings.HasPrefix(got[0], "file:///") || !strings.HasSuffix(got[0], "/sub/a%20b.md") {
		t.Errorf("read_file has the sources %q", got)
	}
	for _, call := range []string{`list_directory {"path":"sub"}`, `read_file {"path":"../x"}`, `read_file {}`} {
		tool, arguments, _ := strings.Cut(call, " ")
		if got := s.Sources(tool, json.RawMessage(arguments)); len(got) != 0 {
			t.Errorf("%s has the sources %q", call, got)
		}
	}
}
