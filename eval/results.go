package eval

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"time"

	"github.com/aloudchat/aloud/internal/atomicfile"
	"github.com/aloudchat/aloud/provider/event"
)

// Answer is what a model made of a question.
type Answer struct {
	Model    string `json:"model"`
	Question string `json:"question"`
	Defences bool   `json:"defences"`
	Right    bool   `json:"right"`
	Why      string `json:"why,omitempty"`     // it is wrong
	Skipped  string `json:"skipped,omitempty"` // the title of a tool that needs an approval, which could not be asked for

	Stop   event.Reason   `json:"stop"`
	Text   string         `json:"answer,omitempty"` // its beginning
	Calls  []string       `json:"calls,omitempty"`
	Rounds int            `json:"rounds"`
	Acted  map[string]int `json:"acted,omitempty"` // how often each defence changed a reply

	Read     Speed `json:"read"`
	Written  Speed `json:"written"`
	LoadMS   int64 `json:"load_ms"`
	MS       int64 `json:"ms"`       // without loading
	Thinking int   `json:"thinking"` // bytes
	Wrote    int   `json:"wrote"`    // bytes of the answer

	Server string    `json:"server"` // the address of the model server
	Mark   string    `json:"mark"`   // of the file of the question
	At     time.Time `json:"at"`
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

// Results keeps the answers of the models of one server in a file. It is not safe for concurrent use, but several
// programs may use the same file.
type Results struct {
	path, server string
	all          []Answer // of all servers
}

// maxAnswers is how many answers are kept. The oldest are forgotten.
const maxAnswers = 10_000

// kept is the content of the file.
type kept struct {
	Version int      `json:"version"`
	Answers []Answer `json:"answers"`
}

const version = 1

// Open reads the answers in the file at path. Without a path, they are kept in memory only. The address of the server
// is written to the file, so it must not contain credentials. The error is for a file that must not be replaced.
func Open(path, server string) (*Results, error) {
	r := &Results{path: path, server: server}
	return r, r.read()
}

func (r *Results) read() error {
	text, err := os.ReadFile(r.path)
	if r.path == "" || errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	var file kept
	if err == nil {
		err = json.Unmarshal(text, &file)
	}
	if err == nil && file.Version > version {
		err = fmt.Errorf("it has version %d, from a newer version of aloud", file.Version)
	}
	if err != nil {
		return fmt.Errorf("cannot read the kept answers in %q: %w. Remove the file to begin again", r.path,
			atomicfile.Cause(err))
	}
	r.all = file.Answers
	return nil
}

// Find returns the answer of a model to a question as it is now.
func (r *Results) Find(model string, q *Question, defences bool) (Answer, bool) {
	i := r.index(Answer{Server: r.server, Model: model, Question: q.Name, Defences: defences, Mark: q.mark})
	if i < 0 {
		return Answer{}, false
	}
	return r.all[i], true
}

func (r *Results) index(like Answer) int {
	return slices.IndexFunc(r.all, func(a Answer) bool {
		return a.Server == like.Server && a.Model == like.Model && a.Question == like.Question &&
			a.Defences == like.Defences && a.Mark == like.Mark
	})
}

// Keep writes an answer, in place of an earlier one, and what other programs wrote meanwhile.
func (r *Results) Keep(a Answer) error {
	a.Server, a.At = r.server, time.Now().UTC()
	if err := r.read(); err != nil {
		return err
	}
	if i := r.index(a); i >= 0 {
		r.all = slices.Delete(r.all, i, i+1)
	}
	r.all = append(r.all, a)
	r.all = r.all[max(0, len(r.all)-maxAnswers):]
	if r.path == "" {
		return nil
	}
	text, err := json.Marshal(kept{version, r.all})
	if err == nil {
		err = atomicfile.Write(r.path, text)
	}
	if err != nil {
		return fmt.Errorf("cannot keep the answer: %w", err)
	}
	return nil
}
