package eval

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"

	"github.com/aloudchat/aloud/internal/atomicfile"
	"github.com/aloudchat/aloud/internal/quantity"
	"github.com/aloudchat/aloud/internal/sanitize"
	"github.com/aloudchat/aloud/provider/event"
)

// Answer is what a model made of a question.
type Answer struct {
	Model    string `json:"model"`
	Question string `json:"question"`
	Defences bool   `json:"defences"`
	Right    bool   `json:"right"`
	Why      string `json:"why,omitempty"`     // the answer is wrong
	Skipped  string `json:"skipped,omitempty"` // what the configuration would have to allow

	Stop   event.Reason   `json:"stop"`
	Text   string         `json:"answer,omitempty"` // its beginning
	Calls  []string       `json:"calls,omitempty"`
	Rounds int            `json:"rounds"`
	Acted  map[string]int `json:"acted,omitempty"` // how often each defence changed a reply

	Read          Speed `json:"read"`
	Written       Speed `json:"written"`
	LoadMS        int64 `json:"load_ms"`
	MS            int64 `json:"ms"` // without loading
	ThinkingBytes int   `json:"thinking_bytes"`
	TextBytes     int   `json:"text_bytes"`

	Mark string `json:"mark"` // of the file of the question
}

// Speed is a number of tokens and the time that they took.
type Speed struct {
	Tokens int   `json:"tokens"`
	MS     int64 `json:"ms"`
}

func (s *Speed) add(tokens int, ms int64) {
	if tokens > 0 && ms > 0 {
		s.Tokens, s.MS = s.Tokens+tokens, s.MS+ms
	}
}

// String returns the answer on a line: whether it is right, or why not.
func (a Answer) String() string {
	mark, why := "✓", ""
	switch {
	case a.Skipped != "":
		mark, why = "-", ": skipped, approval.allow lacks "+a.Skipped
	case !a.Right:
		mark, why = "✗", ": "+a.Why
	}
	took := quantity.Brief(time.Duration(a.MS) * time.Millisecond)
	return fmt.Sprintf("%s %5s  %s  %s", mark, took, sanitize.Line(a.Model), sanitize.Line(a.Question+why))
}

// Results keeps the answers of the models of one server in a file. It is not safe for concurrent use, but several
// programs may use the same file.
type Results struct {
	path, server string
	file         answers
}

// answers is the content of the file.
type answers struct {
	Version int                `json:"version"`
	Answers map[string]*Answer `json:"answers"` // by key, of all servers
}

const version = 1

func (r *Results) key(model, question, mark string, defences bool) string {
	return fmt.Sprintf("%s %s %s %s %t", r.server, model, question, mark, defences)
}

// Open reads the answers in the file at path. Without a path, they are kept in memory only. The address of the server
// is written to the file, so it must not contain credentials. The error is for a file that must not be replaced.
func Open(path, server string) (*Results, error) {
	r := &Results{path, server, answers{Version: version}}
	return r, r.read()
}

func (r *Results) read() error {
	text, err := os.ReadFile(r.path)
	if r.path == "" || errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err == nil {
		err = json.Unmarshal(text, &r.file)
	}
	if err == nil && r.file.Version > version {
		err = fmt.Errorf("version %d is from a newer version of aloud", r.file.Version)
	}
	if err != nil {
		return fmt.Errorf("cannot read %q, which has the answers so far: %w. Remove it to begin again", r.path,
			atomicfile.Cause(err))
	}
	return nil
}

// Find returns the answer of a model to a question as it is now.
func (r *Results) Find(model string, q *Question, defences bool) (Answer, bool) {
	if a := r.file.Answers[r.key(model, q.Name, q.mark, defences)]; a != nil {
		return *a, true
	}
	return Answer{}, false
}

// Keep writes an answer, in place of an earlier one, and what other programs wrote meanwhile.
func (r *Results) Keep(a Answer) error {
	if err := r.read(); err != nil {
		return err
	}
	if r.file.Answers == nil {
		r.file.Answers = map[string]*Answer{}
	}
	r.file.Answers[r.key(a.Model, a.Question, a.Mark, a.Defences)] = &a
	text, err := json.Marshal(r.file)
	if err == nil && r.path != "" {
		err = atomicfile.Write(r.path, text)
	}
	if err != nil {
		return fmt.Errorf("cannot keep the answer: %w", err)
	}
	return nil
}
