package cli

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aloudchat/aloud/config"
	"github.com/aloudchat/aloud/mcpclient"
)

func TestEditsOfTheConfigurationFileAreTakenOver(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "config.toml")
	write := func(text string) {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Error(err)
		}
	}
	load := func() (*config.Config, error) {
		return config.Load(config.LoadOptions{Path: path, Env: func(string) (string, bool) { return "", false }})
	}
	files := "[mcp_servers.files]\ncwd = '" + dir + "'\n"
	write(files)
	synctest.Test(t, func(t *testing.T) {
		cfg, err := load()
		if err != nil {
			t.Fatal(err)
		}
		chat := &talk{cfg: cfg, load: load, board: new(mcpclient.Board)}
		chat.servers = startServers(t.Context(), cfg, mcpclient.Options{Board: chat.board})
		defer chat.servers.close()
		var said []string
		stop := chat.follow(t.Context(), func(_ context.Context, text string, mistake bool) {
			if mistake {
				text = "! " + text
			}
			said = append(said, text)
		})
		for _, story := range []struct {
			file, said, board string
		}{
			{files, "", "clock ready, fetch ready, files ready"},
			{"model = \"other\"\n" + files, "", "clock ready, fetch ready, files ready"},
			{files + "builtin_write = true\n", "The configuration file was changed. files: restarted.", "clock ready, fetch ready, files ready"},
			{"[mcp_servers.fetch]\nenabled = false\n" + files + "builtin_write = true\n[mcp_servers.old]\ncommand = \"aloud-is-not-installed\"\nenabled = false\n",
				"The configuration file was changed. fetch: switched off, old: added.", "clock ready, fetch off, files ready, old off"},
			{files + "read_only = true", "! The configuration file was changed, and the servers stay as they are: ", "clock ready, fetch off, files ready, old off"},
			{"", "The configuration file was changed. files: restarted, fetch: switched on, old: removed.", "clock ready, files ready, fetch ready"},
		} {
			said = nil
			write(story.file)
			time.Sleep(time.Minute)
			synctest.Wait()
			if got := strings.Join(said, "|"); !strings.HasPrefix(got, story.said) || (story.said == "") != (got == "") || len(said) > 1 {
				t.Errorf("%q: it says %q, not %q", story.file, got, story.said)
			}
			var board []string
			for _, s := range chat.board.Servers() {
				board = append(board, s.Name+" "+string(s.State))
			}
			if got := strings.Join(board, ", "); got != story.board {
				t.Errorf("%q: the board says %q, not %q", story.file, got, story.board)
			}
		}
		if !slices.ContainsFunc(chat.servers.set.Tools(), func(tool mcpclient.Tool) bool { return tool.Server == "fetch" }) {
			t.Error("the tools of a server that was switched on again are missing")
		}
		stop()
		said = nil
		write(files)
		if time.Sleep(time.Minute); said != nil {
			t.Errorf("after its end it says %q", said)
		}
	})
}
