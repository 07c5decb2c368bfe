// Package pace remembers how fast models are on this machine, and what they can do, from one run to the next.
package pace

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math/bits"
	"slices"
	"sync"
	"time"

	"github.com/aloudchat/aloud/internal/atomicfile"
	"github.com/aloudchat/aloud/provider"
)

// Store remembers what the models of one server can do, how fast they load and read, and how much context they needed.
// The values are measured in earlier turns and stored in a small file. A nil *Store knows nothing. Safe for concurrent
// use.
type Store struct {
	ReadOnly bool // Save does nothing; must be set before the first use

	path   string
	server string

	mu    sync.Mutex
	read  bool
	known map[string]measures // by model, from the file
	noted map[string]measures // since the last Save
}

// Open returns the measurements of the server at an address from the file at path. The file is read when first
// needed; a missing or damaged file counts as empty. If path or server is "", everything stays in memory. The address
// is written to the file, so it must not contain credentials.
func Open(path, server string) *Store {
	return &Store{path: path, server: server, noted: map[string]measures{}}
}

// measures are the measurements of one model.
type measures struct {
	Load    int64     `json:"load_ms,omitempty"` // the last load
	Reads   []reading `json:"reads,omitempty"`   // one of each size class, newer ones weighted most
	Wrote   reading   `json:"wrote,omitzero"`    // the last long reply
	Context int       `json:"context,omitempty"` // tokens that the last turn needed; 0 if unknown
	Scale   float64   `json:"scale,omitempty"`   // tokens the server counts for each estimated one; 0 if unknown
	Asides  bool      `json:"costly_asides,omitempty"`
	Tools   score     `json:"tools,omitzero"`
	// tool rounds of turns that ended well, by set of servers, the newest last
	Rounds map[string][]int `json:"rounds,omitempty"`
	Digest string           `json:"digest,omitempty"` // of the model that Info describes
	Info   *provider.Info   `json:"info,omitempty"`
	Noted  time.Time        `json:"noted,omitzero"` // when Info was noted
}

// reading is the part of a prompt that was not in the server's cache, or a reply.
type reading struct {
	Tokens int   `json:"tokens"`
	MS     int64 `json:"ms"`
}

// score is how many questions about tools the model answered right.
type score struct {
	Right int `json:"right"`
	Asked int `json:"asked"`
}

// away returns how much longer or shorter the prompt is than tokens, as a factor of 1 or more.
func (r reading) away(tokens int) float64 {
	return max(float64(r.Tokens)/float64(tokens), float64(tokens)/float64(r.Tokens))
}

// size returns the size class of the prompt. Each class has four times the tokens of the one before.
func (r reading) size() int { return bits.Len(uint(r.Tokens)) / 2 }

const (
	day        = 24 * 60 * 60 * 1000 // milliseconds
	mostTokens = 10_000_000

	fewestWritten = 20 // the speed of a shorter reply says little
)

// with returns m updated by newer measurements, without impossible and useless ones.
func (m measures) with(newer measures) measures {
	if newer.Load < provider.ShortestLoad.Milliseconds() || newer.Load > day {
		newer.Load = 0
	}
	both := measures{Load: cmp.Or(newer.Load, m.Load), Reads: slices.Clone(m.Reads)}
	both.Context, both.Scale = cmp.Or(newer.Context, m.Context), cmp.Or(newer.Scale, m.Scale)
	if both.Wrote = m.Wrote; newer.Wrote.Tokens >= fewestWritten && newer.Wrote.MS > 0 {
		both.Wrote = newer.Wrote
	}
	both.Asides, both.Tools = newer.Asides || m.Asides, cmp.Or(newer.Tools, m.Tools)
	both.Rounds = joinRounds(m.Rounds, newer.Rounds)
	both.Digest, both.Info, both.Noted = m.Digest, m.Info, m.Noted
	if newer.Info != nil {
		both.Digest, both.Info, both.Noted = newer.Digest, newer.Info, newer.Noted
	}
	for _, r := range newer.Reads {
		if r.Tokens < 200 || r.Tokens > mostTokens || r.MS < 1 || r.MS > day || r.MS < int64(r.Tokens)/1000 {
			continue // fixed costs dominate a short prompt, and a prompt read in no time was cached
		}
		i := slices.IndexFunc(both.Reads, func(old reading) bool { return old.size() == r.size() })
		if i < 0 {
			both.Reads = append(both.Reads, r)
			continue
		}
		old := both.Reads[i]
		both.Reads[i] = reading{r.Tokens, (r.MS + old.MS*int64(r.Tokens)/int64(old.Tokens)) / 2}
	}
	return both
}

// Load estimates how long the model takes to load; 0 if unknown.
func (s *Store) Load(model string) time.Duration {
	return time.Duration(s.of(model).Load) * time.Millisecond
}

// Read estimates how long the model takes to read a prompt; 0 if unknown. It uses the prompt nearest in size, since
// long prompts take more time per token.
func (s *Store) Read(model string, tokens int) time.Duration {
	reads := s.of(model).Reads
	if tokens <= 0 || len(reads) == 0 {
		return 0
	}
	near := slices.MinFunc(reads, func(a, b reading) int { return cmp.Compare(a.away(tokens), b.away(tokens)) })
	if near.away(tokens) > 4 {
		return 0
	}
	return time.Duration(min(float64(near.MS)*float64(tokens)/float64(near.Tokens)+0.5, day)) * time.Millisecond
}

// Wrote returns the tokens of the last long reply of the model and how long it wrote them; 0 if unknown.
func (s *Store) Wrote(model string) (tokens int, took time.Duration) {
	wrote := s.of(model).Wrote
	return wrote.Tokens, time.Duration(wrote.MS) * time.Millisecond
}

// NoteWrote records what Wrote returns.
func (s *Store) NoteWrote(model string, tokens int, took time.Duration) {
	s.note(model, measures{Wrote: reading{tokens, took.Milliseconds()}})
}

// Context returns the context, in tokens, that the model needed last, and how many tokens its server counts for each
// estimated one. Each is 0 if unknown.
func (s *Store) Context(model string) (tokens int, scale float64) {
	m := s.of(model)
	return m.Context, m.Scale
}

// NoteLoad records how long a model took to load.
func (s *Store) NoteLoad(model string, took time.Duration) {
	s.note(model, measures{Load: took.Milliseconds()})
}

// NoteRead records how long a model took to read tokens that its server had not cached.
func (s *Store) NoteRead(model string, tokens int, took time.Duration) {
	s.note(model, measures{Reads: []reading{{tokens, took.Milliseconds()}}})
}

// NoteContext records what Context returns. A scale of 0 keeps the known one.
func (s *Store) NoteContext(model string, tokens int, scale float64) {
	s.note(model, measures{Context: tokens, Scale: scale})
}

// CostlyAsides reports whether a short request that repeats a prompt and adds to it made the server of the model read
// the prompt again.
func (s *Store) CostlyAsides(model string) bool { return s.of(model).Asides }

// NoteCostlyAsides records what CostlyAsides returns.
func (s *Store) NoteCostlyAsides(model string) { s.note(model, measures{Asides: true}) }

// Tools returns how many questions about tools the model answered right, and how many it was asked; 0 if unknown.
func (s *Store) Tools(model string) (right, asked int) {
	known := s.of(model).Tools
	return known.Right, known.Asked
}

// NoteTools records what Tools returns.
func (s *Store) NoteTools(model string, right, asked int) {
	s.note(model, measures{Tools: score{right, asked}})
}

// infoLifetime limits how long a description is kept: a newer server may know more about the same model.
const infoLifetime = 24 * time.Hour

// Info returns the description of a model that NoteInfo recorded, with its digest. The digest is "" if unknown.
func (s *Store) Info(model string) (digest string, info provider.Info) {
	if m := s.of(model); m.Info != nil && time.Since(m.Noted) < infoLifetime {
		return m.Digest, *m.Info
	}
	return "", provider.Info{}
}

// NoteInfo records the description of the model with this digest. Without a digest it is not kept.
func (s *Store) NoteInfo(model, digest string, info provider.Info) {
	if digest != "" {
		s.note(model, measures{Digest: digest, Info: &info, Noted: time.Now().UTC()})
	}
}

func (s *Store) note(model string, m measures) {
	if s == nil || model == "" {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.noted[model] = s.noted[model].with(m)
}

// of returns everything known about a model.
func (s *Store) of(model string) measures {
	if s == nil {
		return measures{}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.read {
		s.read = true
		all, _ := readFile(s.path) // no estimates without it
		s.known = all.Servers[s.server]
	}
	return s.known[model].with(s.noted[model])
}

// Save adds the new measurements to the file, keeping what other programs wrote meanwhile unless both save at the same
// moment. It replaces a damaged file, but not one that cannot be read or has a newer format.
func (s *Store) Save() error {
	if s == nil {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ReadOnly || s.path == "" || s.server == "" || len(s.noted) == 0 {
		return nil
	}
	all, err := readFile(s.path)
	if err == nil {
		s.known = maps.Clone(all.Servers[s.server])
		if s.known == nil {
			s.known = map[string]measures{}
		}
		for model, m := range s.noted {
			s.known[model] = s.known[model].with(m)
		}
		all.Servers[s.server] = s.known
		var text []byte
		if text, err = json.MarshalIndent(all, "", "  "); err == nil {
			err = atomicfile.Write(s.path, append(text, '\n'))
		}
	}
	if err != nil {
		return fmt.Errorf("cannot save model speeds: %w", err)
	}
	s.noted = map[string]measures{}
	return nil
}

// file is the content of the file.
type file struct {
	Version int                            `json:"version"`
	Servers map[string]map[string]measures `json:"servers"` // by address, then by model
}

// version is the version of the file. Version 2 had speeds of prompts that servers had cached in part.
const version = 3

// readFile reads the file at path. An error means that the file must not be replaced.
func readFile(path string) (file, error) {
	empty := file{version, map[string]map[string]measures{}}
	data, err := atomicfile.Read(path)
	if path == "" || errors.Is(err, fs.ErrNotExist) {
		return empty, nil
	}
	if err != nil {
		return empty, err
	}
	var read file
	err = json.Unmarshal(data, &read) // sets Version even if another field has the wrong type
	switch {
	case read.Version > version:
		return empty, fmt.Errorf("%q: %w", path, &atomicfile.NewerError{Version: read.Version, Known: version})
	case err != nil, read.Version < version, read.Servers == nil:
		return empty, nil
	}
	for _, models := range read.Servers {
		for name, m := range models {
			models[name] = measures{}.with(m) // the file may have been edited
		}
	}
	return read, nil
}
