package loop_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/aloudchat/aloud/mcpclient"
	"github.com/aloudchat/aloud/mcpclient/builtin"
	"github.com/aloudchat/aloud/mcpclient/servers"
	"github.com/aloudchat/aloud/provider/event"
)

func TestSecretFileAlwaysAsks(t *testing.T) {
	dir := t.TempDir()
	must(t, os.WriteFile(filepath.Join(dir, ".env"), []byte("PASSWORD=hunter2"), 0o600))
	files, err := builtin.New("files", builtin.Options{Dir: dir, Asks: true})
	must(t, err)
	defer files.Close()
	server := mcpclient.Server{Name: "files", BuiltIn: "files", Local: files, Trusted: true, Insider: files}
	set := servers.Start(t.Context(), []mcpclient.Server{server}, servers.Options{Board: new(servers.Board)})
	defer set.Close()
	must(t, set.Ready(t.Context()))
	const read = `files__read_file {"path":".env"}`
	for _, allowed := range []bool{true, false} {
		model := script(replies{wish(read), wish(`files__read_file {"path":"./.env"}`), {{Text: "Done."}}})
		c := chat(model, nil)
		c.Tools, c.Policy = set, allowAll(t)
		asked := 0
		_, ended := ask(t, c, "Go", func(a event.Asked) {
			asked++
			if !strings.HasSuffix(a.Why, `.env" usually holds secrets`) || a.Pattern != "" {
				t.Errorf("it asks because %q, to allow %q", a.Why, a.Pattern)
			}
			a.Answer(event.Decision{Allow: allowed, Always: true, Reason: "no"})
		})
		if results := fmt.Sprint(ended.Result.ToolCalls); asked != 2 || strings.Contains(results, "hunter2") != allowed {
			t.Errorf("allowed is %v: it asked %d times and the calls are %s", allowed, asked, results)
		}
	}
}
