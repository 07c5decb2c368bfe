package eval

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/aloudchat/aloud/internal/jsonschema"
	"github.com/aloudchat/aloud/internal/sanitize"
	"github.com/aloudchat/aloud/mcpclient"
	"github.com/aloudchat/aloud/mcpclient/builtin"
)

// tool is a tool of the server of fixtures.
type tool struct {
	Description string            `toml:"description"`
	Arguments   map[string]string `toml:"arguments"` // "TYPE: description"; a "?" after the type makes it optional
	Answers     []answer          `toml:"answers"`   // the first one that fits is the result
}

// answer is the result of calls with some arguments.
type answer struct {
	If    map[string]any `toml:"if"` // nil fits every call
	Text  string         `toml:"text"`
	Error string         `toml:"error"` // fails the call
	Once  bool           `toml:"once"`  // only for the first such call
}

// morning is what the clock of the questions shows, so that answers are known: Saturday, 14 March 2026, 09:41 in UTC.
var morning = time.Date(2026, time.March, 14, 9, 41, 0, 0, time.UTC)

// The servers of a question that can do no harm.
const (
	ownTools = "office" // the fixtures
	ownClock = "clock"  // shows morning
	ownFiles = "files"  // serves the folder of the question
)

// servers writes the files of a question into folder, and returns the servers that it has from aloud.
func (q *Question) servers(folder string) ([]mcpclient.Server, error) {
	for name, text := range q.Files {
		path := filepath.Join(folder, filepath.FromSlash(name))
		err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte(expand(text)), 0o600))
		if err != nil {
			return nil, err
		}
	}
	var list []mcpclient.Server
	add := func(name string, s *builtin.Server) {
		list = append(list, mcpclient.Server{Name: name, Trusted: true, Required: true, Local: s, Insider: s})
	}
	if len(q.Kind.Tools) > 0 {
		add(ownTools, builtin.Scripted(ownTools, q.tools()))
	}
	if slices.Contains(q.Kind.Servers, ownClock) {
		add(ownClock, builtin.Clock(func() time.Time { return morning }))
	}
	if slices.Contains(q.Kind.Servers, ownFiles) {
		s, err := builtin.New(ownFiles, builtin.Options{Dir: folder, Write: true, Asks: true})
		if err != nil {
			return nil, err
		}
		add(ownFiles, s)
	}
	return list, nil
}

// tools returns the tools of the fixtures for one turn.
func (q *Question) tools() (list []builtin.Tool) {
	for _, name := range slices.Sorted(maps.Keys(q.Kind.Tools)) {
		t := q.Kind.Tools[name]
		schema := t.schema()
		var mu sync.Mutex
		used := map[int]bool{} // answers that are not given again
		list = append(list, builtin.Tool{Name: name, Description: t.Description, Schema: schema,
			Answer: func(arguments map[string]any) (string, error) {
				mu.Lock()
				defer mu.Unlock()
				return t.answer(schema, arguments, used)
			}})
	}
	return list
}

// answer returns the result of a call. Like a strict server, it refuses arguments that do not fit the schema.
func (t tool) answer(schema json.RawMessage, given map[string]any, used map[int]bool) (string, error) {
	raw, _ := json.Marshal(given) // it was JSON
	value, _ := jsonschema.Decode(raw)
	root, _ := jsonschema.Parse(schema)
	if faults, _ := new(jsonschema.Check).Validate(root, value); len(faults) > 0 {
		return "", fmt.Errorf("invalid arguments: %s %s", strings.Join(faults[0].Path, "."), faults[0].Text)
	}
	for i, a := range t.Answers {
		if used[i] || !fits(a.If, given) {
			continue
		}
		used[i] = a.Once
		if a.Error != "" {
			return "", errors.New(a.Error)
		}
		return expand(a.Text), nil
	}
	return "", errors.New("nothing is known about this. Check the arguments")
}

// types are the types of arguments.
var types = []string{"string", "integer", "number", "boolean"}

// argument takes "TYPE?: description" apart.
func argument(text string) (kind, about string, optional bool) {
	kind, about, _ = strings.Cut(text, ":")
	kind, optional = strings.CutSuffix(strings.TrimSpace(kind), "?")
	return kind, strings.TrimSpace(about), optional
}

// schema returns the JSON Schema of the arguments.
func (t tool) schema() json.RawMessage {
	properties, required := map[string]any{}, []string{}
	for name, text := range t.Arguments {
		kind, about, optional := argument(text)
		properties[name] = map[string]string{"type": kind, "description": about}
		if !optional {
			required = append(required, name)
		}
	}
	slices.Sort(required)
	schema, _ := json.Marshal(map[string]any{ // cannot fail
		"type": "object", "properties": properties, "required": required, "additionalProperties": false,
	})
	return schema
}

// filler is a place for lines in which there is nothing to find: "{{200 lines}}".
var filler = sanitize.Pattern(`\{\{(\d{1,4}) lines\}\}`)

// expand fills in the fillers of a text.
func expand(text string) string {
	line := 0
	return filler().ReplaceAllStringFunc(text, func(found string) string {
		var lines []string
		n, _ := strconv.Atoi(filler().FindStringSubmatch(found)[1])
		for range n {
			line++
			lines = append(lines, fmt.Sprintf("%02d:%02d gate %d: a parcel passed, weight %d g",
				line/60%24, line%60, line%7+1, 100+line*37%900))
		}
		return strings.Join(lines, "\n")
	})
}
