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

// Short returns a path that is safe to show, with ~ for the home folder and a dot for the current one.
func (p Place) Short(path string) string {
	for _, folder := range []struct{ path, short string }{{p.Dir, "."}, {p.Home, "~"}} {
		rest, ok := strings.CutPrefix(path, folder.path+string(filepath.Separator))
		if ok && folder.path != "" && (folder.short == "~" || p.Dir != p.Home) {
			return sanitize.Line(folder.short + string(filepath.Separator) + rest)
		}
	}
	return sanitize.Line(path)
}

// Sources reads the programs and the files with these names, or all programs if no names are given. Files of programs that
// do not exist are left out.
func (p Place) Sources(names ...string) (sources []Source, err error) {
	add := func(s Source) {
		if s.file != "" && s.read(p) {
			sources = append(sources, s)
		}
	}
	for _, program := range programs {
		if len(names) > 0 && !slices.Contains(names, program.key) {
			continue
		}
		add(Source{program: program, file: p.path(program.file)})
		for _, file := range program.project {
			if p.Dir != "" && p.Dir != p.Home {
				add(Source{program: program, file: filepath.Join(p.Dir, filepath.FromSlash(file)), project: p.Dir})
			}
		}
	}
	for _, name := range names {
		switch {
		case slices.Contains(Programs(), name):
		case !strings.ContainsAny(name, `./\`):
			return nil, fmt.Errorf("there is no program %q; it is one of %s, or a file like ./mcp.json", name, strings.Join(Programs(), ", "))
		default:
			s := p.named(name)
			if s.read(p); s.err != nil {
				return nil, s.err
			}
			sources = append(sources, s)
		}
	}
	return sources, nil
}

// named is a file that you name. Its path may say of which program and project it is.
func (p Place) named(path string) Source {
	s := Source{program: program{name: filepath.Base(path)}, file: path, named: true}
	full, _ := filepath.Abs(path)
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
	return s
}
