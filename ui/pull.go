package ui

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/aloudchat/aloud/provider"
	"github.com/aloudchat/aloud/sanitize"
	"github.com/aloudchat/aloud/ui/look"
)

// pull fetches a model and shows how far it is.
type pull struct {
	name     string
	cancel   context.CancelFunc
	progress provider.PullProgress
	leaving  bool

	next func() (provider.PullProgress, error, bool)
	stop func()
}

type (
	// pullMsg is a step of a download.
	pullMsg struct {
		pull     *pull
		progress provider.PullProgress
		err      error
		over     bool
	}
	// pulledMsg is a download that ended well.
	pulledMsg struct{ name string }
	// pullFailedMsg is one that did not; err is nil when it was cancelled.
	pullFailedMsg struct {
		name string
		err  error
	}
)

// startPull prepares to fetch a model; step begins.
func startPull(ctx context.Context, puller provider.Puller, name string) *pull {
	ctx, cancel := context.WithCancel(ctx)
	p := &pull{name: name, cancel: cancel, progress: provider.PullProgress{Status: "asking for " + name}}
	p.next, p.stop = iter.Pull2(puller.Pull(ctx, name))
	return p
}

// step is a command: it takes steps for a moment and tells the last one. A download takes many more than can be seen.
func (p *pull) step() tea.Msg {
	for began := time.Now(); ; {
		progress, err, more := p.next()
		if err != nil || !more {
			p.stop()
			p.cancel()
			return pullMsg{pull: p, err: err, over: true}
		}
		if time.Since(began) >= frame || progress.Total == 0 || progress.Done == progress.Total {
			return pullMsg{pull: p, progress: progress}
		}
	}
}

func (p *pull) update(msg tea.Msg) (done bool, cmd tea.Cmd) {
	switch msg := msg.(type) {
	case tea.KeyPressMsg:
		if msg.String() == "esc" {
			p.leaving = true
			p.cancel()
		}
	case pullMsg:
		switch {
		case msg.pull != p:
		case !msg.over:
			p.progress = msg.progress
			return false, p.step
		case p.leaving || errors.Is(msg.err, context.Canceled):
			return true, reply(pullFailedMsg{name: p.name})
		case msg.err != nil:
			return true, reply(pullFailedMsg{p.name, msg.err})
		default:
			return true, reply(pulledMsg{p.name})
		}
	}
	return false, nil
}

func (p *pull) view(width, height int, st *look.Look) []string {
	words := sanitize.Line(p.progress.Status)
	if p.leaving {
		words = "stopping…"
	}
	hint := "esc stops it; what is there is kept"
	out := []string{titleRow("Fetching "+p.name, width, st), "  " + bar(p.progress, width-4, st), hintRow(words, width, st)}
	return withHint(out, hint, width, height, st)
}

// bar draws "━━━━━━──────  42% · 2.1 of 5.0 GB".
func bar(p provider.PullProgress, width int, st *look.Look) string {
	if p.Total <= 0 {
		return st.Faint.Render(strings.Repeat("─", max(0, width)))
	}
	part := min(1, float64(p.Done)/float64(p.Total))
	label := fmt.Sprintf("  %3.0f%% · %s of %s", part*100, bytesText(p.Done), bytesText(p.Total))
	if width-len(label) < 8 {
		label = fmt.Sprintf(" %3.0f%%", part*100)
	}
	cells := max(0, width-st.Method.StringWidth(label))
	full := int(part * float64(cells))
	return st.Accent.Render(strings.Repeat("━", full)) + st.Faint.Render(strings.Repeat("─", cells-full)) + st.Dim.Render(label)
}

// bytesText writes a size: "812 MB", "5.2 GB".
func bytesText(n int64) string {
	switch {
	case n >= 1e9:
		return fmt.Sprintf("%.1f GB", float64(n)/1e9)
	case n >= 1e6:
		return fmt.Sprintf("%.0f MB", float64(n)/1e6)
	}
	return fmt.Sprintf("%.0f kB", float64(n)/1e3)
}
