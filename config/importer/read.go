package importer

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2"
	"github.com/tailscale/hujson"

	"github.com/aloudchat/aloud/internal/atomicfile"
	"github.com/aloudchat/aloud/internal/sanitize"
)

// Source is a file of another program.
type Source struct {
	program program
	file    string
	project string // folder of the project with the file, or ""
	named   bool   // named on the command line
	servers map[string]any
	err     error
}

const (
	largest      = 16 << 20  // Claude Code also keeps its history in its file
	largestParse = 128 << 10 // for parsers that recurse without a limit
	mostServers  = 200
)

// read sets servers or err. It returns false if the file has nothing to report.
func (s *Source) read(p Environment) bool {
	info, err := os.Stat(s.file)
	var text []byte
	switch {
	case err == nil && (!info.Mode().IsRegular() || info.Size() > largest):
		err = errors.New("not a regular file, or too large")
	case err == nil:
		text, err = os.ReadFile(s.file)
	}
	if err != nil {
		s.err = atomicfile.Cause(err)
		return !errors.Is(err, fs.ErrNotExist)
	}
	values, err := decode(s.file, bytes.TrimPrefix(text, []byte("\ufeff")))
	if err != nil {
		s.err = err
		return true
	}
	s.servers, _ = values[s.program.servers].(map[string]any)
	for _, program := range programs {
		if s.named && s.servers == nil {
			s.servers, _ = values[program.servers].(map[string]any)
		}
	}
	if s.program.key == "claude-code" { // by default, a server belongs to a folder
		projects, _ := values["projects"].(map[string]any)
		project, _ := projects[filepath.ToSlash(p.Dir)].(map[string]any)
		local, _ := project["mcpServers"].(map[string]any)
		if s.servers == nil {
			s.servers = map[string]any{}
		}
		maps.Copy(s.servers, local)
	}
	switch {
	case len(s.servers) > mostServers:
		s.servers, s.err = nil, fmt.Errorf("more than %d servers", mostServers)
	case len(s.servers) == 0 && s.named:
		s.err = errors.New(`no MCP servers. They must be in "mcpServers", or in "servers" as in VS Code`)
	}
	return s.err != nil || len(s.servers) > 0
}

// position matches the position in an error. The rest may contain a secret.
var position = sanitize.Pattern(`line \d+, column \d+`)

// decode reads TOML, or JSON with or without comments.
func decode(path string, text []byte) (values map[string]any, err error) {
	if strings.EqualFold(filepath.Ext(path), ".toml") {
		if len(text) > largestParse {
			return nil, errors.New("too large")
		}
		err = toml.Unmarshal(text, &values)
		if wrong, ok := errors.AsType[*toml.DecodeError](err); ok {
			line, column := wrong.Position()
			return nil, fmt.Errorf("invalid TOML at line %d, column %d", line, column)
		}
		return values, err
	}
	if len(bytes.TrimSpace(text)) == 0 {
		return nil, nil
	}
	read := func(text []byte) error {
		decoder := json.NewDecoder(bytes.NewReader(text))
		decoder.UseNumber()
		return decoder.Decode(&values)
	}
	if read(text) == nil {
		return values, nil
	}
	if len(text) > largestParse {
		return nil, errors.New("invalid JSON")
	}
	standard, err := hujson.Standardize(text)
	if err == nil {
		err = read(standard)
	}
	if err == nil {
		return values, nil
	}
	if at := position().FindString(err.Error()); at != "" {
		return nil, errors.New("invalid JSON at " + at)
	}
	return nil, errors.New(`invalid JSON, it must be an object like {"mcpServers": {…}}`)
}

// entry is a server of another program. Reading a key removes it, so that the unused keys are left.
type entry map[string]any

// take removes keys and returns the value of the first one present.
func (e entry) take(keys ...string) (value any) {
	for _, key := range keys {
		if value == nil {
			value = e[key]
		}
		delete(e, key)
	}
	return value
}

func (e entry) text(keys ...string) string { return text(e.take(keys...)) }

// texts returns a list of strings. A single string counts as a list.
func (e entry) texts(keys ...string) (all []string) {
	value := e.take(keys...)
	list, isList := value.([]any)
	if !isList && value != nil {
		list = []any{value}
	}
	for _, v := range list {
		all = append(all, text(v))
	}
	return all
}

func (e entry) pairs(keys ...string) map[string]string {
	pairs := map[string]string{}
	table, _ := e.take(keys...).(map[string]any)
	for name, value := range table {
		pairs[name] = text(value)
	}
	return pairs
}

// text returns a value as a string: a string, number, bool or {"name": "…"}.
func text(value any) string {
	switch value := value.(type) {
	case string:
		return value
	case nil, []any:
		return ""
	case map[string]any:
		name, _ := value["name"].(string)
		return name
	}
	return fmt.Sprint(value)
}

// rest returns the keys that are left and may matter.
func (e entry) rest() (keys []string) {
	e.take("name", "description", "title", "icon", "version", "gallery", "$schema")
	for key, value := range e {
		if value != nil && value != false {
			keys = append(keys, fmt.Sprintf("%q", key))
		}
	}
	slices.Sort(keys)
	return keys
}
