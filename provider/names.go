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

// findTool returns the tool a model means by name. A name that differs only in case, in - _ . or by a missing server in front is understood when
// just one tool fits.
func (t *turn) findTool(name string) (tool mcpclient.Tool, ok bool) {
	for _, tool := range t.tools {
		if tool.Name == name {
			return tool, true
		}
	}
	want := letters(name)
	if want == "" || !t.chat.defends(mapNames) {
		return mcpclient.Tool{}, false
	}
	var fits []mcpclient.Tool
	for _, tool := range t.tools {
		if letters(tool.Name) == want || letters(tool.ServerTool) == want {
			fits = append(fits, tool)
		}
	}
	switch {
	case len(fits) == 1:
		return fits[0], true
	case len(fits) == 0 && name == readMore.Name: // a result of an earlier session may still speak of it
		return readMore, true
	}
	return mcpclient.Tool{}, false
}

// letters is a name as models mix it up: without case and separators.
func letters(name string) string {
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
	if !t.chat.defends(tellNames) {
		return fmt.Sprintf("There is no tool %q.", name)
	}
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
	want := letters(name)
	all := make([]near, len(tools))
	for i, t := range tools {
		all[i] = near{t.Name, min(spelling.Distance(want, letters(t.Name)), spelling.Distance(want, letters(t.ServerTool)))}
	}
	slices.SortStableFunc(all, func(a, b near) int { return cmp.Compare(a.far, b.far) })
	names := make([]string, 0, n)
	for _, t := range all[:min(n, len(all))] {
		names = append(names, t.name)
	}
	return names
}

func clip(s string, n int) string { return sanitize.Cut(s, n) }
