package importer

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/aloudchat/aloud/sanitize"
)

// program is one that has MCP servers, and where. In its files ~ is the home folder, {apps} the folder for settings of
// desktop programs and {config} that of terminal programs.
type program struct {
	key, name string
	file      string   // of the user
	project   []string // in the folder of a project
	servers   string   // the key of the servers
	dollar    bool     // $NAME is a variable, too
	sse       bool     // "url" is an SSE server
}

var programs = []program{
	{"claude-desktop", "Claude Desktop", "{apps}/Claude/claude_desktop_config.json", nil, "mcpServers", false, false},
	{"claude-code", "Claude Code", "~/.claude.json", []string{".mcp.json"}, "mcpServers", false, false},
	{"vscode", "VS Code", "{apps}/Code/User/mcp.json", []string{".vscode/mcp.json"}, "servers", false, false},
	{"cursor", "Cursor", "~/.cursor/mcp.json", []string{".cursor/mcp.json"}, "mcpServers", false, false},
	{"gemini", "Gemini CLI", "~/.gemini/settings.json", []string{".gemini/settings.json"}, "mcpServers", true, true},
	{"lmstudio", "LM Studio", "~/.lmstudio/mcp.json", nil, "mcpServers", false, false},
	{"codex", "Codex", "~/.codex/config.toml", []string{".codex/config.toml"}, "mcp_servers", false, false},
	{"crush", "Crush", "{config}/crush/crush.json", []string{".crush.json", "crush.json"}, "mcp", true, false},
}

// Programs are the names of the known programs on a command line.
func Programs() (keys []string) {
	for _, p := range programs {
		keys = append(keys, p.key)
	}
	return keys
}

// Place is where to look for files.
type Place struct {
	GOOS string
	Home string // of the user; "" if unknown
	Dir  string // the current folder, with the files of a project; may be ""
	Env  func(string) (string, bool)
}

// path fills in the folder that a path begins with; "" if it is not known.
func (p Place) path(file string) string {
	folder, rest, _ := strings.Cut(file, "/")
	dir := p.Home
	xdg, _ := p.Env("XDG_CONFIG_HOME")
	switch {
	case folder == "~":
	case p.GOOS == "windows":
		dir, _ = p.Env(map[string]string{"{apps}": "APPDATA", "{config}": "LOCALAPPDATA"}[folder])
	case folder == "{apps}" && p.GOOS == "darwin":
		rest = "Library/Application Support/" + rest
	case filepath.IsAbs(xdg):
		dir = xdg
	default:
		rest = ".config/" + rest
	}
	if dir == "" {
		return ""
	}
	return filepath.Join(dir, filepath.FromSlash(rest))
}

// Short is a path as people write it, safe to show: the home folder is ~, and the current one is a dot.
func (p Place) Short(path string) string {
	for _, folder := range []struct{ path, short string }{{p.Dir, "."}, {p.Home, "~"}} {
		rest, ok := strings.CutPrefix(path, folder.path+string(filepath.Separator))
		if ok && folder.path != "" && (folder.short == "~" || p.Dir != p.Home) {
			return sanitize.Line(folder.short + string(filepath.Separator) + rest)
		}
	}
	return sanitize.Line(path)
}

// Find reads the files of the programs with these keys, or of all programs. Files that do not exist are left out.
func (p Place) Find(keys ...string) (sources []Source) {
	read := func(program program, path, project string) {
		if s := (Source{program: program, file: path, project: project}); path != "" && s.read(p) {
			sources = append(sources, s)
		}
	}
	for _, program := range programs {
		if len(keys) > 0 && !slices.Contains(keys, program.key) {
			continue
		}
		read(program, p.path(program.file), "")
		for _, file := range program.project {
			if p.Dir != "" && p.Dir != p.Home {
				read(program, filepath.Join(p.Dir, filepath.FromSlash(file)), p.Dir)
			}
		}
	}
	return sources
}

// Read reads any file. A file that has no servers is an error.
func (p Place) Read(path string) (Source, error) {
	s := Source{program: program{name: filepath.Base(path)}, file: path, named: true}
	full, err := filepath.Abs(path)
	if err != nil {
		full = path
	}
	for _, program := range programs {
		for _, file := range program.project {
			if folder, ok := strings.CutSuffix(full, string(filepath.Separator)+filepath.FromSlash(file)); ok && s.program.key == "" {
				s.program = program
				if folder != p.Home {
					s.project = folder
				}
			}
		}
	}
	s.read(p)
	return s, s.err
}
