package attach

import (
	"cmp"
	"io/fs"
	"os"
	"slices"
	"strings"

	"github.com/aloudchat/aloud/internal/suggest"
)

// otherNames are the names that commands have in other programs.
var otherNames = map[string]string{
	"?": "help", "commands": "help", "models": "model", "mcp": "servers", "themes": "theme",
	"regenerate": "retry", "new": "clear", "reset": "clear", "summarize": "compact",
	"bye": "quit", "exit": "quit", "q": "quit",
}

// Command splits "/name words", with the name that the command has here. ok is false for a message, such as one that
// begins with a path like /etc/hosts.
func (in Input) Command() (name, words string, ok bool) {
	if !in.Begins("/") {
		return "", "", false
	}
	name, words, _ = strings.Cut(in.Text[1:], " ")
	if name == "" || strings.ContainsAny(name, "/\n\t") {
		return "", "", false
	}
	name = strings.ToLower(name)
	return cmp.Or(otherNames[name], name), strings.TrimSpace(words), true
}

// MeantCommand returns "did you mean /quit?" for the name of a command that is similar to one of commands, or to
// another name of it, or else "".
func MeantCommand(name string, commands []string) string {
	names := slices.Clone(commands)
	for other, own := range otherNames {
		if slices.Contains(commands, own) {
			names = append(names, other)
		}
	}
	slices.Sort(names) // always the same of two that are equally similar
	if near := suggest.Nearest(name, names); near != "" {
		return "did you mean /" + near + "?"
	}
	return ""
}

// NamesFolder reports whether what looks like the name of a command is a folder in the root folder, such as /tmp.
func NamesFolder(name string) bool { return hasFolder("/", strings.TrimRight(name, ".,:;?!")) }

// hasFolder reports whether a folder has a folder or a link with a name. It looks at none of them, because a folder of
// another machine may block.
func hasFolder(dir, name string) bool {
	folder, err := os.Open(dir)
	if err != nil {
		return false
	}
	defer folder.Close()
	const most = 1000
	entries, _ := folder.ReadDir(most)
	return slices.ContainsFunc(entries, func(e fs.DirEntry) bool {
		return (e.IsDir() || e.Type()&fs.ModeSymlink != 0) && strings.EqualFold(e.Name(), name)
	})
}
