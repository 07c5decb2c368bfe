// Package pace remembers how long models take on this machine, to come into memory and to read, and how much context they needed. From that
// the status line tells how long a wait is likely to be, and the first request asks for the right context. The numbers are measured by the model
// server in earlier turns and kept in a small file.
package pace

import (
	"sync"
	"time"
)

// Book is what is known of the models of one server. A nil *Book knows nothing and notes nothing. Safe for concurrent use.
type Book struct {
	path   string
	server string

	mu    sync.Mutex
	known map[string]measures // by model, from the file as it was read last; nil: it has not been read yet
	noted map[string]measures // since the last Save
}

// Open returns the book of the server at an address, kept in the file at path; "" keeps it in memory only. The address is written into the
// file: it must be one without passwords. The file is read when something is asked first. One that is missing, damaged or of a newer version
// counts as empty.
func Open(path, server string) *Book {
	if !nameable(server) {
		path = ""
	}
	return &Book{path: path, server: server, noted: map[string]measures{}}
}

// Load is how long the model is likely to take to come into memory: the median of the last times. 0: it has not been seen.
func (b *Book) Load(model string) time.Duration { return b.of(model).load() }

// Read is how long the model is likely to take to read so many tokens, going by prompts of about that size. 0: nobody knows.
func (b *Book) Read(model string, tokens int) time.Duration { return b.of(model).read(tokens) }

// NoteLoad notes how long a model took to come into memory. What no load can take is left out.
func (b *Book) NoteLoad(model string, took time.Duration) {
	b.note(model, measures{Loads: []milliseconds{inMilliseconds(took)}})
}

// NoteRead notes how long a model took to read so many tokens that its server did not have in its cache. What tells nothing of its speed,
// because there were few or the numbers cannot be, is left out.
func (b *Book) NoteRead(model string, tokens int, took time.Duration) {
	b.note(model, measures{Reads: []reading{{Tokens: tokens, MS: inMilliseconds(took)}}})
}

// Context is the context that the model needed last, in tokens, and how many tokens its server counts for one that is estimated. 0: unknown.
func (b *Book) Context(model string) (tokens int, scale float64) {
	m := b.of(model)
	return m.Context, m.Scale
}

// NoteContext notes what Context returns. A scale of 0 leaves the one that is known.
func (b *Book) NoteContext(model string, tokens int, scale float64) {
	b.note(model, measures{Context: tokens, Scale: scale})
}

// Save writes what was noted since the last Save to the file, and nothing when that is nothing. Another program may have written it meanwhile:
// what it noted is kept, unless both save in the same moment, which loses a measurement and no more. A damaged file is replaced; one that a newer aloud wrote, or that cannot be read, stays as it is.
func (b *Book) Save() error {
	if b == nil {
		return nil
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.path == "" || len(b.noted) == 0 {
		return nil
	}
	all, err := readFile(b.path, time.Now())
	if err != nil {
		return err
	}
	all.add(b.server, b.noted, time.Now())
	if err := all.write(b.path); err != nil {
		return err
	}
	b.known, b.noted = all.of(b.server), map[string]measures{}
	return nil
}

// of is all that is known of a model.
func (b *Book) of(model string) measures {
	if b == nil {
		return measures{}
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.known == nil {
		b.known = map[string]measures{}
		if b.path != "" {
			all, _ := readFile(b.path, time.Now()) // without it there are no estimates
			b.known = all.of(b.server)
		}
	}
	return b.known[model].with(b.noted[model])
}

func (b *Book) note(model string, m measures) {
	if b == nil {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if m = b.noted[model].with(m); !m.empty() && nameable(model) {
		b.noted[model] = m
	}
}
