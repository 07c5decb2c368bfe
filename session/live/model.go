package live

import (
	"cmp"
	"context"
	"slices"

	"github.com/aloudchat/aloud/provider"
	"github.com/aloudchat/aloud/session"
)

// HasModel reports whether the model is chosen, and a change since the resumed conversation was reported.
func (c *Chat) HasModel() bool {
	return c.parts.Chat.Name != "" && c.parts.Choice.Change(c.parts.Chat.Name) == ""
}

// Search returns a function that finds a model that Use can use, see provider.Choose, and the name that it tries first,
// or "" for any. The function may be called at any time.
func (c *Chat) Search() (wanted string, search func(context.Context) (provider.Info, error)) {
	model, name, others := c.parts.Chat.Model, c.parts.Chat.Name, c.parts.Choice.Others
	return cmp.Or(slices.Concat([]string{name}, others)...), func(ctx context.Context) (provider.Info, error) {
		return provider.Choose(ctx, model, name, others...)
	}
}

// Use changes the model, or replaces what is known about it. If a resumed conversation continues with another model, it
// returns that in a sentence or two, once.
func (c *Chat) Use(info provider.Info) (change string) {
	c.parts.Chat = c.parts.Chat.With(info)
	change = c.parts.Choice.Change(info.Name)
	c.parts.Choice.Before = session.Used{}
	return change
}
