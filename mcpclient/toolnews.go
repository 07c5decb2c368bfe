package mcpclient

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/aloudchat/aloud/mcpclient/conn"
	"github.com/aloudchat/aloud/mcpclient/policy"
)

// toolNews is what a server has changed of its tools by itself since people were last told: what is new about each, by its name.
type toolNews map[string]string

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
		switch changed := policy.Differences(was, t); {
		case !known:
			n[t.ServerTool] = "new"
		case len(changed) > 0 && n[t.ServerTool] == "":
			n[t.ServerTool] = "changed: " + strings.Join(changed, ", ")
		}
	}
}

// sentence names the first few changes.
func (n toolNews) sentence(server string) string {
	const told = 5
	names := slices.Sorted(maps.Keys(n))
	var parts []string
	for _, name := range names[:min(told, len(names))] {
		parts = append(parts, fmt.Sprintf("%.60q (%s)", name, n[name]))
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
