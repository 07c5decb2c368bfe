package cli

import (
	"context"
	"fmt"
	"strings"
	"sync"

	"github.com/aloudchat/aloud/filewatch"
	"github.com/aloudchat/aloud/mcpclient"
)

// follow takes over the servers of the configuration file whenever somebody has edited it, until the function it returns is called: all else
// in the file is for the next start. What came of it is said; a file with a mistake leaves the servers as they are.
func (t *talk) follow(ctx context.Context, say func(ctx context.Context, text string, mistake bool)) (stop func()) {
	if t.kit == nil || t.cfg.Path == "" {
		return func() {}
	}
	ctx, cancel := context.WithCancel(ctx)
	var following sync.WaitGroup
	following.Go(func() {
		for range filewatch.Changes(ctx, t.cfg.Path) {
			cfg, err := t.load()
			if err != nil {
				say(ctx, "The configuration file was changed, and the servers stay as they are: "+err.Error(), true)
				continue
			}
			if t.inbox != nil {
				t.inbox.SetModes(samplingModes(cfg))
			}
			if changes := t.kit.reload(ctx, cfg); len(changes) > 0 {
				say(ctx, "The configuration file was changed. "+changeWords(changes)+".", false)
			}
		}
	})
	return func() {
		cancel()
		following.Wait()
	}
}

// changeWords is what has changed, on one line: "github: restarted, notes: added".
func changeWords(changes []mcpclient.Change) string {
	var words []string
	for _, c := range changes {
		words = append(words, fmt.Sprintf("%s: %s", c.Server, c.What))
	}
	return strings.Join(words, ", ")
}
