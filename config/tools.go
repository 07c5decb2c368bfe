package config

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"

	"github.com/aloudchat/aloud/internal/atomicfile"
)

// Tool names a tool of a server.
type Tool struct {
	Server string `json:"server"`
	Tool   string `json:"tool"`
}

// toolsContent is the content of the file.
type toolsContent struct {
	Version int    `json:"version"`
	Off     []Tool `json:"off"`
}

const toolsVersion = 1

func toolsFile(stateDir string) string { return filepath.Join(stateDir, "tools.json") }

// ToolsOff returns the tools that the user turned off with /tools. After an error, all tools are on.
func ToolsOff(stateDir string) ([]Tool, error) {
	if stateDir == "" {
		return nil, nil
	}
	path := toolsFile(stateDir)
	data, err := atomicfile.Read(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	var content toolsContent
	if err == nil {
		err = json.Unmarshal(data, &content) // sets Version even if another field has the wrong type
	}
	if content.Version > toolsVersion {
		err = &atomicfile.NewerError{Version: content.Version, Known: toolsVersion}
	}
	if err != nil {
		return nil, fmt.Errorf("cannot read %q, all tools are on: %w. Turn tools off with /tools",
			path, atomicfile.Cause(err))
	}
	return content.Off, nil
}

// RememberTool stores that a tool was turned on or off.
func RememberTool(stateDir, server, tool string, on bool) error {
	if stateDir == "" {
		return nil
	}
	off, err := ToolsOff(stateDir) // replace a damaged file
	if errors.As(err, new(*atomicfile.NewerError)) {
		return err
	}
	switched := Tool{server, tool}
	off = slices.DeleteFunc(off, func(other Tool) bool { return other == switched })
	if !on {
		off = append(off, switched)
	}
	slices.SortFunc(off, func(a, b Tool) int { return cmp.Compare(a.Server+"."+a.Tool, b.Server+"."+b.Tool) })
	data, err := json.MarshalIndent(toolsContent{toolsVersion, off}, "", "  ")
	if err == nil {
		err = atomicfile.Write(toolsFile(stateDir), append(data, '\n'))
	}
	if err != nil {
		return fmt.Errorf("cannot write %q: %w", toolsFile(stateDir), atomicfile.Cause(err))
	}
	return nil
}
