package mcpclient

import (
	"fmt"
	"slices"
	"strings"

	"github.com/aloudchat/aloud/mcpclient/conn"
	"github.com/aloudchat/aloud/mcpclient/policy"
)

// toolNews is what a server has changed of its tools by itself since you were last told: a few words about each, `"send" (changed: hints)`.
type toolNews []string

// compare notes how a list of tools differs from the one before it. Tools that are gone are no news: they do nothing any more.
func (n *toolNews) compare(before, now []Tool) {
	old := map[string]Tool{}
	for _, t := range before {
		old[t.ServerTool] = t
	}
	for _, t := range now {
		was, known := old[t.ServerTool]
		changed, what := policy.Differences(was, t), "new"
		if known {
			what = "changed: " + strings.Join(changed, ", ")
		}
		words := fmt.Sprintf("%.60q (%s)", t.ServerTool, what)
		if (!known || len(changed) > 0) && len(*n) < conn.MaxTools && !slices.Contains(*n, words) {
			*n = append(*n, words)
		}
	}
}

// sentence names the first few changes.
func (n toolNews) sentence(server string) string {
	const told = 5
	parts := n[:min(told, len(n))]
	if more := len(n) - told; more > 0 {
		parts = append(slices.Clone(parts), fmt.Sprintf("%d more", more))
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
		p.news = nil
	}
	return news
}
