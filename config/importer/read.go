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
	"reflect"
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
	project string // the folder of the project that the file is of; "" for a user's own file
	named   bool   // on the command line
	servers map[string]any
	err     error
}

// strange reports whether others may have written the file, and you have not named it.
func (s Source) strange() bool { return s.project != "" && !s.named }

const (
	largest      = 16 << 20  // Claude Code keeps more than servers in its file
	largestParse = 128 << 10 // of what parsers read that recurse without a limit
	largestEntry = 32 << 10
	mostServers  = 200
)

// read fills in the servers or the error. It returns false if there is no such file and nobody named it.
func (s *Source) read(p Place) bool {
	info, err := os.Stat(s.file)
	var text []byte
	switch {
	case errors.Is(err, fs.ErrNotExist) && !s.named:
		return false
	case err == nil && (!info.Mode().IsRegular() || info.Size() > largest):
		err = errors.New("it is no file, or too large")
	case err == nil:
		text, err = os.ReadFile(s.file)
	}
	if err != nil {
		s.err = fmt.Errorf("%q cannot be read: %w", s.file, atomicfile.Cause(err))
		return !errors.Is(err, fs.ErrNotExist) || s.named
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
	if s.program.key == "claude-code" { // by default it keeps what it is told in a folder for that folder
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
		if err := toml.Unmarshal(text, &values); err != nil {
			at := ""
			if wrong, ok := errors.AsType[*toml.DecodeError](err); ok {
				line, column := wrong.Position()
				at = fmt.Sprintf(" at line %d, column %d", line, column)
			}
			return nil, errors.New("is not valid TOML" + at)
		}
		return values, nil
	}
	if len(bytes.TrimSpace(text)) == 0 || json.Unmarshal(text, &values) == nil {
		return values, nil
	}
	if len(text) > largestParse {
		return nil, errors.New("is not valid JSON")
	}
	standard, err := hujson.Standardize(text)
	if err == nil {
		err = json.Unmarshal(standard, &values)
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

// entry is a server as the programs write it.
type entry struct {
	Type           string
	Transport      string
	Command        words
	Args           words
	Env            map[string]word
	EnvVars        words `json:"env_vars"`
	Cwd            string
	URL            string
	HTTPURL        string `json:"httpUrl"`
	ServerURL      string `json:"serverUrl"`
	Headers        map[string]word
	HTTPHeaders    map[string]word `json:"http_headers"`
	EnvHTTPHeaders map[string]word `json:"env_http_headers"`
	BearerEnv      string          `json:"bearer_token_env_var"`
	Disabled       bool
	Enabled        *bool
	Startup        float64  `json:"startup_timeout_sec"`
	Tool           float64  `json:"tool_timeout_sec"`
	EnabledTools   []string `json:"enabled_tools"`
	IncludeTools   []string
	DisabledTools  []string `json:"disabled_tools"`
	ExcludeTools   []string
}

// word is a string, also if it is written as a number, as true or false, or as {"name": "…"}.
type word string

func (w *word) UnmarshalJSON(text []byte) error {
	var value any
	if err := json.Unmarshal(text, &value); err != nil {
		return err
	}
	switch value := value.(type) {
	case nil:
	case string:
		*w = word(value)
	case []any:
		return errors.New("is no text")
	case map[string]any:
		name, _ := value["name"].(string)
		*w = word(name)
	default:
		*w = word(text)
	}
	return nil
}

// words is a list of them, or one.
type words []word

func (w *words) UnmarshalJSON(text []byte) error {
	if !bytes.HasPrefix(text, []byte("[")) {
		*w = make(words, 1)
		return json.Unmarshal(text, &(*w)[0])
	}
	return json.Unmarshal(text, (*[]word)(w))
}

// parse reads a server. other are keys that aloud has no use for.
func parse(value any) (e entry, other []string, err error) {
	text, err := json.Marshal(value)
	table, ok := value.(map[string]any)
	switch {
	case err != nil || !ok:
		return e, nil, errors.New("it is no table")
	case len(text) > largestEntry:
		return e, nil, errors.New("it is too large")
	case json.Unmarshal(text, &e) != nil:
		return e, nil, errors.New("a value in it has the wrong type")
	}
	known := []string{"name", "description", "title", "icon", "version", "gallery", "$schema"}
	for field := range reflect.TypeFor[entry]().Fields() {
		known = append(known, strings.ToLower(field.Name), field.Tag.Get("json"))
	}
	for key, value := range table {
		if !slices.Contains(known, key) && !slices.Contains(known, strings.ToLower(key)) && value != nil && value != false {
			other = append(other, fmt.Sprintf("%q", key))
		}
	}
	slices.Sort(other)
	return e, other, nil
}
