package others

import (
	"bytes"
	"path/filepath"
	"strings"
)

// Program is one that knows MCP servers.
type Program struct {
	Key  string // what people call it on a command line: "claude-desktop"
	Name string // "Claude Desktop"

	places func(places) []string // of a person's own files
	inside []string              // files of a project, in its folder
	tables []string              // where in a file the servers are, dotted; the first is the program's own

	milliseconds bool   // its "timeout" counts those, else seconds
	url          string // the transport of an address of which nothing more is said
	dollar       bool   // $NAME is a variable
	shell        bool   // values go through a shell
	lenient      bool   // a variable that is not set is empty
}

// File is where a program may have servers.
type File struct {
	Path    string
	Project string // the folder of the project that it is of; "": it is a person's own

	named bool // by a person
}

// Programs are those that are known.
func Programs() []Program {
	return []Program{
		{
			Key: "claude-desktop", Name: "Claude Desktop", tables: []string{"mcpServers"}, url: "http",
			places: func(p places) []string {
				return append(found(p.packaged("Claude_*", "Claude", "claude_desktop_config.json")), p.data("Claude", "claude_desktop_config.json"))
			},
		},
		{
			Key: "claude-code", Name: "Claude Code", tables: []string{"mcpServers"}, milliseconds: true, url: "http",
			places: func(p places) []string { return []string{p.named("CLAUDE_CONFIG_DIR", p.Home, ".claude.json")} },
			inside: []string{".mcp.json"},
		},
		{
			Key: "vscode", Name: "VS Code", tables: []string{"servers", "mcp.servers", "mcpServers"}, url: "http", lenient: true,
			places: func(p places) []string {
				var all []string
				for _, edition := range []string{"Code", "Code - Insiders", "VSCodium"} {
					all = append(all, p.data(edition, "User", "mcp.json"), p.data(edition, "User", "settings.json"))
					all = append(all, found(p.data(edition, "User", "profiles", "*", "mcp.json"))...)
				}
				return all
			},
			inside: []string{filepath.Join(".vscode", "mcp.json")},
		},
		{
			Key: "cursor", Name: "Cursor", tables: []string{"mcpServers"}, url: "http",
			places: func(p places) []string { return []string{p.home(".cursor", "mcp.json")} },
			inside: []string{filepath.Join(".cursor", "mcp.json")},
		},
		{
			Key: "gemini", Name: "Gemini CLI", tables: []string{"mcpServers"}, milliseconds: true, url: "sse", dollar: true,
			places: func(p places) []string { return []string{p.home(".gemini", "settings.json")} },
			inside: []string{filepath.Join(".gemini", "settings.json")},
		},
		{
			Key: "codex", Name: "Codex", tables: []string{"mcp_servers"}, url: "http",
			places: func(p places) []string { return []string{p.named("CODEX_HOME", p.home(".codex"), "config.toml")} },
			inside: []string{filepath.Join(".codex", "config.toml")},
		},
		{
			Key: "crush", Name: "Crush", tables: []string{"mcp"}, url: "http", dollar: true, shell: true,
			places: func(p places) []string {
				return []string{p.named("CRUSH_GLOBAL_CONFIG", p.settings("crush"), "crush.json")}
			},
			inside: []string{".crush.json", "crush.json"},
		},
		{
			Key: "kit", Name: "Kit", tables: []string{"mcpServers"}, url: "sse",
			places: func(p places) []string {
				var all []string
				for _, name := range kitFiles() {
					all = append(all, p.home(name))
				}
				return all
			},
			inside: kitFiles(),
		},
		{
			Key: "lmstudio", Name: "LM Studio", tables: []string{"mcpServers"}, milliseconds: true, url: "http",
			places: func(p places) []string {
				return []string{p.home(".lmstudio", "mcp.json"), p.home(".cache", "lm-studio", "mcp.json")}
			},
		},
	}
}

// kitFiles are those of Kit, and of mcphost, which it was called before.
func kitFiles() []string {
	return []string{".kit.yml", ".kit.yaml", ".kit.json", ".mcphost.yml", ".mcphost.yaml", ".mcphost.json"}
}

// Files are the places where the program may have servers, whether there is anything or not.
func (p Program) Files(at Place) []File {
	var files []File
	for _, path := range p.places(places{at}) {
		if path != "" {
			files = append(files, File{Path: path})
		}
	}
	for _, name := range p.inside {
		if at.Dir != "" && at.Dir != at.Home {
			files = append(files, File{Path: filepath.Join(at.Dir, name), Project: at.Dir})
		}
	}
	return files
}

// places finds folders on the three systems. A path is "" when the folder is not known.
type places struct{ Place }

func (p places) home(parts ...string) string { return below(p.Home, parts...) }

// named is a file in the folder that a variable names, else in another one.
func (p places) named(variable, folder, file string) string {
	if dir, _ := p.Env(variable); filepath.IsAbs(dir) {
		folder = dir
	}
	return below(folder, file)
}

// packaged is a file of a program that Windows installed as a package, which has a folder of its own in the place of APPDATA. name is a pattern.
func (p places) packaged(name string, parts ...string) string {
	local, _ := p.Env("LOCALAPPDATA")
	if p.GOOS != "windows" {
		return ""
	}
	return below(local, append([]string{"Packages", name, "LocalCache", "Roaming"}, parts...)...)
}

// found are the files that a pattern means.
func found(pattern string) []string {
	files, err := filepath.Glob(pattern)
	if err != nil {
		return nil // a folder with signs in its name that mean something in patterns
	}
	return files
}

// data is where programs with windows keep their files.
func (p places) data(parts ...string) string {
	switch p.GOOS {
	case "darwin":
		return p.home(append([]string{"Library", "Application Support"}, parts...)...)
	case "windows":
		dir, _ := p.Env("APPDATA")
		return below(dir, parts...)
	}
	return p.settings(parts...)
}

// settings is where programs for the terminal keep theirs, which on Windows is another place.
func (p places) settings(parts ...string) string {
	if p.GOOS == "windows" {
		dir, _ := p.Env("LOCALAPPDATA")
		return below(dir, parts...)
	}
	if dir, _ := p.Env("XDG_CONFIG_HOME"); filepath.IsAbs(dir) {
		return below(dir, parts...)
	}
	return p.home(append([]string{".config"}, parts...)...)
}

func below(dir string, parts ...string) string {
	if dir == "" {
		return ""
	}
	return filepath.Join(append([]string{dir}, parts...)...)
}

// guess says whose a file is that a person named, and of which project. Its place says most: the formats are much alike.
func guess(path string, text []byte) (p Program, project string) {
	if full, err := filepath.Abs(path); err == nil {
		path = full
	}
	for _, p := range Programs() {
		for _, name := range p.inside {
			if folder, ok := strings.CutSuffix(path, string(filepath.Separator)+name); ok {
				return p, folder
			}
		}
	}
	byKey := func(key string) (p Program, project string) {
		for _, p = range Programs() {
			if p.Key == key {
				break
			}
		}
		return p, ""
	}
	name := strings.ToLower(filepath.Base(path))
	switch {
	case strings.HasSuffix(name, ".toml"):
		return byKey("codex")
	case strings.HasSuffix(name, ".yml") || strings.HasSuffix(name, ".yaml"):
		return byKey("kit")
	case strings.Contains(name, "crush"):
		return byKey("crush")
	case strings.Contains(path, ".gemini"):
		return byKey("gemini")
	case strings.Contains(name, "claude_desktop"):
		return byKey("claude-desktop")
	case strings.Contains(path, "lmstudio") || strings.Contains(path, "lm-studio"):
		return byKey("lmstudio")
	case strings.Contains(path, ".cursor"):
		return byKey("cursor")
	case bytes.Contains(text, []byte(`"servers"`)) && !bytes.Contains(text, []byte(`"mcpServers"`)):
		return byKey("vscode")
	}
	return byKey("claude-code")
}
