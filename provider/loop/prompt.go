package loop

import (
	"cmp"
	"slices"

	"github.com/aloudchat/aloud/internal/quantity"
	"github.com/aloudchat/aloud/provider"
)

// Prompt returns what a request with this conversation sends. Safe for concurrent use.
func (c Chat) Prompt(conv provider.Conversation) provider.Prompt {
	var all provider.PromptPart
	counts := map[string]int{}
	if c.Tools != nil {
		for _, tool := range c.Tools.Tools() {
			i := slices.IndexFunc(all.Of, func(s provider.PromptPart) bool { return s.Name == tool.Server })
			if i < 0 {
				i, all.Of = len(all.Of), append(all.Of, provider.PromptPart{Kind: provider.PromptTools, Name: tool.Server})
			}
			tokens := provider.SpecOf(tool).Tokens()
			all.Tokens += tokens
			all.Of[i].Tokens += tokens
			counts[tool.Server]++
			all.Of[i].Note = quantity.Plural(counts[tool.Server], "tool")
		}
	}
	slices.SortFunc(all.Of, func(a, b provider.PromptPart) int {
		return cmp.Or(b.Tokens-a.Tokens, cmp.Compare(a.Name, b.Name))
	})
	p := provider.PromptOf(c.systemPrompt(all.Tokens > 0), conv.Messages())
	p[provider.PromptTools].Tokens, p[provider.PromptTools].Of = all.Tokens, all.Of
	return p
}
