package session

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/aloudchat/aloud/cause"
	"github.com/aloudchat/aloud/provider"
)

// finishedTurn is what a file says about one turn that ended, also about one that was taken back later.
type finishedTurn struct {
	at    time.Time
	model string
	turnEnd
}

const (
	lineBuffer = 64 << 10 // lines of a file are looked at in pieces of this size
	longestEnd = 1 << 20  // bytes of a line that says how a turn ended; a longer one is none of ours
)

// turnReader finds the ends of turns in files. It looks at every line and decodes few: reading is as fast as the disk, whatever was said.
type turnReader struct {
	in   *bufio.Reader
	line []byte // of one that is longer than the buffer
}

func newTurnReader() *turnReader { return &turnReader{in: bufio.NewReaderSize(nil, lineBuffer)} }

// file hands out the turns of a file, the oldest first, until each returns false.
func (r *turnReader) file(path, id string, each func(finishedTurn) bool) error {
	f, err := os.Open(path)
	if err != nil {
		return say(err, "session %q cannot be read: %v", id, cause.Of(err))
	}
	defer f.Close()
	r.in.Reset(f)
	model := ""
	for {
		line, err := r.next()
		if errors.Is(err, io.EOF) && len(line) == 0 {
			return nil
		}
		if err != nil && !errors.Is(err, io.EOF) {
			return say(err, "session %q cannot be read: %v", id, cause.Of(err))
		}
		rec, ok := decodeTurn(line)
		if !ok {
			continue
		}
		switch {
		case rec.Type == typeMeta && rec.Version > version:
			return fmt.Errorf("session %q %w", id, errNewer(rec.Version))
		case rec.Type == typeModel:
			model = rec.Model
		case rec.Type == typeEnd && rec.End != nil && !each(finishedTurn{rec.Time, model, rec.End.sane()}):
			return nil
		}
	}
}

// turnRecord is what is decoded of a record here: a message would cost as much as all the rest.
type turnRecord struct {
	Type    recordType `json:"type"`
	Time    time.Time  `json:"time"`
	Version int        `json:"version"`
	Model   string     `json:"model"`
	End     *turnEnd   `json:"end"`
}

func decodeTurn(line []byte) (rec turnRecord, ok bool) {
	if saysNothing(line) {
		return turnRecord{}, false
	}
	decoded := new(turnRecord) // here, so that lines which are skipped cost no memory
	err := json.Unmarshal(line, decoded)
	return *decoded, err == nil
}

// sane brings numbers that no turn can have into a range in which sums and tables hold.
func (e *turnEnd) sane() turnEnd {
	const mostMS, mostTokens, mostRounds = 1e9, 1e9, 999 // eleven days
	clamp := func(ms *int64) { *ms = min(max(*ms, 0), mostMS) }
	count := func(n *int, most int) { *n = min(max(*n, 0), most) }
	for _, ms := range []*int64{&e.Timing.Load, &e.Timing.Prompt, &e.Timing.Answer, &e.Timing.Tools, &e.Timing.Total} {
		clamp(ms)
	}
	for i := range e.Calls {
		clamp(&e.Calls[i].DurationMS)
	}
	e.Stop.Reason, e.Stop.Detail = provider.Reason(clip(string(e.Stop.Reason), longestName)), clip(e.Stop.Detail, longestDetail)
	switch limit := e.Stop.Limit.(type) {
	case nil, float64:
	case string:
		e.Stop.Limit = clip(limit, longestName)
	default:
		e.Stop.Limit = nil
	}
	e.Timing.Steps = stepsOf(e.Timing.Steps)
	for i := range e.Timing.Steps {
		step := &e.Timing.Steps[i]
		clamp(&step.MS)
		count(&step.Tokens, mostTokens)
		count(&step.Round, mostRounds)
	}
	count(&e.Rounds, mostRounds)
	count(&e.Usage.PromptTokens, mostTokens)
	count(&e.Usage.AnswerTokens, mostTokens)
	return *e
}

// next returns the next line, or nothing in the place of one that says nothing about how turns end. It is valid until the next call.
func (r *turnReader) next() ([]byte, error) {
	line, err := r.in.ReadSlice('\n')
	if !errors.Is(err, bufio.ErrBufferFull) {
		return line, err
	}
	wanted := !saysNothing(line)
	r.line = r.line[:0]
	for errors.Is(err, bufio.ErrBufferFull) {
		if wanted = wanted && len(r.line)+len(line) <= longestEnd; wanted {
			r.line = append(r.line, line...)
		}
		line, err = r.in.ReadSlice('\n')
	}
	if !wanted {
		return []byte{'\n'}, err
	}
	r.line = append(r.line, line...)
	return r.line, err
}

// saysNothing knows the lines that are not about the end of a turn by how this package begins them, which is with the type.
func saysNothing(line []byte) bool {
	kind, ours := bytes.CutPrefix(line, []byte(`{"type":"`))
	if !ours {
		return false // somebody else's writing may say anything
	}
	for _, wanted := range []string{string(typeEnd) + `"`, string(typeModel) + `"`, string(typeMeta) + `"`} {
		if bytes.HasPrefix(kind, []byte(wanted)) {
			return false
		}
	}
	return true
}
