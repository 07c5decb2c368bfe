package loop

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/agnivade/levenshtein"

	"github.com/aloudchat/aloud/mcpclient"
	"github.com/aloudchat/aloud/provider"
	"github.com/aloudchat/aloud/quantity"
	"github.com/aloudchat/aloud/sanitize"
)

const (
	costly = 0.25 // of the largest context: with this much for tools you are told
	most   = 0.5  // of the largest context: tools that take more leave too little for the work
)

// toolset has the tools of a turn and what the model is told of them. The order never changes within a chat, nor what is said of a tool: the
// server's prompt cache begins with it.
type toolset struct {
	all   []mcpclient.Tool
	specs []provider.ToolSpec
}

// find returns the tool of that name.
func (s *toolset) find(name string) (tool mcpclient.Tool, ok bool) {
	i := slices.IndexFunc(s.all, func(tool mcpclient.Tool) bool { return tool.Name == name })
	if i < 0 {
		return mcpclient.Tool{}, false
	}
	return s.all[i], true
}

// unknown tells the model that there is no such tool, and which come nearest.
func (s *toolset) unknown(name string) string {
	name = sanitize.Cut(name, 100)
	near := nearest(s.all, name, 3)
	if len(near) == 0 {
		return fmt.Sprintf("There is no tool %q, and no other one either. Answer without tools.", name)
	}
	return fmt.Sprintf("There is no tool %q. The nearest are: %s. Use one of the tools you were given, or answer without.",
		name, strings.Join(near, ", "))
}

// title is how a tool is called on the screen: by its title, and by its server, too, where another server has one of the same title.
// named is the name by which the model called, for a tool that does not exist.
func (s *toolset) title(tool mcpclient.Tool, named string) string {
	title := ownTitle(tool, named)
	if tool.Server != "" && slices.ContainsFunc(s.all, func(other mcpclient.Tool) bool {
		return other.Server != tool.Server && ownTitle(other, other.Name) == title
	}) {
		return mcpclient.TitleOn(title, tool.Server)
	}
	return title
}

// belongs reports whether a server has the tool of that name.
func (s *toolset) belongs(name, server string) bool {
	return slices.ContainsFunc(s.all, func(tool mcpclient.Tool) bool { return tool.Name == name && tool.Server == server })
}

// slim makes the schemas and descriptions short, and keeps only as many tools as fit into so many tokens. It returns how many that are.
func (s *toolset) slim(room int) (kept int) {
	const longest = 300 // bytes of a description
	used := 0
	for i := range s.specs {
		spec := &s.specs[i]
		spec.Schema, spec.Description = slim(spec.Schema), shorten(spec.Description, longest)
		if used += spec.Tokens(); used <= room {
			kept = i + 1
		}
	}
	s.all, s.specs = s.all[:kept:kept], s.specs[:kept:kept]
	return kept
}

// offer chooses what the model is told of the tools: all of it, or less where that would take too much of the context.
func (t *turn) offer(tools []mcpclient.Tool) {
	t.tools = toolset{all: tools}
	for _, tool := range tools {
		t.tools.specs = append(t.tools.specs, provider.SpecOf(tool))
	}
	cost, limit := t.known.scaled(provider.Estimate(nil, t.tools.specs)), t.known.limit()
	if share := float64(cost) / float64(max(limit, 1)); share > costly {
		t.noticeOnce("The tools take about %s tokens, %.0f%% of the context: /tools shows what each costs and switches it off.",
			quantity.Count(cost), 100*share)
	}
	if room := most * float64(limit); float64(cost) > room {
		if kept := t.tools.slim(int(room / max(t.known.scale, 1))); kept < len(tools) {
			t.noticeOnce("Only the first %d of %s fit the context of %s tokens; switch off with /tools what you do not need.",
				kept, quantity.Plural(len(tools), "tool"), quantity.Count(limit))
		} else {
			t.noticeOnce("The descriptions of the tools were shortened to fit the context of %s tokens.", quantity.Count(limit))
		}
	}
}

// dropTools goes on without tools, and says so once for a model, with what can be done about it.
func (t *turn) dropTools(hint string) {
	t.tools, t.history.view = toolset{}, nil
	if !t.known.noTools {
		t.known.noTools = true
		if hint != "" {
			hint = " To use them: " + hint + "."
		}
		t.notice("%s cannot use tools; the chat goes on without them.%s", t.chat.Name, hint)
	}
}

// nearest returns the names of the n tools that look most like name, the nearest first.
func nearest(tools []mcpclient.Tool, name string, n int) []string {
	want, far := provider.Letters(name), make(map[string]int, len(tools))
	distance := func(name string) int { return levenshtein.ComputeDistance(want, provider.Letters(name)) }
	names := make([]string, len(tools))
	for i, t := range tools {
		names[i] = t.Name
		far[t.Name] = min(distance(t.Name), distance(t.ServerTool))
	}
	slices.SortStableFunc(names, func(a, b string) int { return cmp.Compare(far[a], far[b]) })
	return names[:min(n, len(names))]
}

func ownTitle(tool mcpclient.Tool, named string) string {
	return mcpclient.Title(tool.Title, cmp.Or(tool.ServerTool, named))
}
