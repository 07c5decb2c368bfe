// Package session keeps conversations on disk, each in an append-only JSONL file that is written as events happen.
//
// # Format
//
// A session is a file ID.jsonl, where ID is the UTC time of its start and a random suffix: 20261120-235412-k3f9. Each
// line is a JSON object with "type" and "time" (RFC 3339, UTC). Readers skip unknown types and fields, and invalid
// lines. Resuming a session removes an incomplete line at its end, which a killed process may leave. It keeps a whole
// record that lacks only its line end.
//
//	meta      {"version": 1, "id": "…", "folder": "…", "provider": "…"}   the first line
//	model     {"model": "…", "provider": "…"}   the model from here on, with the provider if it is another
//	text      {"delta": "…"}              a piece of the answer
//	thinking  {"delta": "…"}              a piece of thinking
//	withdrawn {}                          drops the pieces before it, because the request is retried
//	message   {"message": {…}}            the next message (provider.Message), which replaces the pieces before it
//	tool      {"call": {…}}               a tool call started (status "pending") or finished (event.ToolCall)
//	end       {"end": {…}}                a turn ended (event.Result), which drops remaining pieces
//	rewind    {"keep": n}                 the conversation now consists of its first n messages
//	branch    {"branch": 2, "parent": 1, "keep": n}   branch 2 begins with the first n messages of branch 1
//	branch    {"branch": 1}               the lines from here on belong to branch 1 again
//
// Messages hold the whole conversation. Pieces and tool records matter only if aloud was killed during a turn: the
// pieces become a partial message, and unfinished tools get a result that says so.
//
// The model reads a message with the role "summary" instead of the messages that it covers, which stay in the file.
// Summaries in a file with invalid lines are ignored, because they refer to messages by number.
//
// The end of a turn leaves out the answer and the arguments and results of calls, which the messages have. Compacting
// is not a turn, and its end is empty.
//
// The lines before the first branch line are branch 1. The last branch line names the branch that you were in. Before
// the first one is a second meta line with version 2, so that an older aloud refuses the file.
//
// A process that writes a file holds a lock, which ends with the process. Reading needs no lock.
package session

import (
	"cmp"
	"crypto/rand"
	"errors"
	"fmt"
	"iter"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/aloudchat/aloud/internal/sanitize"
	"github.com/aloudchat/aloud/provider"
)

// ErrInUse matches errors about a session that another process writes.
var ErrInUse = errors.New("it is open in another aloud process. Close it there, or see: aloud sessions list")

// version is the newest format version that this package reads. Files without branches have the first.
const firstVersion, version = 1, 2

// Store is a folder of sessions. Its methods are safe for concurrent use, also by multiple processes.
type Store struct {
	dir              string
	folder, provider string // of new sessions
}

// Open returns a store for a folder, which is created with the first session.
func Open(dir string) *Store { return &Store{dir: dir} }

// For returns a store for sessions in a working folder with a provider, as used by New and Continue.
func (s *Store) For(folder, provider string) *Store {
	if real, err := filepath.EvalSymlinks(folder); err == nil {
		folder = real
	}
	if !utf8.ValidString(folder) { // JSON would replace other bytes
		folder = strings.Trim(strconv.Quote(folder), `"`)
	}
	return &Store{dir: s.dir, folder: folder, provider: provider}
}

// Info describes a session.
type Info struct {
	ID        string    `json:"id"`
	Title     string    `json:"title"` // the name that you gave it, or your first message, one safe line
	Model     string    `json:"model"` // the last one, in a list the first; "" if unknown
	Folder    string    `json:"folder,omitempty"`
	Provider  string    `json:"provider,omitempty"`
	Started   time.Time `json:"started"`
	Changed   time.Time `json:"changed"`
	Size      int64     `json:"size"`                // of the file, in bytes
	Messages  int       `json:"messages,omitempty"`  // without summaries, 0 if List did not read the whole file
	Questions int       `json:"questions,omitempty"` // your messages, as for Messages
	Excerpt   string    `json:"excerpt,omitempty"`   // of Search
	Skipped   int       `json:"skipped,omitempty"`   // invalid lines
	Branch    int       `json:"branch,omitempty"`    // the current one, 0 if there is only one or List did not read it
	Branches  int       `json:"branches,omitempty"`  // their number, as for Branch
}

// New returns a recorder for a new session. The first record creates its file.
func (s *Store) New() *Recorder {
	now := time.Now().UTC()
	id := now.Format("20060102-150405") + "-" + strings.ToLower(rand.Text()[:4])
	meta := record{Type: typeMeta, Version: firstVersion, ID: id, Folder: s.folder, Provider: s.provider}
	return s.recorder(id, Used{Provider: s.provider}, meta)
}

// Continue opens the session changed last with the folder and provider of the store, except for sessions that other
// processes write. The error matches ErrInUse if that leaves none.
func (s *Store) Continue() (*Recorder, provider.Conversation, error) {
	infos, err := s.all(s.changed)
	if err != nil {
		return nil, provider.Conversation{}, err
	}
	none := fmt.Errorf("no conversation with provider %q in this folder. See: aloud sessions list", s.provider)
	for info := range s.ours(infos) {
		r, conv, err := s.Resume(info.ID)
		if errors.Is(err, ErrInUse) {
			none = err
			continue
		}
		return r, conv, err
	}
	return nil, provider.Conversation{}, none
}

// Latest describes the session changed last with the folder and provider of the store, or returns false if there is
// none.
func (s *Store) Latest() (Info, bool) {
	infos, _ := s.all(s.changed) // a folder that cannot be read has none
	for info := range s.ours(infos) {
		return info, true
	}
	return Info{}, false
}

// ours describes those sessions that have the folder and provider of the store.
func (s *Store) ours(infos []Info) iter.Seq[Info] {
	return func(yield func(Info) bool) {
		for _, i := range infos {
			info, err := s.head(i.ID)
			if err == nil && info.Provider == s.provider && info.Folder == s.folder && !yield(info) {
				return
			}
		}
	}
}

// Resume opens a session to continue it. id may be a unique prefix, or "" for the session changed last. The error
// matches ErrInUse if another process writes the session.
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
	if err == nil && h.end < h.info.Size { // cut off an incomplete line
		err = os.Truncate(s.path(id), h.end)
	}
	if err != nil {
		f.Close()
		return nil, provider.Conversation{}, err
	}
	whole := h.valid()
	records, same := h.repair(whole)
	r := s.recorder(id, h.used, records...)
	r.file, r.before, r.skipped = f, h.used, h.info.Skipped
	h.turns = Within(h.turns, same)
	r.branches, r.mends = h.branches(whole)
	r.number, r.forked = h.number, len(h.others) > 0
	if h.open {
		r.buf.WriteByte('\n') // before the first new record
	}
	return r, provider.Conversation{}.With(whole...), nil
}

// Read reads a session without opening it for writing. id is as in Resume.
func (s *Store) Read(id string) (Info, provider.Conversation, []Turn, error) {
	id, err := s.find(id)
	if err != nil {
		return Info{}, provider.Conversation{}, nil, err
	}
	h, err := s.read(id, math.MaxInt)
	if err != nil {
		return Info{}, provider.Conversation{}, nil, err
	}
	whole := h.valid()
	return h.about(id, whole), provider.Conversation{}.With(whole...), h.turns, nil
}

// about returns a description of the session. whole is its valid conversation, or nil to count no messages.
func (h *history) about(id string, whole []provider.Message) Info {
	const bytes, cells = 1000, 80 // of the title
	info := h.info
	info.ID = id
	asked := h.track
	if !asked.hasQuestion() { // aloud was killed at the begin of a branch
		asked = h.others[asked.parent]
	}
	if asked.hasQuestion() {
		info.Title = sanitize.CutEnd(sanitize.Line(sanitize.Cut(asked.messages[asked.question].Text, bytes)), cells)
	}
	info.Title = cmp.Or(h.name, info.Title)
	if len(h.others) > 0 {
		info.Branch, info.Branches = h.number, len(h.others)+1
	}
	if info.Started.IsZero() {
		info.Started = info.Changed // no line is valid
	}
	for _, m := range whole {
		if m.Role != provider.RoleSummary {
			info.Messages++
		}
		if m.IsQuestion() {
			info.Questions++
		}
	}
	return info
}

const extension = ".jsonl"

func (s *Store) path(id string) string { return filepath.Join(s.dir, id+extension) }
