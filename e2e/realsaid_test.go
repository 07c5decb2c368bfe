//go:build e2e && unix

package e2e

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/aloudchat/aloud/provider/event"
	"github.com/aloudchat/aloud/status"
)

// said is what aloud said about a turn.
type said struct {
	lines   []saidLine // the live line as it changed
	receipt string
	result  event.Result
}

// A saidLine is a line of output, with the time when it came.
type saidLine struct {
	at   time.Time
	text string
}

// stamped keeps the lines written to it.
type stamped struct {
	lines []saidLine
	rest  []byte
}

func (s *stamped) Write(p []byte) (int, error) {
	now := time.Now()
	s.rest = append(s.rest, p...)
	for {
		line, rest, found := bytes.Cut(s.rest, []byte("\n"))
		if !found {
			return len(p), nil
		}
		s.lines, s.rest = append(s.lines, saidLine{now, string(line)}), rest
	}
}

// printJSON runs aloud with -p in args and reads its stream of JSON.
func (w *realWorld) printJSON(args ...string) (s said) {
	w.t.Helper()
	var out stamped
	cmd := w.command(w.t.Context(), append([]string{"--output", "stream-json"}, args...)...)
	cmd.Stdout = &out
	_ = cmd.Run() // the reason in the result tells
	for _, line := range out.lines {
		var ev struct{ Type, Text string }
		if err := json.Unmarshal([]byte(line.text), &ev); err != nil {
			w.t.Fatalf("%v in %s", err, line.text)
		}
		switch ev.Type {
		case "status":
			s.lines = append(s.lines, saidLine{line.at, ev.Text})
		case "result":
			if err := json.Unmarshal([]byte(line.text), &s.result); err != nil {
				w.t.Fatalf("%v in %s", err, line.text)
			}
		}
	}
	s.receipt = status.Receipt(s.result)
	return s
}

// chatPlain has a conversation in one process, line by line. The results come from the saved conversation.
func (w *realWorld) chatPlain(questions ...string) (list []said) {
	w.t.Helper()
	var stderr stamped
	cmd := w.command(w.t.Context(), "--plain")
	cmd.Stdin, cmd.Stderr = strings.NewReader(strings.Join(questions, "\n")+"\n"), &stderr
	_ = cmd.Run() // the receipts tell
	var s said
	for _, line := range stderr.lines {
		if slices.Contains([]string{"✓", "■", "✗"}, strings.SplitN(line.text, " ", 2)[0]) {
			s.receipt = line.text
			list, s = append(list, s), said{}
			continue
		}
		s.lines = append(s.lines, line)
	}
	ends := w.savedEnds()
	if len(list) != len(questions) || len(ends) != len(questions) {
		w.t.Fatalf("%d receipts and %d saved ends of %d turns: %v", len(list), len(ends), len(questions), stderr.lines)
	}
	for i, end := range ends {
		list[i].result = end
	}
	return list
}

// savedEnds returns the ends of the turns of the only saved conversation.
func (w *realWorld) savedEnds() (ends []event.Result) {
	w.t.Helper()
	files, err := filepath.Glob(filepath.Join(w.home, "state", "aloud", "sessions", "*.jsonl"))
	if err != nil || len(files) != 1 {
		w.t.Fatalf("%d saved conversations, %v", len(files), err)
	}
	text, err := os.ReadFile(files[0])
	must(w.t, err)
	for line := range bytes.Lines(text) {
		var record struct{ End *event.Result }
		if err := json.Unmarshal(line, &record); err != nil {
			w.t.Fatalf("%v in %s", err, line)
		}
		if record.End != nil {
			ends = append(ends, *record.End)
		}
	}
	return ends
}
