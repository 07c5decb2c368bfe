package others

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
)

// most is how many servers a file may have; no person has more.
const most = 200

// largestEntry is about how many bytes a server may take; nobody writes more by hand.
const largestEntry = 32 << 10

// size is about how many bytes a value takes.
func size(v any) int {
	const each = 8
	n := each
	switch v := v.(type) {
	case string:
		n += len(v)
	case []any:
		for _, element := range v {
			n += size(element)
		}
	case map[string]any:
		for key, value := range v {
			n += len(key) + size(value)
		}
	}
	return n
}

// source makes servers of the text of a file.
func source(p Place, program Program, file File, text []byte, err error) Source {
	s := Source{Program: program.Name, File: file.Path, Project: file.Project, Named: file.named, Err: err}
	if err != nil {
		return s
	}
	values, err := decode(file.Path, text)
	if err != nil {
		s.Err = fmt.Errorf("%q %w", file.Path, err)
		return s
	}
	in := scope{place: p, dollar: program.dollar, percent: program.dollar && !program.shell && p.GOOS == "windows", shell: program.shell,
		lenient: program.lenient, project: file.Project}
	s.Inputs = inputs(values)
	entries, here := tables(program, file, values), ofFolder(program, p, values)
	if len(entries)+len(here) == 0 && file.named {
		entries = loose(values)
	}
	entries = merged(entries, here)
	for _, name := range slices.Sorted(maps.Keys(entries)) {
		if len(s.Servers)+len(s.Left) == most {
			s.Left = append(s.Left, Left{name, fmt.Sprintf("it and those after it are left out: the file has more than %d", most)})
			break
		}
		entry, ok := entries[name].(map[string]any)
		if !ok {
			s.Left = append(s.Left, Left{name, "it is no table"})
			continue
		}
		if size(entry) > largestEntry {
			s.Left = append(s.Left, Left{name, "it is larger than a server is"})
			continue
		}
		in.project = file.Project
		if _, ok := here[name]; ok {
			in.project = p.Dir
		}
		server, why := readEntry(program, in, name, entry)
		if why != "" {
			s.Left = append(s.Left, Left{name, why})
			continue
		}
		server.Disabled = server.Disabled || switchedOff(program, values, name)
		s.Servers = append(s.Servers, server)
	}
	return s
}

// tables collects the entries of a file.
func tables(program Program, file File, values map[string]any) map[string]any {
	paths := program.tables
	if file.Project == "" && !strings.HasSuffix(file.Path, "settings.json") {
		paths = slices.Concat(paths, []string{"mcpServers"}) // what people copy from one program to another
	}
	for _, path := range paths {
		if table := inside(values, strings.Split(path, ".")...); len(table) > 0 {
			return table
		}
	}
	return nil
}

// ofFolder are the entries that Claude Code was told in the current folder. It keeps them in the person's own file, and starts them in that folder.
func ofFolder(program Program, p Place, values map[string]any) map[string]any {
	all := map[string]any{}
	if program.Key == "claude-code" && p.Dir != "" {
		maps.Copy(all, inside(values, "projects", filepath.ToSlash(p.Dir), "mcpServers"))
		maps.Copy(all, inside(values, "projects", p.Dir, "mcpServers"))
	}
	return all
}

// merged is both, where the second is the nearer one.
func merged(all, nearer map[string]any) map[string]any {
	both := map[string]any{}
	maps.Copy(both, all)
	maps.Copy(both, nearer)
	return both
}

// loose are the entries of a file that a person named, and that has nothing but them, as descriptions of servers show them.
func loose(values map[string]any) map[string]any {
	for _, value := range values {
		table, _ := value.(map[string]any)
		if !slices.ContainsFunc([]string{"command", "url", "httpUrl", "serverUrl"}, func(key string) bool { return table[key] != nil }) {
			return nil
		}
	}
	return values
}

// inside is the table at a path, nil when there is none.
func inside(values map[string]any, path ...string) map[string]any {
	for _, key := range path {
		values, _ = values[key].(map[string]any)
	}
	return values
}

// switchedOff knows the lists in which Gemini CLI says which servers are used.
func switchedOff(program Program, values map[string]any, name string) bool {
	if program.Key != "gemini" {
		return false
	}
	lists := inside(values, "mcp")
	allowed, _ := lists["allowed"].([]any)
	excluded, _ := lists["excluded"].([]any)
	return slices.Contains(excluded, any(name)) || len(allowed) > 0 && !slices.Contains(allowed, any(name))
}

// inputs reads what VS Code asks for.
func inputs(values map[string]any) []Input {
	list, _ := values["inputs"].([]any)
	if list == nil {
		list, _ = inside(values, "mcp")["inputs"].([]any)
	}
	var all []Input
	for _, element := range list[:min(len(list), most)] {
		table, _ := element.(map[string]any)
		id, _ := table["id"].(string)
		if id == "" {
			continue
		}
		in := Input{ID: id, Unknown: true}
		in.Description, _ = table["description"].(string)
		in.Default, _ = table["default"].(string)
		in.Password, _ = table["password"].(bool)
		switch table["type"] {
		case "promptString":
			in.Unknown = false
		case "pickString":
			options, _ := table["options"].([]any)
			for _, option := range options {
				word, _ := option.(string)
				if named, ok := option.(map[string]any); ok {
					word, _ = named["value"].(string)
				}
				if word != "" {
					in.Options = append(in.Options, word)
				}
			}
			in.Unknown = in.Options == nil
		}
		all = append(all, in)
	}
	return all
}
