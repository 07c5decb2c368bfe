package servers_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/aloudchat/aloud/mcpclient"
	"github.com/aloudchat/aloud/mcpclient/builtin"
	"github.com/aloudchat/aloud/mcpclient/servers"
)

// The preview shows the current file, without secrets.
func TestPreview(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "a.env")
	if err := os.WriteFile(file, []byte("KEY=hunter22\nMODE=old\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	files, err := builtin.New("files", builtin.Options{Dir: dir, Write: true, Asks: true})
	if err != nil {
		t.Fatal(err)
	}
	defer files.Close()
	server := mcpclient.Server{Name: "files", Local: files, Insider: files, Secrets: []string{"hunter22"}}
	set := servers.Start(t.Context(), []mcpclient.Server{server}, servers.Options{Board: new(servers.Board)})
	defer set.Close()
	if err := set.Ready(t.Context()); err != nil {
		t.Fatal(err)
	}
	diff, _, err := set.Preview(t.Context(), "files__edit_file",
		json.RawMessage(`{"path":"a.env","old_text":"old","new_text":"new"}`))
	if err != nil || !strings.Contains(diff, "-MODE=old\n+MODE=new\n") || strings.Contains(diff, "hunter22") {
		t.Errorf("the preview is %q, %v", diff, err)
	}
	if diff, _, err := set.Preview(t.Context(), "files__edit_file",
		json.RawMessage(`{"path":"a.env","old_text":"none","new_text":"new"}`)); err == nil {
		t.Errorf("what will fail has the preview %q", diff)
	}
	for name, arguments := range map[string]string{"files__read_file": `{"path":"a.env"}`, "nobody__x": `{}`} {
		if diff, _, err := set.Preview(t.Context(), name, json.RawMessage(arguments)); diff != "" || err != nil {
			t.Errorf("%s %s: the preview is %q, %v", name, arguments, diff, err)
		}
	}
	for call, want := range map[string]string{
		`files__read_file {"path":"a.env"}`: `"a.env" usually holds secrets`, `files__read_file {"path":"b.txt"}`: "",
		`files__list_directory {}`: "", `nobody__x {}`: "", `files__read_file []`: "",
	} {
		name, arguments, _ := strings.Cut(call, " ")
		if got := set.Caution(name, json.RawMessage(arguments)); got != want {
			t.Errorf("%s: %q", call, got)
		}
	}
}
