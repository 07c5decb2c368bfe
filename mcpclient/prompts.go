package mcpclient

import (
	"context"
	"errors"
)

// Prompts are those of all servers that are ready or were, in the order of the configuration. They are known some time after the tools are.
func (s *Set) Prompts() []Prompt {
	s.mu.Lock()
	defer s.mu.Unlock()
	var all []Prompt
	for _, p := range s.peers {
		if !p.off {
			all = append(all, p.offers.prompts...)
		}
	}
	return all
}

// Prompt has a server fill in one of its prompts. The error says in one sentence why there is none: no such server, no such prompt, wrong
// arguments, the server gone, ctx's end.
func (s *Set) Prompt(ctx context.Context, server, name string, arguments map[string]string) ([]PromptMessage, error) {
	var messages []PromptMessage
	p, _, err := s.ask(ctx, server, "prompt", func(ctx context.Context, c *connection) (err error) {
		messages, err = c.Prompt(ctx, name, arguments)
		return err
	})
	if err != nil {
		return nil, err
	}
	if len(messages) == 0 {
		return nil, errors.New("the prompt is empty: the server gave no messages")
	}
	for i := range messages {
		messages[i].Text = p.secrets.Text(messages[i].Text)
	}
	return messages, nil
}
