// Package others reads which MCP servers other programs are configured with: Claude Desktop, Claude Code, VS Code, Cursor, Gemini CLI, Codex,
// Crush, Kit and LM Studio.
//
// It reads and tells, and nothing more: no server is started, no command that stands in such a file is run, no variable is looked up.
// What a file says is not trusted: files are bounded in size and depth, and whoever shows a word of them sanitizes it first.
package others

import (
	"errors"
	"io/fs"
	"maps"
	"slices"
	"time"
)

// Place is where to look.
type Place struct {
	GOOS string                      // "linux", "darwin" or "windows"
	Home string                      // of the person; "": the files there are not found
	Dir  string                      // the current folder, whose project files are read too; "": they are not
	Env  func(string) (string, bool) // os.LookupEnv; for where files are, and which variables are not set
}

// Source is one file that says something about servers.
type Source struct {
	Program string // "Claude Desktop"
	File    string
	Project string   // the folder of the project that the file is of; "": it is a person's own
	Named   bool     // a person named the file: it was not found by looking for it
	Servers []Server // by name
	Left    []Left   // entries that no server can be made of
	Inputs  []Input  // what the values of Servers ask a person for
	Err     error    // why the file cannot be read: one sentence that names it
}

// Server is a server as another program has it, in a form common to all. Exactly one of Command and URL is set.
type Server struct {
	Name                        string // as it is written, which may be anything
	Command                     Text
	Args                        []Text
	Env                         map[string]Text
	EnvVars                     []string // names of variables that are passed on
	Cwd                         Text
	URL                         Text
	Transport                   string // "stdio", "http" or "sse"
	Headers                     map[string]Text
	Login                       Login
	StartupTimeout, ToolTimeout time.Duration // 0: not said
	Disabled                    bool
	EnabledTools, DisabledTools []string
	Remarks                     []string // what of it was left out or changed, a sentence each, without a full stop
}

// Login is how to log in to a server with a URL.
type Login struct {
	Off          bool // there is no login
	ClientID     Text
	ClientSecret Text
	Scopes       []string
	CallbackPort int // 0: any
}

// Left is an entry that was left out as a whole, and why.
type Left struct{ Name, Why string }

// Input is something that a person is asked for.
type Input struct {
	ID, Description, Default string
	Password                 bool     // it must not be shown, nor kept
	Options                  []string // the only answers; nil: any
	Unknown                  bool     // where it would come from is not for us: a command that would have to run, say
}

// Find reads the files of the programs with these keys, of all of them when there are none. Files that do not exist are left out, those
// without servers are not.
func Find(p Place, keys ...string) []Source {
	var found []Source
	for _, program := range Programs() {
		if len(keys) > 0 && !slices.Contains(keys, program.Key) {
			continue
		}
		for _, file := range program.Files(p) {
			text, err := read(file.Path)
			if missing(err) {
				continue
			}
			found = append(found, source(p, program, file, text, err))
		}
	}
	return found
}

// Read reads one file, whichever program it is of. A file that does not exist is an error in the source.
func Read(p Place, path string) Source {
	text, err := read(path)
	program, project := guess(path, text)
	if project == p.Home {
		project = "" // the same file as Find finds, which is no project's
	}
	return source(p, program, File{Path: path, Project: project, named: true}, text, err)
}

func missing(err error) bool {
	return err != nil && (errors.Is(err, fs.ErrNotExist) || notAFolder(err))
}

// Variables are the names of the variables that the values of the server are made of, or that it is passed. They come more than once if they are
// there more than once. Those that it sets itself, and that its arguments name, are not among them.
func (s Server) Variables() []string {
	names := slices.Clone(s.EnvVars)
	for _, arg := range s.Args {
		for _, p := range arg {
			if _, own := s.Env[p.Text]; p.Kind == Variable && !own {
				names = append(names, p.Text)
			}
		}
	}
	texts := []Text{s.Command, s.Cwd, s.URL, s.Login.ClientID, s.Login.ClientSecret}
	for _, pairs := range []map[string]Text{s.Env, s.Headers} {
		texts = slices.AppendSeq(texts, maps.Values(pairs))
	}
	for _, t := range texts {
		for _, p := range t {
			if p.Kind == Variable {
				names = append(names, p.Text)
			}
		}
	}
	return names
}
