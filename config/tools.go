package config

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/aloudchat/aloud/atomicfile"
)

// Tool is a tool by its server and the name that the server gives it.
type Tool struct {
	Server string `json:"server"`
	Tool   string `json:"tool"`
}

// toolsOff is the content of the file of tools that are switched off.
type toolsOff struct {
	Off []Tool `json:"off"`
}

func toolsFile(stateDir string) string { return filepath.Join(stateDir, "tools.json") }

// ToolsOff returns the tools that were switched off with /tools. After an error all tools are on.
func ToolsOff(stateDir string) ([]Tool, error) {
	if stateDir == "" {
		return nil, nil
	}
	path := toolsFile(stateDir)
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	var c toolsOff
	if err == nil {
		err = json.Unmarshal(data, &c)
	}
	if err != nil {
		return nil, fmt.Errorf("all tools are on, because %q cannot be read: %w; switch them off again with /tools", path, atomicfile.Cause(err))
	}
	return c.Off, nil
}

// RememberTool remembers that a tool was switched.
func RememberTool(stateDir, server, tool string, on bool) error {
	if stateDir == "" {
		return nil
	}
	off, _ := ToolsOff(stateDir) // a damaged file is replaced
	switched := Tool{server, tool}
	off = slices.DeleteFunc(off, func(other Tool) bool { return other == switched })
	if !on {
		off = append(off, switched)
	}
	slices.SortFunc(off, func(a, b Tool) int { return cmp.Or(cmp.Compare(a.Server, b.Server), cmp.Compare(a.Tool, b.Tool)) })
	data, err := json.MarshalIndent(toolsOff{off}, "", "  ")
	if err == nil {
		err = atomicfile.Write(toolsFile(stateDir), append(data, '\n'))
	}
	if err != nil {
		return fmt.Errorf("%q cannot be written: %w", toolsFile(stateDir), atomicfile.Cause(err))
	}
	return nil
}
