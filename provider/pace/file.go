package pace

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"time"

	"github.com/aloudchat/aloud/atomicfile"
)

const (
	version     = 1
	mostModels  = 200
	longestName = 512 // bytes of a model's name, or of a server's address
	largestFile = 1 << 20
)

// file is the content of the file.
type file struct {
	Version int     `json:"version"`
	Models  []entry `json:"models,omitempty"`
}

// entry is a model of a server.
type entry struct {
	Server string    `json:"server"`
	Model  string    `json:"model"`
	Used   time.Time `json:"used"`
	measures
}

// readFile reads the file at path. One that is missing, or damaged, is an empty one. The error is one sentence and is about a file that
// must stay as it is.
func readFile(path string, now time.Time) (file, error) {
	data, err := load(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return file{}, nil
	case err != nil:
		return file{}, notKept(err)
	}
	f, err := parse(data, now)
	if err != nil {
		return file{}, notKept(fmt.Errorf("%q %w", path, err))
	}
	return f, nil
}

func notKept(err error) error { return fmt.Errorf("how fast models are is not kept: %w", err) }

// load returns no more of the file than shows that it is too large.
func load(path string) ([]byte, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() { // reading from a pipe might never end
		return nil, fmt.Errorf("%q is no regular file", path)
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, largestFile+1))
}

// parse takes what makes sense out of the text. Only a file of a newer version is an error: what is in it is not for this program, and worth
// more to the one that wrote it than what this one could put there.
func parse(data []byte, now time.Time) (file, error) {
	var about struct {
		Version int `json:"version"`
	}
	var f file
	switch {
	case len(data) > largestFile, json.Unmarshal(data, &about) != nil:
		return file{}, nil
	case about.Version > version:
		return file{}, fmt.Errorf("is of version %d, which a newer aloud wrote", about.Version)
	case about.Version != version, json.Unmarshal(data, &f) != nil:
		return file{}, nil
	}
	read := file{}
	for _, e := range f.Models[:min(len(f.Models), mostModels)] {
		if nameable(e.Server) && nameable(e.Model) {
			read.merge(e, now)
		}
	}
	read.bound()
	return read, nil
}

// nameable tells whether a model or a server can stand in the file.
func nameable(name string) bool { return name != "" && len(name) <= longestName }

// of is what is known of the models of a server.
func (f *file) of(server string) map[string]measures {
	models := map[string]measures{}
	for _, e := range f.Models {
		if e.Server == server {
			models[e.Model] = e.measures
		}
	}
	return models
}

// add puts in what was noted of the models of a server.
func (f *file) add(server string, noted map[string]measures, now time.Time) {
	for model, m := range noted {
		if nameable(server) {
			f.merge(entry{server, model, now, m}, now)
		}
	}
	f.bound()
}

// merge puts in an entry whose measures are newer than those that are there.
func (f *file) merge(e entry, now time.Time) {
	if e.Used.After(now) { // a clock that was wrong would keep it for ever
		e.Used = now
	}
	if e.Used = e.Used.UTC().Truncate(time.Second); e.Used.Year() < 1 { // no such year can be written
		e.Used = time.Time{}
	}
	i := slices.IndexFunc(f.Models, func(other entry) bool { return other.Server == e.Server && other.Model == e.Model })
	if i < 0 {
		e.measures = measures{}.with(e.measures)
		f.Models = append(f.Models, e)
		return
	}
	e.measures = f.Models[i].with(e.measures)
	f.Models[i] = e
}

// bound brings the entries into order, the one used last first, and leaves out those that nobody used for the longest time.
func (f *file) bound() {
	f.Models = slices.DeleteFunc(f.Models, func(e entry) bool { return e.empty() })
	slices.SortStableFunc(f.Models, func(a, b entry) int {
		return cmp.Or(b.Used.Compare(a.Used), cmp.Compare(a.Server, b.Server), cmp.Compare(a.Model, b.Model))
	})
	f.Models = f.Models[:min(len(f.Models), mostModels)]
}

// write replaces the file in one step, so that a reader sees the old text or the new one and nothing between. It does not wait until the disk
// has it: after a crash of the machine the file may be empty, and what it had is soon measured again.
func (f *file) write(path string) error {
	text, err := f.text()
	if err == nil {
		err = atomicfile.Write(path, text)
	}
	if err != nil {
		return notKept(err)
	}
	return nil
}

// text is the file as it is written. What would be too large to be read again is shortened: names can be very odd.
func (f *file) text() ([]byte, error) {
	f.Version = version
	for {
		text, err := json.MarshalIndent(f, "", "  ")
		if len(text) < largestFile {
			return append(text, '\n'), err
		}
		f.Models = f.Models[:len(f.Models)/2]
	}
}
