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
	"regexp"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2"
	"github.com/tailscale/hujson"

	"github.com/aloudchat/aloud/atomicfile"
)

// Source is a file with servers of another program.
type Source struct {
	program program
	file    string
	project string // the folder of the project that the file is in; "" for a file elsewhere
	named   bool   // on the command line
	servers map[string]any
	err     error
}

const (
	largest      = 16 << 20  // Claude Code keeps more than servers in its file
	largestParse = 128 << 10 // of what parsers read that recurse without a limit
	mostServers  = 200
)

// read fills in the servers or the error. It returns false if there is no such file and you have not named it.
func (s *Source) read(p Place) bool {
	info, err := os.Stat(s.file)
	var text []byte
	switch {
	case err == nil && (!info.Mode().IsRegular() || info.Size() > largest):
		err = errors.New("it is no file, or too large")
	case err == nil:
		text, err = os.ReadFile(s.file)
	}
	if err != nil {
		s.err = fmt.Errorf("%q cannot be read: %w", s.file, atomicfile.Cause(err))
		return s.named || !errors.Is(err, fs.ErrNotExist)
	}
	values, err := decode(s.file, bytes.TrimPrefix(text, []byte("\ufeff")))
	if err != nil {
		s.err = fmt.Errorf("%q %w", s.file, err)
		return true
	}
	s.servers, _ = values[s.program.servers].(map[string]any)
	for _, program := range programs {
		if s.named && s.servers == nil {
			s.servers, _ = values[program.servers].(map[string]any)
		}
	}
	if s.program.key == "claude-code" { // by default it keeps a server for the folder in which it was added
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
		s.servers, s.err = nil, fmt.Errorf("%q has more than %d servers", s.file, mostServers)
	case len(s.servers) == 0 && s.named:
		s.err = fmt.Errorf(`%q has no MCP servers; they are in "mcpServers", or in "servers" as in VS Code`, s.file)
	}
	return s.err != nil || len(s.servers) > 0
}

// position is where an error is, without what stands there: it may be a secret.
var position = regexp.MustCompile(`line \d+, column \d+`)

// decode reads TOML, or JSON with or without comments. The error finishes a sentence that begins with the file.
func decode(path string, text []byte) (values map[string]any, err error) {
	if strings.EqualFold(filepath.Ext(path), ".toml") {
		if len(text) > largestParse {
			return nil, errors.New("is larger than a configuration is")
		}
		err = toml.Unmarshal(text, &values)
		if wrong, ok := errors.AsType[*toml.DecodeError](err); ok {
			line, column := wrong.Position()
			return nil, fmt.Errorf("is not valid TOML at line %d, column %d", line, column)
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
		return nil, errors.New("is not valid JSON")
	}
	standard, err := hujson.Standardize(text)
	if err == nil {
		err = read(standard)
	}
	if err == nil {
		return values, nil
	}
	at := position.FindString(err.Error())
	if at != "" {
		at = " at " + at
	}
	return nil, errors.New("is not valid JSON" + at + `; the servers stand in an object: {"mcpServers": {…}}`)
}

// entry is a server as the programs write it. Its keys are taken out one after the other; what is left is of no use
// for aloud.
type entry map[string]any

// take returns the value of the first of some keys that is there.
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

// texts is a list of texts; a single one is a list, too.
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

// text is a string, also if it is written as a number, as true or false, or as {"name": "…"}.
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

// rest are the keys that are left and may matter.
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
