package loop

import (
	"bytes"
	"cmp"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/agnivade/levenshtein"

	"github.com/aloudchat/aloud/internal/quantity"
	"github.com/aloudchat/aloud/internal/sanitize"
	"github.com/aloudchat/aloud/mcpclient"
	"github.com/aloudchat/aloud/provider"
)

const (
	costly = 0.25 // of the largest context: warn if tools take more
	most   = 0.5  // of the largest context: leave out tools beyond this
)

// toolset has the tools of a turn and the descriptions of them for the model. It is the same in every turn, since the
// server's prompt cache begins with it.
type toolset struct {
	listed []mcpclient.Tool // all tools that there were
	all    []mcpclient.Tool // those that the model can call
	specs  []provider.ToolSpec
}

// find returns the tool with that name.
func (s *toolset) find(name string) (tool mcpclient.Tool, ok bool) {
	i := slices.IndexFunc(s.all, func(tool mcpclient.Tool) bool { return tool.Name == name })
	switch {
	case i >= 0:
		return s.all[i], true
	case name == readMore.Name: // a result of an earlier session may still mention it
		return readMore, true
	}
	return mcpclient.Tool{}, false
}

// unknown returns the result for a call of a tool that does not exist.
func (s *toolset) unknown(name string) string {
	name = sanitize.Cut(name, 100)
	near := nearest(s.all, name, 3)
	if len(near) == 0 {
		return fmt.Sprintf("There is no tool %q, and there are no others.\nAnswer without tools.", name)
	}
	return fmt.Sprintf("There is no tool %q.\n"+
		"The nearest are: %s. Use one of the tools you were given, or answer without.",
		name, strings.Join(near, ", "))
}

// title returns the displayed title of a tool, with its server if a tool of another server has the same title. named
// is the name in the call, for a tool that does not exist.
func (s *toolset) title(tool mcpclient.Tool, named string) string {
	title := ownTitle(tool, named)
	if tool.Server != "" && slices.ContainsFunc(s.all, func(other mcpclient.Tool) bool {
		return other.Server != tool.Server && ownTitle(other, other.Name) == title
	}) {
		return mcpclient.TitleOn(title, tool.Server)
	}
	return title
}

// slim shortens schemas and descriptions and keeps the first tools that fit room tokens. It returns how many.
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

// offer sets the tools for the model if they have changed, shortened if they would take too much of the context.
func (t *turn) offer() {
	t.offered = true
	if t.chat.Tools == nil || t.known.noTools || !t.known.info.Tools {
		return
	}
	tools := t.chat.Tools.Tools()
	listed := tools
	if t.seesCut() {
		listed = append(slices.Clip(tools), readMore)
	}
	if slices.EqualFunc(listed, t.tools.listed, sameTool) {
		return
	}
	if len(t.tools.specs) == 0 || len(listed) == 0 {
		t.history.view = nil // the system prompt says whether there are tools
	}
	t.tools = toolset{listed: listed, all: tools}
	for _, tool := range tools {
		t.tools.specs = append(t.tools.specs, provider.SpecOf(tool))
	}
	t.slimTools()
	for _, own := range listed[len(tools):] { // the last, so that what the server has cached of the others stays valid
		t.tools.all = append(slices.Clip(t.tools.all), own)
		t.tools.specs = append(t.tools.specs, provider.SpecOf(own))
	}
}

// slimTools shortens or leaves out tools that would take too much of the context.
func (t *turn) slimTools() {
	tools := t.tools.all
	cost, limit := t.known.scaled(provider.Estimate(nil, t.tools.specs)), t.known.limit()
	if share := float64(cost) / float64(max(limit, 1)); share > costly {
		t.noticeOnce("The tools take about %s tokens, %.0f%% of the context window. Turn some off with /tools.",
			quantity.Count(cost), 100*share)
	}
	if room := most * float64(limit); float64(cost) > room {
		if kept := t.tools.slim(int(room / max(t.known.scale, 1))); kept < len(tools) {
			t.noticeOnce("Only the first %d of %s fit the context window of %s tokens. Turn some off with /tools.",
				kept, quantity.Plural(len(tools), "tool"), t.known.sized(limit))
		} else {
			t.noticeOnce("Tool descriptions were shortened to fit the context window of %s tokens", t.known.sized(limit))
		}
	}
}

// sameTool reports whether two tools are the same for the model and for its approval.
func sameTool(a, b mcpclient.Tool) bool {
	if !bytes.Equal(a.Schema, b.Schema) || !bytes.Equal(a.Output, b.Output) {
		return false
	}
	a.Schema, a.Output, b.Schema, b.Output = nil, nil, nil, nil
	return reflect.DeepEqual(a, b)
}

// dropTools continues without tools, and shows a notice once for each model.
func (t *turn) dropTools(hint string) {
	t.tools, t.history.view = toolset{}, nil
	if !t.known.noTools {
		t.known.noTools = true
		if hint != "" {
			hint = " To use them: " + hint + "."
		}
		t.notice("%s cannot use tools. The chat continues without them.%s", t.chat.Name, hint)
	}
}

// nearest returns the names of the n tools most similar to name, the nearest first.
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
