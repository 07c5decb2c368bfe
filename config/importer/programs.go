package importer

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/aloudchat/aloud/sanitize"
)

// program is one that has MCP servers, and where. In its files ~ is the home folder, {apps} the folder for settings of
// desktop programs and {config} that of terminal programs.
type program struct {
	key, name string
	file      string // of the user
	servers   string // the key of the servers
	dollar    bool   // $NAME is a variable, too
	sse       bool   // "url" is an SSE server
}

var programs = []program{
	{"claude-desktop", "Claude Desktop", "{apps}/Claude/claude_desktop_config.json", "mcpServers", false, false},
	{"claude-code", "Claude Code", "~/.claude.json", "mcpServers", false, false},
	{"vscode", "VS Code", "{apps}/Code/User/mcp.json", "servers", false, false},
	{"cursor", "Cursor", "~/.cursor/mcp.json", "mcpServers", false, false},
	{"gemini", "Gemini CLI", "~/.gemini/settings.json", "mcpServers", true, true},
	{"lmstudio", "LM Studio", "~/.lmstudio/mcp.json", "mcpServers", false, false},
	{"codex", "Codex", "~/.codex/config.toml", "mcp_servers", false, false},
	{"crush", "Crush", "{config}/crush/crush.json", "mcp", true, false},
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
	Dir  string // the current folder; may be ""
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

// Short returns a path that is safe to show, with ~ for the home folder.
func (p Place) Short(path string) string {
	rest, ok := strings.CutPrefix(path, p.Home+string(filepath.Separator))
	if ok && p.Home != "" {
		path = "~" + string(filepath.Separator) + rest
	}
	return sanitize.Line(path)
}

// Sources reads the programs and the files with these names, or all programs if no names are given. Files of programs that
// do not exist are left out. Others may have written the files of a project, so those are read only when you name them.
func (p Place) Sources(names ...string) (sources []Source, err error) {
	for _, program := range programs {
		s := Source{program: program, file: p.path(program.file)}
		if (len(names) == 0 || slices.Contains(names, program.key)) && s.file != "" && s.read(p) {
			sources = append(sources, s)
		}
	}
	for _, name := range names {
		switch {
		case slices.Contains(Programs(), name):
		case !strings.ContainsAny(name, `./\`):
			return nil, fmt.Errorf("there is no program %q; it is one of %s, or a file like ./mcp.json", name, strings.Join(Programs(), ", "))
		default:
			s := Source{program: program{name: filepath.Base(name)}, file: name, named: true}
			if filepath.IsLocal(name) { // a file of the project in the current folder
				s.project = p.Dir
			}
			for _, known := range programs { // Gemini CLI and Crush name the files of projects alike
				if known.dollar && strings.HasSuffix(name, filepath.Base(known.file)) {
					s.program = known
				}
			}
			if s.read(p); s.err != nil {
				return nil, s.err
			}
			sources = append(sources, s)
		}
	}
	return sources, nil
}
