package mcpclient

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/aloudchat/aloud/mcpclient/conn"
)

// toolNews is what a server has changed of its tools by itself since you were last told: "new", or what has changed of each, by its name.
type toolNews map[string][]string

// compare notes how a list of tools differs from the one before it. Tools that are gone are no news: they do nothing any more.
func (n toolNews) compare(before, now []Tool) {
	old := map[string]Tool{}
	for _, t := range before {
		old[t.ServerTool] = t
	}
	for _, t := range now {
		if len(n) >= conn.MaxTools {
			return // a server that renames its tools without end
		}
		was, known := old[t.ServerTool]
		if !known {
			n[t.ServerTool] = []string{"new"}
			continue
		}
		for _, what := range Differences(was, t) {
			if told := n[t.ServerTool]; !slices.Contains(told, "new") && !slices.Contains(told, what) {
				n[t.ServerTool] = append(told, what)
			}
		}
	}
}

// sentence names the first few changes.
func (n toolNews) sentence(server string) string {
	const told = 5
	names := slices.Sorted(maps.Keys(n))
	var parts []string
	for _, name := range names[:min(told, len(names))] {
		what := strings.Join(n[name], ", ")
		if what != "new" {
			what = "changed: " + what
		}
		parts = append(parts, fmt.Sprintf("%.60q (%s)", name, what))
	}
	if more := len(names) - told; more > 0 {
		parts = append(parts, fmt.Sprintf("%d more", more))
	}
	return fmt.Sprintf("The server %q has changed its tools: %s.", server, strings.Join(parts, ", "))
}

// News returns what servers have changed of their tools since it was last called, a sentence for each server. What a server offers when it first
// comes up is no news.
func (s *Set) News() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	var news []string
	for _, p := range s.peers {
		if len(p.news) > 0 {
			news = append(news, p.news.sentence(p.config.Name))
		}
		clear(p.news)
	}
	return news
}
