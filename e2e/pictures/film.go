//go:build unix

package main

import (
	"bytes"
	"context"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/aloudchat/aloud/e2e/terminal"
)

const (
	question = "why does the app crash on start?"

	frameTime = 80 * time.Millisecond // between two reads of the screen
	keyTime   = 50 * time.Millisecond // between two key presses
	firstHold = 800 * time.Millisecond
	lastHold  = 5 * time.Second // how long the last frame stays
)

// film is the picture of the README: a whole turn, from a cold model to the receipt.
var film = picture{
	name: "session", cold: true, toolTime: 2500 * time.Millisecond, height: 23,
	holds: holds{loads: 3 * time.Second, reads: 1500 * time.Millisecond, word: 75 * time.Millisecond},
}

// frame is the screen from a point in time on.
type frame struct {
	at   time.Duration
	rows [][]terminal.Cell
}

// record plays the film and draws it.
func record(ctx context.Context, term *terminal.Terminal) ([]byte, error) {
	var failed error
	played := make(chan struct{})
	go func() {
		defer close(played)
		failed = play(ctx, term)
	}()
	frames, end := watch(term, played)
	if failed != nil {
		return nil, failed
	}
	title := "A question in aloud: the line at the bottom shows each step, then the answer appears"
	return animation(frames, end, title), nil
}

// play types the question and waits for the receipt.
func play(ctx context.Context, term *terminal.Terminal) error {
	time.Sleep(firstHold)
	for _, key := range question + "\r" {
		if err := term.Type(string(key)); err != nil {
			return err
		}
		time.Sleep(keyTime)
	}
	_, err := await(ctx, term, `✓ 2 tools`)
	return err
}

// watch records the screen until done is closed. It returns the frames that differ and the length of the film.
func watch(term *terminal.Terminal, done <-chan struct{}) (frames []frame, end time.Duration) {
	start := time.Now()
	for last := false; ; {
		rows := term.Cells()
		if len(frames) == 0 || !reflect.DeepEqual(rows, frames[len(frames)-1].rows) {
			frames = append(frames, frame{time.Since(start), rows})
		}
		if last {
			return frames, time.Since(start) + lastHold
		}
		select {
		case <-done:
			last = true
		case <-time.After(frameTime):
		}
	}
}

// animation draws the frames row by row. It draws the content of a row once for as long as it stays the same. The last
// frame is visible where nothing moves.
func animation(frames []frame, end time.Duration, title string) []byte {
	var style, body bytes.Buffer
	percent := func(d time.Duration) string { return fmt.Sprintf("%.2f%%", 100*d.Seconds()/end.Seconds()) }
	named := map[string]string{}
	for y := range frames[0].rows {
		for i := 0; i < len(frames); {
			n := i + 1
			for n < len(frames) && slices.Equal(frames[n].rows[y], frames[i].rows[y]) {
				n++
			}
			from, until := max(frames[i].at, 0), end
			if n < len(frames) {
				until = frames[n].at
			}
			var row bytes.Buffer
			drawRow(&row, frames[i].rows[y], y)
			times := percent(from) + "{visibility:visible}" + percent(until) + "{visibility:hidden}"
			switch {
			case row.Len() == 0:
			case i == 0 && n == len(frames):
				body.Write(row.Bytes())
			default:
				if named[times] == "" {
					named[times] = fmt.Sprintf("k%d", len(named))
					before := ""
					if i > 0 {
						before = "0%{visibility:hidden}"
					}
					steps := before + strings.TrimSuffix(times, "100.00%{visibility:hidden}")
					fmt.Fprintf(&style, "@keyframes %s{%s}\n", named[times], steps)
				}
				class := "f"
				if n == len(frames) {
					class = "f l"
				}
				fmt.Fprintf(&body, "<g class=%q style=\"animation-name:%s\">\n%s</g>\n", class, named[times], row.Bytes())
			}
			i = n
		}
	}
	fmt.Fprintf(&style, ".f{visibility:hidden;animation:%.2fs step-end infinite}.l{visibility:visible}\n", end.Seconds())
	style.WriteString("@media(prefers-reduced-motion:reduce){.f{animation:none}}\n")
	columns, rows := len(frames[0].rows[0]), len(frames[0].rows)
	return darkPaper.document(columns, rows, title, "<style>\n"+style.String()+"</style>\n"+body.String())
}
