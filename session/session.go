// Package session keeps conversations on disk: one append-only JSONL file each, written as things happen.
//
// # Format
//
// A session is the file ID.jsonl, where ID is the UTC time of its start and a random tail: 20261120-235412-k3f9. Each line is a JSON
// object with "type" and "time" (RFC 3339, UTC). Readers skip types and fields that they do not know, and lines that are no JSON.
//
//	meta      {"version": 1, "id": "…", "folder": "…", "provider": "…"}   the first line: where it was held, and with which provider
//	model     {"model": "…"}              the model that answers from here on
//	text      {"delta": "…"}              a piece of the answer that is being written
//	thinking  {"delta": "…"}              a piece of the model's reasoning
//	withdrawn {}                          the pieces before it do not count: the reply broke off, and is asked for again
//	message   {"message": {…}}            the next message of the conversation (provider.Message); replaces the pieces before it
//	tool      {"call": {…}}               a tool call began (status "pending") or finished (provider.ToolCall)
//	end       {"end": {…}}                a turn ended: stop, rounds, usage, timing_ms, calls, sources; pieces that no message replaced do not count
//	rewind    {"keep": n}                 the conversation now is its first n messages
//	resume    {}                          another process goes on from here
//
// Messages hold all that is said; pieces and tool notes only matter when a program was killed in the middle of a turn. Then loading makes
// a partial message of the pieces, and answers in place of tools that did not finish.
//
// A message with the role "summary" says that a model reads it in place of the messages that it covers, which stay where they are: compacting
// a conversation removes nothing. In a file that lost lines summaries do not count, since they name messages by their number.
//
// The end of a turn holds a short note of each of its calls (name, server, status, duration_ms, repaired), and in timing_ms what its steps
// took. Statistics read only these lines, which begin with {"type":"end" as every line begins with its type. Compacting a conversation by itself
// is no turn: such an end is empty.
//
// A file is written by one process at a time, which holds a lock on it that ends with the process. Reading needs no lock.
package session

import (
	"crypto/rand"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/aloudchat/aloud/provider"
)

// version is the newest format this package reads, and the one it writes.
const version = 1

// Store is a folder of sessions. Its methods are safe for concurrent use, also by several processes.
type Store struct {
	dir              string
	folder, provider string // of new sessions

	mu     sync.Mutex
	rounds map[string]int // what Rounds returned, by model
}

// Open names the folder; it is made when the first session is written.
func Open(dir string) *Store { return &Store{dir: dir} }

// For returns a store of the same folder of sessions whose new ones are held in a working folder with a provider. Continue goes on with those.
func (s *Store) For(folder, provider string) *Store {
	return &Store{dir: s.dir, folder: folder, provider: provider}
}

// Info is one line of a list of sessions.
type Info struct {
	ID       string    `json:"id"`
	Title    string    `json:"title"` // the first question, one safe line
	Model    string    `json:"model"` // the last one, "" if none is known
	Folder   string    `json:"folder,omitempty"`
	Provider string    `json:"provider,omitempty"`
	Started  time.Time `json:"started"`
	Changed  time.Time `json:"changed"`
	Size     int64     `json:"size"`               // of the file, in bytes
	Messages int       `json:"messages,omitempty"` // that were said, without summaries; 0 if List did not read all of a long file
	Skipped  int       `json:"skipped,omitempty"`  // lines of the file that could not be read
}

// New prepares a session. Its file is made with the first record, so a chat in which nothing was said leaves nothing.
func (s *Store) New() *Recorder {
	now := time.Now().UTC()
	id := now.Format("20060102-150405") + "-" + strings.ToLower(rand.Text()[:4])
	return newRecorder(s.path(id), id, record{Type: typeMeta, Version: version, ID: id, Folder: s.folder, Provider: s.provider})
}

// Continue opens the session that was changed last, of those in the folder and with the provider of the store that no other process writes.
// The error matches ErrNotFound if there is none, and ErrInUse if all are written.
func (s *Store) Continue() (*Recorder, provider.Conversation, error) {
	ids, err := s.ids()
	if err != nil {
		return nil, provider.Conversation{}, err
	}
	none := say(ErrNotFound, "no conversation with the provider %q was held in this folder; see the others with: aloud sessions list", s.provider)
	for _, id := range ids {
		info, err := s.head(id)
		if err != nil || info.Provider != s.provider || !sameFolder(info.Folder, s.folder) {
			continue
		}
		r, conv, err := s.Resume(id)
		if errors.Is(err, ErrInUse) {
			none = err
			continue
		}
		return r, conv, err
	}
	return nil, provider.Conversation{}, none
}

// sameFolder compares folders that may be written in different ways.
func sameFolder(a, b string) bool {
	if a == b {
		return true
	}
	first, err := os.Stat(a)
	second, err2 := os.Stat(b)
	return err == nil && err2 == nil && os.SameFile(first, second)
}

// Resume opens a session to go on with it; id may be a unique prefix, "" is the one changed last.
// The error matches ErrNotFound or, when another process writes the session, ErrInUse.
func (s *Store) Resume(id string) (*Recorder, provider.Conversation, error) {
	id, err := s.find(id)
	if err != nil {
		return nil, provider.Conversation{}, err
	}
	f, err := openLocked(s.path(id), id)
	if err != nil {
		return nil, provider.Conversation{}, err
	}
	h, err := readFile(s.path(id), id)
	if err != nil {
		f.Close()
		return nil, provider.Conversation{}, err
	}
	whole := h.whole()
	same := alike(h.messages, whole)
	r := newRecorder(s.path(id), id, append([]record{{Type: typeResume}}, repair(h.messages, whole, same)...)...)
	r.file, r.model, r.skipped = f, h.info.Model, h.info.Skipped
	r.turns = until(h.turns, same)
	if h.torn {
		r.buf.WriteByte('\n') // what follows must not become part of the torn line
	}
	return r, provider.Conversation{}.With(whole...), nil
}

// Load reads a session without opening it for writing. id is as in Resume.
func (s *Store) Load(id string) (Info, provider.Conversation, error) {
	id, err := s.find(id)
	if err != nil {
		return Info{}, provider.Conversation{}, err
	}
	return s.load(id)
}

func (s *Store) load(id string) (Info, provider.Conversation, error) {
	h, err := readFile(s.path(id), id)
	if err != nil {
		return Info{}, provider.Conversation{}, err
	}
	info, whole := h.loaded(id)
	return info, provider.Conversation{}.With(whole...), nil
}

// loaded is what the history comes to for people who look at it.
func (h *history) loaded(id string) (Info, []provider.Message) {
	whole := h.whole()
	info := h.info
	info.ID, info.Title, info.Messages = id, title(whole), len(whole)
	for _, m := range whole {
		if m.Role == provider.RoleSummary {
			info.Messages--
		}
	}
	if info.Started.IsZero() {
		info.Started = info.Changed // not one line of it can be read
	}
	return info, whole
}

const extension = ".jsonl"

func (s *Store) path(id string) string { return filepath.Join(s.dir, id+extension) }
