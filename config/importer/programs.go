package importer

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/aloudchat/aloud/internal/sanitize"
)

// program describes where a program keeps its MCP servers. In file, ~ is the home folder, {apps} the settings folder of
// desktop programs and {config} that of terminal programs.
type program struct {
	key, name string
	file      string
	servers   string // key of the servers
	dollar    bool   // $NAME is a variable
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

// Programs returns the names of the known programs, as used on the command line.
func Programs() (keys []string) {
	for _, p := range programs {
		keys = append(keys, p.key)
	}
	return keys
}

// Environment describes the environment in which to look for files.
type Environment struct {
	GOOS string
	Home string // home folder, "" if unknown
	Dir  string // current folder, may be ""
	Env  func(string) (string, bool)
}

// path replaces the placeholder at the start of file. It returns "" if the folder is unknown.
func (p Environment) path(file string) string {
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

// Short returns a path with ~ for the home folder. It is safe to show.
func (p Environment) Short(path string) string {
	rest, inside := strings.CutPrefix(path, p.Home)
	if inside && p.Home != "" && (rest == "" || os.IsPathSeparator(rest[0])) {
		path = "~" + rest
	}
	return sanitize.Line(path)
}

// Sources reads the programs and files with these names, or all programs if there are no names. It ignores files of
// programs that do not exist. It reads files of a project only if they are named, because others may have written them.
func (p Environment) Sources(names ...string) (sources []Source, err error) {
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
			return nil, fmt.Errorf("unknown program %q. Use %s, or a file like ./mcp.json", name,
				strings.Join(Programs(), ", "))
		default:
			s := Source{program: program{name: filepath.Base(name)}, file: name, named: true}
			if filepath.IsLocal(name) { // a file of the project in Dir
				s.project = p.Dir
			}
			for _, known := range programs { // Gemini CLI and Crush use the same names in projects
				if known.dollar && strings.HasSuffix(name, filepath.Base(known.file)) {
					s.program = known
				}
			}
			if s.read(p); s.err != nil {
				return nil, fmt.Errorf("cannot import %q: %w", name, s.err)
			}
			sources = append(sources, s)
		}
	}
	return sources, nil
}
