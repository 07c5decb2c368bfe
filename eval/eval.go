// Package eval measures how well models use tools. It asks them questions over servers that it controls, and checks
// what came of each: which tools ran with which arguments, what is in the files, and which values are in the answer. It
// never judges the words of an answer.
//
//	eval.go     the questions, from TOML files
//	fixtures.go the servers and the folder of a question
//	check.go    the checks of what came of it; value.go finds numbers, times and words in an answer
//	run.go      asks the questions, with the same turns as the chat
//	results.go  keeps the answers; column.go sums up those of a model, and table.go shows them
package eval

import (
	"bytes"
	"cmp"
	"embed"
	"errors"
	"fmt"
	"hash/fnv"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2"
)

//go:embed questions/*.toml
var embedded embed.FS

// Kind is one file of questions.
type Kind struct {
	Name      string               `toml:"-"` // of the file, without its number and ".toml"
	Title     string               `toml:"title"`
	Servers   []string             `toml:"servers"` // built-in ones, or with a folder of questions also configured ones
	Tools     map[string]tool      `toml:"tool"`    // of the server of fixtures
	Questions map[string]*Question `toml:"question"`
}

// Question is a message for a model, with what must come of it.
type Question struct {
	Kind   *Kind             `toml:"-"`
	Name   string            `toml:"-"` // "one-tool/tokyo"
	Ask    string            `toml:"ask"`
	Files  map[string]string `toml:"files"` // in the folder of the question, by their names
	Expect Expect            `toml:"expect"`

	mark string // changes with the file, so that kept answers belong to the question as it is
}

// Questions returns aloud's own questions, see Load.
func Questions() ([]*Question, error) {
	own, _ := fs.Sub(embedded, "questions") // the name is valid
	return Load(own)
}

// Load reads all questions in a folder. Kinds alternate: the first question of each kind comes first.
func Load(folder fs.FS) ([]*Question, error) {
	names, _ := fs.Glob(folder, "*.toml") // the pattern is well formed
	if len(names) == 0 {
		return nil, errors.New("there are no TOML files in it")
	}
	var laps [][]*Question
	for _, name := range names {
		questions, err := loadKind(folder, name)
		if err != nil {
			return nil, fmt.Errorf("%q: %w", name, err)
		}
		for i, q := range questions {
			laps = slices.Grow(laps, 1)[:max(len(laps), i+1)]
			laps[i] = append(laps[i], q)
		}
	}
	return slices.Concat(laps...), nil
}

// Kinds returns the number of kinds. As many questions at the start have one of each.
func Kinds(questions []*Question) int {
	kinds := map[*Kind]bool{}
	for _, q := range questions {
		kinds[q.Kind] = true
	}
	return len(kinds)
}

// loadKind reads one file. Its questions are in the order of their names.
func loadKind(folder fs.FS, name string) ([]*Question, error) {
	text, err := readSmall(folder, name)
	if err != nil {
		return nil, err
	}
	base := strings.TrimSuffix(name, ".toml")
	k := &Kind{Name: cmp.Or(strings.TrimLeft(base, "0123456789-"), base)}
	if err := decode(text, k); err != nil {
		return nil, err
	}
	k.Title = cmp.Or(k.Title, k.Name)
	for tool, t := range k.Tools {
		for name, text := range t.Arguments {
			if kind, _, _ := argument(text); !slices.Contains(types, kind) {
				return nil, fmt.Errorf("tool.%s: the argument %q has the type %q. Use one of: %s", tool, name, kind,
					strings.Join(types, ", "))
			}
		}
	}
	hash := fnv.New64a()
	hash.Write(text)
	var all []*Question
	for id, q := range k.Questions {
		q.Kind, q.Name, q.mark = k, k.Name+"/"+id, fmt.Sprintf("%016x", hash.Sum64())
		if strings.TrimSpace(q.Ask) == "" {
			return nil, fmt.Errorf("question.%s has no ask, the message for the model", id)
		}
		if err := inFolder(slices.Collect(maps.Keys(q.Files))); err != nil {
			return nil, fmt.Errorf("question.%s.files: %w", id, err)
		}
		if err := q.Expect.valid(); err != nil {
			return nil, fmt.Errorf("question.%s.expect: %w", id, err)
		}
		all = append(all, q)
	}
	if len(all) == 0 {
		return nil, errors.New("there are no questions in it. Add a table such as [question.first]")
	}
	slices.SortFunc(all, func(a, b *Question) int { return strings.Compare(a.Name, b.Name) })
	return all, nil
}

// readSmall reads a file of questions. It refuses pipes, because opening one may block forever.
func readSmall(folder fs.FS, name string) ([]byte, error) {
	info, err := fs.Stat(folder, name)
	switch {
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular():
		return nil, errors.New("it is not a regular file")
	case info.Size() > 1<<20:
		return nil, errors.New("it is larger than 1 MB")
	}
	return fs.ReadFile(folder, name)
}

// inFolder returns an error if a file is outside of the folder of its question.
func inFolder(files []string) error {
	for _, name := range files {
		if !filepath.IsLocal(name) {
			return fmt.Errorf("%q is outside of the folder", name)
		}
	}
	return nil
}

// decode reads TOML strictly. Errors name the key and the line.
func decode(text []byte, into any) error {
	err := toml.NewDecoder(bytes.NewReader(text)).DisallowUnknownFields().Decode(into)
	if strict, ok := errors.AsType[*toml.StrictMissingError](err); ok {
		first := strict.Errors[0]
		row, _ := first.Position()
		return fmt.Errorf("unknown key %q on line %d", strings.Join(first.Key(), "."), row)
	}
	if wrong, ok := errors.AsType[*toml.DecodeError](err); ok {
		row, _ := wrong.Position()
		return fmt.Errorf("line %d: %w", row, err)
	}
	return err
}
