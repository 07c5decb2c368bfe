package provider

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/aloudchat/aloud/mcpclient"
	"github.com/aloudchat/aloud/sanitize"
	"github.com/aloudchat/aloud/spelling"
)

// findTool returns the tool of that name.
func (t *turn) findTool(name string) (tool mcpclient.Tool, ok bool) {
	if i := slices.IndexFunc(t.tools, func(tool mcpclient.Tool) bool { return tool.Name == name }); i >= 0 {
		return t.tools[i], true
	}
	// A result of an earlier session may still speak of our own tool.
	return readMore, name == readMore.Name
}

// Letters is a name as models mix it up: without case and separators.
func Letters(name string) string {
	return strings.Map(func(r rune) rune {
		if strings.ContainsRune("-_. /:", r) {
			return -1
		}
		return r
	}, strings.ToLower(name))
}

// unknownTool tells the model that there is no such tool, and which come nearest.
func (t *turn) unknownTool(name string) string {
	name = clip(name, 100)
	near := nearest(t.tools, name, 3)
	if len(near) == 0 {
		return fmt.Sprintf("There is no tool %q, and no other one either. Answer without tools.", name)
	}
	return fmt.Sprintf("There is no tool %q. The nearest are: %s. Use one of the tools you were given, or answer without.",
		name, strings.Join(near, ", "))
}

// nearest returns the names of the n tools that look most like name, the nearest first.
func nearest(tools []mcpclient.Tool, name string, n int) []string {
	type near struct {
		name string
		far  int
	}
	want := Letters(name)
	all := make([]near, len(tools))
	for i, t := range tools {
		all[i] = near{t.Name, min(spelling.Distance(want, Letters(t.Name)), spelling.Distance(want, Letters(t.ServerTool)))}
	}
	slices.SortStableFunc(all, func(a, b near) int { return cmp.Compare(a.far, b.far) })
	names := make([]string, 0, n)
	for _, t := range all[:min(n, len(all))] {
		names = append(names, t.name)
	}
	return names
}

func clip(s string, n int) string { return sanitize.Cut(s, n) }
