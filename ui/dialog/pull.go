package dialog

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/aloudchat/aloud/internal/sanitize"
	"github.com/aloudchat/aloud/provider"
	"github.com/aloudchat/aloud/ui/look"
)

// pull downloads a model and shows the progress.
type pull struct {
	Base
	name     string
	ctx      context.Context
	cancel   context.CancelFunc
	progress provider.PullProgress

	next func() (provider.PullProgress, error, bool)
	stop func()
}

// Pulled reports how a download ended. Err is context.Canceled if you stopped it.
type Pulled struct {
	Name string
	Err  error
}

// step is the interval between two updates of the progress.
const step = 100 * time.Millisecond

// NewPull returns a dialog for the download of a model, and the command that starts it.
func NewPull(ctx context.Context, puller provider.Puller, name string) (Dialog, tea.Cmd) {
	ctx, cancel := context.WithCancel(ctx)
	p := &pull{name: name, ctx: ctx, cancel: cancel, progress: provider.PullProgress{Status: "requesting " + name}}
	p.next, p.stop = iter.Pull2(puller.Pull(ctx, name))
	return p, p.step
}

// step returns a command that reads progress for a moment and reports the last, because a download reports far more
// than can be shown.
func (p *pull) step() tea.Msg {
	for began := time.Now(); ; {
		progress, err, more := p.next()
		if err != nil || !more {
			p.stop()
			err = cmp.Or(p.ctx.Err(), err)
			p.cancel()
			return ownMsg{p, func() (bool, tea.Cmd) { return true, reply(Pulled{p.name, err}) }}
		}
		if time.Since(began) >= step || progress.Total == 0 || progress.Done == progress.Total {
			return ownMsg{p, func() (bool, tea.Cmd) {
				p.progress = progress
				return false, p.step
			}}
		}
	}
}

func (p *pull) Update(msg tea.Msg) (done bool, cmd tea.Cmd) {
	if k, ok := msg.(tea.KeyPressMsg); ok && k.String() == "esc" {
		p.cancel()
	}
	return false, nil
}

func (p *pull) View(width, height int, st *look.Look) []string {
	words := sanitize.Line(p.progress.Status)
	if p.ctx.Err() != nil {
		words = "stopping…"
	}
	out := []string{st.Title("Downloading "+p.name, "", width), "  " + bar(p.progress, width-4, st), st.Hint(words, width)}
	return st.WithHint(out, "esc stops · finished parts are kept", width, height)
}

// bar draws "━━━━━━──────  42% · 2.1 of 5.0 GB".
func bar(p provider.PullProgress, width int, st *look.Look) string {
	if p.Total <= 0 {
		return st.Faint.Render(strings.Repeat("─", max(0, width)))
	}
	part := min(1, float64(p.Done)/float64(p.Total))
	label := fmt.Sprintf("  %3.0f%% · %s of %s", part*100, bytesText(p.Done), bytesText(p.Total))
	cells := max(0, width-st.Method.StringWidth(label))
	full := int(part * float64(cells))
	done, rest := strings.Repeat("━", full), strings.Repeat("─", cells-full)
	return st.Accent.Render(done) + st.Faint.Render(rest) + st.Dim.Render(label)
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
