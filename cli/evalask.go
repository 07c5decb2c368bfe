package cli

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"os"
	"time"

	"github.com/charmbracelet/x/term"
	"github.com/spf13/cobra"

	"github.com/aloudchat/aloud/eval"
	"github.com/aloudchat/aloud/internal/quantity"
	"github.com/aloudchat/aloud/internal/sanitize"
)

// ask asks the questions, with a line on standard error for each answer, until ctx ends, you press esc, or the model
// server cannot be used. It keeps every answer at once. A model that fails a few times in a row is left out.
func (e *evaluation) ask(cmd *cobra.Command, list []task) error {
	if len(list) == 0 {
		fmt.Fprintln(cmd.ErrOrStderr(), "Everything is answered. To ask again, add --again")
		return nil
	}
	ctx, restore, isRaw := untilKey(cmd.Context())
	defer restore()
	stop, newLine, width := "ctrl+c", "\n", 1000
	if isRaw {
		stop, newLine, width = "esc", "\r\n", widthOf(os.Stderr)
	}
	fmt.Fprintf(cmd.ErrOrStderr(), "Asking %s%s · %s stops%s", quantity.Plural(len(list), "question"), e.guess(list), stop,
		newLine)
	const patience = 3
	failed, begun := map[string]int{}, time.Now()
	var fault error // the first that left a question without an answer, or an answer unkept
	for i, t := range list {
		if failed[t.model.Name] == patience {
			continue
		}
		chat := newChat(e.cfg, e.model, nil)
		chat.Pace = e.pace
		a, err := eval.Runner{Chat: chat.With(t.model), Defences: t.defences, Server: e.server}.Ask(ctx, t.question)
		line := fmt.Sprintf("%*d/%d %s", len(fmt.Sprint(len(list))), i+1, len(list), a)
		switch {
		case err == nil:
			failed[t.model.Name] = 0
			fault = cmp.Or(fault, e.keep(a))
		case eval.IsOwn(err):
			failed[t.model.Name]++
			fault = cmp.Or(fault, err)
			line = sanitize.Line(fmt.Sprintf("%s: %s: %v", t.model.Name, t.question.Name, err))
		default:
			return err
		}
		left := time.Since(begun) / time.Duration(i+1) * time.Duration(len(list)-i-1)
		if i+1 == eval.Kinds(e.questions) && left > time.Second {
			line += " · about " + quantity.Duration(left) + " left"
		}
		fmt.Fprint(cmd.ErrOrStderr(), sanitize.CutEnd(line, width), newLine)
	}
	return fault
}

// keep keeps an answer, and the score of the model for the lists of models.
func (e *evaluation) keep(a eval.Answer) error {
	if err := e.results.Keep(a); err != nil || e.folder != "" || !a.Defences {
		return err
	}
	score := e.results.ColumnOf(a.Model, true, e.all).Score
	e.pace.NoteTools(a.Model, score.Right, score.Asked)
	return e.pace.Save()
}

// guess says how long the questions may take, or "" if that is unknown. A usual one has 1,200 tokens to read and 120 to
// write.
func (e *evaluation) guess(list []task) string {
	var sum time.Duration
	for _, t := range list {
		tokens, took := e.pace.Wrote(t.model.Name)
		if tokens == 0 {
			return ""
		}
		sum += took*120/time.Duration(tokens) + e.pace.Read(t.model.Name, 1200)
	}
	return " · about " + quantity.Duration(sum)
}

// untilKey returns a context that esc and ctrl+c cancel if the program has a terminal, which then is raw until restore
// is called: lines end with "\r\n".
func untilKey(ctx context.Context) (_ context.Context, restore func(), isRaw bool) {
	ctx, cancel := context.WithCancel(ctx)
	if !term.IsTerminal(os.Stderr.Fd()) || !inForeground() {
		return ctx, cancel, false
	}
	before, err := term.MakeRaw(os.Stdin.Fd())
	if err != nil {
		return ctx, cancel, false
	}
	go func() { // until the program ends, because reading a terminal cannot be interrupted
		keys := make([]byte, 64)
		for {
			n, err := os.Stdin.Read(keys)
			if err != nil || n == 0 {
				return
			}
			if keys[n-1] == '\x1b' || bytes.ContainsRune(keys[:n], '\x03') { // "\x1b[A" is another key
				cancel()
			}
		}
	}()
	return ctx, func() {
		cancel()
		_ = term.Restore(os.Stdin.Fd(), before)
	}, true
}
