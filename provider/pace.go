package provider

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math/bits"
	"os"
	"slices"
	"sync"
	"time"

	"github.com/aloudchat/aloud/atomicfile"
)

// Pace remembers how long the models of one server take, to come into memory and to read, and how much context they needed. The numbers are
// measured by the server in earlier turns and kept in a small file. A nil *Pace knows nothing and notes nothing. Safe for concurrent use.
type Pace struct {
	path   string
	server string

	mu    sync.Mutex
	read  bool                // the file was read
	known map[string]measures // by model, from the file
	noted map[string]measures // since the last Save
}

// OpenPace returns what the file at path has of the server at an address; "" keeps it in memory only. The address is written into the file: it must
// be one without passwords. The file is read when something is asked first. One that is missing or damaged counts as empty.
func OpenPace(path, server string) *Pace {
	return &Pace{path: path, server: server, noted: map[string]measures{}}
}

// measures are what was measured of one model.
type measures struct {
	Load    int64     `json:"load_ms,omitempty"` // the last time it came into memory
	Reads   []reading `json:"reads,omitempty"`   // one of each size, in which newer ones count most
	Context int       `json:"context,omitempty"` // tokens that the last turn needed; 0: unknown
	Scale   float64   `json:"scale,omitempty"`   // how many tokens the server counts for one that is estimated; 0: unknown
}

// reading is a prompt, or the part of it that was not in the server's cache.
type reading struct {
	Tokens int   `json:"tokens"`
	MS     int64 `json:"ms"`
}

// away is how much longer or shorter a prompt is than one of so many tokens, as a factor of 1 or more.
func (r reading) away(tokens int) float64 {
	return max(float64(r.Tokens)/float64(tokens), float64(tokens)/float64(r.Tokens))
}

// size is the same for prompts that are alike: each has four times the tokens of the one before.
func (r reading) size() int { return bits.Len(uint(r.Tokens)) / 2 }

const (
	day        = 24 * 60 * 60 * 1000 // milliseconds
	mostTokens = 10_000_000
)

// shortestLoad tells a model that came into memory from one that was there already, under another name: that takes some milliseconds.
const shortestLoad = 20 * time.Millisecond

// Loaded reports whether the model came into memory for the reply.
func (u Usage) Loaded() bool { return u.Load >= shortestLoad }

// sane leaves out what cannot be, and what tells nothing: the fixed costs of a request drown the speed of a short prompt, and what was read in no
// time was in the server's cache.
func (m measures) sane() measures {
	if m.Load < shortestLoad.Milliseconds() || m.Load > day {
		m.Load = 0
	}
	m.Reads = slices.DeleteFunc(m.Reads, func(r reading) bool {
		return r.Tokens < 200 || r.Tokens > mostTokens || r.MS < 1 || r.MS > day || r.MS < int64(r.Tokens)/1000
	})
	return m
}

// with is m with newer measures in place of what they know better.
func (m measures) with(newer measures) measures {
	newer = newer.sane()
	both := measures{Load: cmp.Or(newer.Load, m.Load), Context: cmp.Or(newer.Context, m.Context), Scale: cmp.Or(newer.Scale, m.Scale)}
	both.Reads = slices.Clone(m.Reads)
	for _, r := range newer.Reads {
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

// Load is how long the model is likely to take to come into memory; 0 if unknown.
func (p *Pace) Load(model string) time.Duration {
	return time.Duration(p.of(model).Load) * time.Millisecond
}

// Read is how long the model is likely to take to read so many tokens; 0 if unknown. It goes by the prompt that is nearest in size, since a
// long prompt takes more time for each token than a short one.
func (p *Pace) Read(model string, tokens int) time.Duration {
	reads := p.of(model).Reads
	if tokens <= 0 || len(reads) == 0 {
		return 0
	}
	near := slices.MinFunc(reads, func(a, b reading) int { return cmp.Compare(a.away(tokens), b.away(tokens)) })
	if near.away(tokens) > 4 {
		return 0
	}
	return time.Duration(min(float64(near.MS)*float64(tokens)/float64(near.Tokens)+0.5, day)) * time.Millisecond
}

// Context is the context that the model needed last, in tokens, and how many tokens its server counts for one that is estimated; 0 if unknown.
func (p *Pace) Context(model string) (tokens int, scale float64) {
	m := p.of(model)
	return m.Context, m.Scale
}

// NoteLoad notes how long a model took to come into memory.
func (p *Pace) NoteLoad(model string, took time.Duration) {
	p.note(model, measures{Load: took.Milliseconds()})
}

// NoteRead notes how long a model took to read so many tokens that its server did not have in its cache.
func (p *Pace) NoteRead(model string, tokens int, took time.Duration) {
	p.note(model, measures{Reads: []reading{{tokens, took.Milliseconds()}}})
}

// NoteContext notes what Context returns. A scale of 0 leaves the one that is known.
func (p *Pace) NoteContext(model string, tokens int, scale float64) {
	p.note(model, measures{Context: tokens, Scale: scale})
}

func (p *Pace) note(model string, m measures) {
	if p == nil || model == "" {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.noted[model] = p.noted[model].with(m)
}

// of is all that is known of a model.
func (p *Pace) of(model string) measures {
	if p == nil {
		return measures{}
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.read {
		p.read = true
		all, _ := readPace(p.path) // without it there are no estimates
		p.known = all.Servers[p.server]
	}
	return p.known[model].with(p.noted[model])
}

// Save adds what was noted since the last Save to the file. Another program may have written it meanwhile: what it noted is kept, unless both save
// in the same moment. A damaged file is replaced; one that a newer aloud wrote, or that cannot be read, stays as it is.
func (p *Pace) Save() error {
	if p == nil {
		return nil
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.path == "" || p.server == "" || len(p.noted) == 0 {
		return nil
	}
	all, err := readPace(p.path)
	if err == nil {
		p.known = maps.Clone(all.Servers[p.server])
		if p.known == nil {
			p.known = map[string]measures{}
		}
		for model, m := range p.noted {
			p.known[model] = p.known[model].with(m)
		}
		all.Servers[p.server] = p.known
		var text []byte
		if text, err = json.MarshalIndent(all, "", "  "); err == nil {
			err = atomicfile.Write(p.path, append(text, '\n'))
		}
	}
	if err != nil {
		return fmt.Errorf("how fast models are is not kept: %w", err)
	}
	p.noted = map[string]measures{}
	return nil
}

// paceFile is the content of the file.
type paceFile struct {
	Version int                            `json:"version"`
	Servers map[string]map[string]measures `json:"servers"` // by address, then by model
}

const paceVersion = 2

// readPace reads the file at path. The error is about a file that must stay as it is.
func readPace(path string) (paceFile, error) {
	empty := paceFile{paceVersion, map[string]map[string]measures{}}
	data, err := os.ReadFile(path)
	if path == "" || errors.Is(err, fs.ErrNotExist) {
		return empty, nil
	}
	if err != nil {
		return empty, err
	}
	var read paceFile
	err = json.Unmarshal(data, &read) // sets Version even if another field has the wrong type
	switch {
	case read.Version > paceVersion:
		return empty, fmt.Errorf("%q has version %d, which a newer aloud wrote", path, read.Version)
	case err != nil, read.Version < paceVersion, read.Servers == nil:
		return empty, nil
	}
	for _, models := range read.Servers {
		for name, m := range models {
			models[name] = measures{}.with(m) // the file may have been edited
		}
	}
	return read, nil
}
