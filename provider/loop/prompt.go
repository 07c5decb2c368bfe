package loop

import (
	"cmp"
	"slices"

	"github.com/aloudchat/aloud/provider"
)

// Prompt returns what a request with this conversation sends. Safe for concurrent use.
func (c Chat) Prompt(conv provider.Conversation) provider.Prompt {
	var p provider.Prompt
	by := map[string]int{}
	if c.Tools != nil {
		for _, tool := range c.Tools.Tools() {
			tokens := provider.SpecOf(tool).Tokens()
			by[tool.Server] += tokens
			p.Tools += tokens
		}
	}
	for server, tokens := range by {
		p.Servers = append(p.Servers, provider.ServerTools{Server: server, Tokens: tokens})
	}
	slices.SortFunc(p.Servers, func(a, b provider.ServerTools) int {
		return cmp.Or(b.Tokens-a.Tokens, cmp.Compare(a.Server, b.Server))
	})
	for _, m := range provider.ViewOf(c.systemPrompt(p.Tools > 0), conv.Messages()).Sent {
		tokens := provider.Estimate([]provider.Message{m}, nil)
		switch m.Role {
		case provider.RoleSystem:
			p.Instructions += tokens
		case provider.RoleTool:
			p.Results += tokens
		default:
			p.Messages += tokens
		}
	}
	return p
}
