// Package session keeps conversations on disk: one append-only JSONL file each, written as things happen.
//
// # Format
//
// A session is the file ID.jsonl, where ID is the UTC time of its start and a random tail: 20261120-235412-k3f9. Each
// line is a JSON object with "type" and "time" (RFC 3339, UTC). Readers skip types and fields that they do not know,
// and lines that are no JSON. Half a line at the end, of a process that was killed, is cut off when the session is
// resumed.
//
//	meta      {"version": 1, "id": "…", "folder": "…", "provider": "…"}   the first line: where it was held, and with which provider
//	model     {"model": "…"}              the model that answers from here on
//	text      {"delta": "…"}              a piece of the answer that is being written
//	thinking  {"delta": "…"}              a piece of the model's reasoning
//	withdrawn {}                          the pieces before it do not count: the reply broke off and is requested again
//	message   {"message": {…}}            the next message of the conversation (provider.Message); replaces the pieces before it
//	tool      {"call": {…}}               a tool call began (status "pending") or finished (provider.ToolCall)
//	end       {"end": {…}}                a turn ended (provider.Result); drops pieces that no message replaced
//	rewind    {"keep": n}                 the conversation is now its first n messages
//
// Messages hold the whole conversation; pieces and tool records only matter if aloud was killed in the middle of a
// turn. Then loading makes a partial message of the pieces, and stand-in answers for tools that did not finish.
//
// The model reads a message with the role "summary" in place of the messages that it covers, which stay in the file. In
// a file that lost lines summaries do not count, because they name messages by number.
//
// The end of a turn leaves out what the messages have: the answer, and the arguments and results of calls. Compacting a conversation is not a turn: such an end is
// empty.
//
// One process at a time writes a file; it holds a lock that ends with the process. Reading needs no lock.
package session

import (
	"crypto/rand"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/aloudchat/aloud/provider"
)

// ErrInUse is matched by errors about a session that another process writes.
var ErrInUse = errors.New("it is open in another aloud; close it there, or see the others with: aloud sessions list")

// version is the format that this package writes, and the newest that it reads.
const version = 1

// Store is a folder of sessions. Its methods are safe for concurrent use, also by several processes.
type Store struct {
	dir              string
	folder, provider string // of new sessions
}

// Open names the folder; it is made when the first session is written.
func Open(dir string) *Store { return &Store{dir: dir} }

// For returns a store whose new sessions are held in a working folder with a provider. Continue looks for these.
func (s *Store) For(folder, provider string) *Store {
	return &Store{dir: s.dir, folder: realFolder(folder), provider: provider}
}

// realFolder is the one name of a folder that may have several.
func realFolder(folder string) string {
	if real, err := filepath.EvalSymlinks(folder); err == nil {
		return real
	}
	return folder
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

// New prepares a session. Its file is made with the first record, so an empty chat leaves no file.
func (s *Store) New() *Recorder {
	now := time.Now().UTC()
	id := now.Format("20060102-150405") + "-" + strings.ToLower(rand.Text()[:4])
	return newRecorder(s.path(id), id, record{Type: typeMeta, Version: version, ID: id, Folder: s.folder, Provider: s.provider})
}

// Continue opens the session that was changed last, of those with the folder and provider of the store that no other
// process writes. The error matches ErrInUse if all of them are written.
func (s *Store) Continue() (*Recorder, provider.Conversation, error) {
	ids, err := s.ids()
	if err != nil {
		return nil, provider.Conversation{}, err
	}
	none := fmt.Errorf("no conversation with the provider %q was held in this folder; see the others with: aloud sessions list", s.provider)
	for _, id := range ids {
		info, err := s.head(id)
		if err != nil || info.Provider != s.provider || realFolder(info.Folder) != s.folder {
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

// Resume opens a session to go on with it; id may be a unique prefix, "" is the one changed last.
// The error matches ErrInUse if another process writes the session.
func (s *Store) Resume(id string) (*Recorder, provider.Conversation, error) {
	id, err := s.find(id)
	if err != nil {
		return nil, provider.Conversation{}, err
	}
	f, err := openLocked(s.path(id), id)
	if err != nil {
		return nil, provider.Conversation{}, err
	}
	h, err := s.read(id, math.MaxInt)
	if err == nil && h.end < h.info.Size { // the next record must not become part of half a line
		err = os.Truncate(s.path(id), h.end)
	}
	if err != nil {
		f.Close()
		return nil, provider.Conversation{}, err
	}
	whole := h.whole()
	records, same := h.repair(whole)
	r := newRecorder(s.path(id), id, records...)
	r.file, r.model, r.skipped = f, h.info.Model, h.info.Skipped
	r.turns = within(h.turns, same)
	return r, provider.Conversation{}.With(whole...), nil
}

// loaded returns the conversation as exports and lists show it.
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
