package dialog

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/aloudchat/aloud/internal/quantity"
	"github.com/aloudchat/aloud/internal/sanitize"
	"github.com/aloudchat/aloud/provider"
	"github.com/aloudchat/aloud/ui/look"
	"github.com/aloudchat/aloud/ui/screen"
)

// pull shows the progress of a download.
type pull struct {
	name     string
	progress provider.PullProgress
	pace     pace
	speed    string // and what is left; "" if unknown
	stop     func()
	stopped  bool
}

// pace is how fast a download is. A layer begins at its own first byte, and resumed parts count as no progress.
type pace struct {
	total int64 // of the layer
	done  int64 // when it began
	began time.Time
}

// words returns "42 MB/s · 1m10s left", or "" if it is too early to tell.
func (p *pace) words(now provider.PullProgress, at time.Time) string {
	if now.Total != p.total || now.Done < p.done {
		*p = pace{now.Total, now.Done, at}
	}
	took, got := at.Sub(p.began), now.Done-p.done
	if took < time.Second || got <= 0 {
		return ""
	}
	speed := float64(got) / took.Seconds()
	left := time.Duration(float64(now.Total-now.Done) / speed * float64(time.Second))
	return look.Dotted(bytesText(int64(speed))+"/s", quantity.Duration(left)+" left")
}

// Pulled reports how a download ended. Err is context.Canceled if you stopped it.
type Pulled struct {
	Name string
	Err  error
}

// step is the interval between two updates of the progress.
const step = 100 * time.Millisecond

// NewPull returns a dialog for the download of a model, and the command that starts it.
func NewPull(puller provider.Puller, name string) (Dialog, tea.Cmd) {
	p := &pull{name: name, progress: provider.PullProgress{Status: "requesting " + name}}
	begin, stop := screen.Start(func(ctx context.Context, send func(tea.Msg)) {
		err := download(ctx, puller, name, func(progress provider.PullProgress) {
			at := time.Now()
			send(result(p, func() { p.progress, p.speed = progress, p.pace.words(progress, at) }))
		})
		send(resultMsg{to: p, apply: func() (bool, tea.Cmd) { return true, screen.Reply(Pulled{name, err}) }})
	})
	p.stop = stop
	return p, begin
}

// download downloads a model. It shows some of the progress, because a download reports far more than can be shown.
func download(ctx context.Context, puller provider.Puller, name string, show func(provider.PullProgress)) error {
	shown := time.Now()
	for progress, err := range puller.Pull(ctx, name) {
		if err != nil {
			return cmp.Or(ctx.Err(), err)
		}
		if time.Since(shown) >= step || progress.Total == 0 || progress.Done == progress.Total {
			show(progress)
			shown = time.Now()
		}
	}
	return ctx.Err()
}

func (p *pull) Update(msg tea.Msg) (done bool, cmd tea.Cmd) {
	if key := keyOf(msg); key == "esc" || key == "ctrl+c" {
		p.stopped = true
		p.stop()
	}
	return false, nil
}

// Traits implements Dialog.
func (p *pull) Traits() Traits { return Traits{} }

func (p *pull) View(width, height int, st *look.Look) []string {
	words := look.Dotted(sanitize.Line(p.progress.Status), p.speed)
	if p.stopped {
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
