package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/aloudchat/aloud/atomicfile"
	"github.com/aloudchat/aloud/mcpclient"
)

// switches is the file in the state folder that remembers which tools a person switched off with /tools. Only those are in it: a tool that
// nobody touched is on.
type switches struct{ path string }

// switchesOf returns the file of a state folder; one without a name remembers nothing.
func switchesOf(stateDir string) switches {
	if stateDir == "" {
		return switches{}
	}
	return switches{filepath.Join(stateDir, "tools.json")}
}

// switchesFile is the content of the file.
type switchesFile struct {
	Off []string `json:"off"`
}

// largestSwitches is in bytes. No one switches off so many tools by hand.
const largestSwitches = 1 << 20

// toolName is what a name towards the model looks like.
var toolName = regexp.MustCompile(`^[A-Za-z0-9_-]{1,64}$`)

// off returns the names of the tools that are switched off. The error is one sentence; then all tools are on.
func (s switches) off() ([]string, error) {
	if s.path == "" {
		return nil, nil
	}
	data, err := s.read()
	var file switchesFile
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case err != nil:
		return nil, fmt.Errorf("all tools are on: %q, which tells the ones that were switched off, cannot be read: %w; remove it, or let it be read", s.path, err)
	case json.Unmarshal(data, &file) != nil:
		return nil, fmt.Errorf("all tools are on: %q, which tells the ones that were switched off, is damaged; switch them off again with /tools", s.path)
	}
	return slices.DeleteFunc(file.Off, func(name string) bool { return !toolName.MatchString(name) }), nil
}

func (s switches) read() ([]byte, error) {
	f, err := os.Open(s.path)
	if err != nil {
		return nil, withoutPath(err)
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, largestSwitches+1))
	if err == nil && len(data) > largestSwitches {
		err = errors.New("it is too large")
	}
	return data, withoutPath(err)
}

// withoutPath is the cause of an error of a file, which is named elsewhere in the sentence.
func withoutPath(err error) error {
	var path *fs.PathError
	var link *os.LinkError
	switch {
	case errors.As(err, &path):
		return path.Err
	case errors.As(err, &link):
		return link.Err
	}
	return err
}

// apply switches the tools off that were off at the last start, those of servers that are not up yet, too.
func (s switches) apply(set *mcpclient.Set) error {
	off, err := s.off()
	for _, name := range off {
		set.Enable(name, false)
	}
	return err
}

// remember notes a tool that was switched. The file is read anew each time, since another aloud may have written it, and replaced in one step;
// while it is written no other aloud writes it.
func (s switches) remember(name string, on bool) error {
	const patience = 10 * time.Second // it takes milliseconds, even on a slow disk
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	unlock, err := atomicfile.Lock(ctx, strings.TrimSuffix(s.path, ".json")+".lock")
	if err != nil {
		return fmt.Errorf("%q cannot be written: %w", s.path, withoutPath(err))
	}
	defer unlock()
	off, _ := s.off() // one that is damaged is written anew
	off = slices.DeleteFunc(off, func(other string) bool { return other == name })
	if !on {
		off = append(off, name)
	}
	slices.Sort(off)
	data, err := json.MarshalIndent(switchesFile{slices.Compact(off)}, "", "  ")
	if err != nil {
		return err
	}
	if err := atomicfile.Write(s.path, append(data, '\n')); err != nil {
		return fmt.Errorf("%q cannot be written: %w", s.path, withoutPath(err))
	}
	return nil
}
