package provider

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/aloudchat/aloud/mcpclient"
	"github.com/aloudchat/aloud/spelling"
)

// find returns the tool a model means by name. A name that differs only in case, in - _ . or by a missing server in front is repaired
// when just one tool fits; repaired tells so.
func find(tools []mcpclient.Tool, name string) (tool mcpclient.Tool, repaired, ok bool) {
	for _, t := range tools {
		if t.Name == name {
			return t, false, true
		}
	}
	want := letters(name)
	fits := slices.DeleteFunc(slices.Clone(tools), func(t mcpclient.Tool) bool {
		return want == "" || letters(t.Name) != want && letters(t.ServerTool) != want
	})
	if len(fits) != 1 {
		return mcpclient.Tool{}, false, false
	}
	return fits[0], true, true
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
func unknownTool(tools []mcpclient.Tool, name string) string {
	name = clip(name, 100)
	near := nearest(tools, name, 3)
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

func clip(s string, n int) string { return s[:min(n, len(s))] }
