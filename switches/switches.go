// Package switches remembers which tools you switched off with /tools, from one start to the next. All others are on.
package switches

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/aloudchat/aloud/atomicfile"
	"github.com/aloudchat/aloud/cause"
)

// File is where they are kept. In the zero File nothing is off.
type File struct{ path string }

// In returns the file in a state folder; the zero File if that is "".
func In(stateDir string) File {
	if stateDir == "" {
		return File{}
	}
	return File{filepath.Join(stateDir, "tools.json")}
}

// content is the content of the file.
type content struct {
	Off []Tool `json:"off"`
}

// Tool is a tool by the name its server has for it, which does not depend on other servers.
type Tool struct {
	Server string `json:"server"`
	Tool   string `json:"tool"`
}

// Largest is how many bytes of a file are read.
const Largest = 1 << 20

// Off returns the tools that are switched off. The error is one sentence; then all tools are on.
func (f File) Off() ([]Tool, error) {
	if f.path == "" {
		return nil, nil
	}
	data, err := f.read()
	var c content
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case err != nil:
		return nil, fmt.Errorf("all tools are on: %q, the list of those that were switched off, cannot be read: %w; remove it, or let it be read", f.path, err)
	case json.Unmarshal(data, &c) != nil:
		return nil, fmt.Errorf("all tools are on: %q, the list of those that were switched off, is damaged; switch them off again with /tools", f.path)
	}
	return c.Off, nil
}

func (f File) read() ([]byte, error) {
	opened, err := os.Open(f.path)
	if err != nil {
		return nil, cause.Of(err)
	}
	defer opened.Close()
	data, err := io.ReadAll(io.LimitReader(opened, Largest+1))
	if err == nil && len(data) > Largest {
		err = errors.New("it is too large")
	}
	return data, cause.Of(err)
}

// Remember notes a tool that was switched. It reads the file each time, since another aloud may have written it, and
// replaces it in one step while no other aloud writes it.
func (f File) Remember(server, tool string, on bool) error {
	if f.path == "" {
		return nil
	}
	const patience = 10 * time.Second // it takes milliseconds, even on a slow disk
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	unlock, err := atomicfile.Lock(ctx, strings.TrimSuffix(f.path, ".json")+".lock")
	if err != nil {
		return fmt.Errorf("%q cannot be written: %w", f.path, cause.Of(err))
	}
	defer unlock()
	off, _ := f.Off() // a damaged file is replaced
	switched := Tool{server, tool}
	off = slices.DeleteFunc(off, func(other Tool) bool { return other == switched })
	if !on {
		off = append(off, switched)
	}
	slices.SortFunc(off, func(a, b Tool) int { return cmp.Or(cmp.Compare(a.Server, b.Server), cmp.Compare(a.Tool, b.Tool)) })
	data, err := json.MarshalIndent(content{slices.Compact(off)}, "", "  ")
	if err != nil {
		return err
	}
	if err := atomicfile.Write(f.path, append(data, '\n')); err != nil {
		return fmt.Errorf("%q cannot be written: %w", f.path, cause.Of(err))
	}
	return nil
}
