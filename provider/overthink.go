package provider

import (
	"errors"

	"github.com/aloudchat/aloud/status"
)

// errOverthinking ends a reply whose thinking has used its tokens.
var errOverthinking = errors.New("the thinking has used its tokens")

// longestToken is how many bytes a token has at most, on average over a thought: servers may send several tokens in one piece.
const longestToken = 8

// overthinks tells whether a reply has thought more than it may and said nothing yet. A stray tag shows that its thinking is over.
func (l *listener) overthinks() bool {
	most := l.limits.ThinkingTokens
	if most <= 0 || l.answering || l.content.stray || len(l.calls) > 0 || !l.chat.defends(endThinking) {
		return false
	}
	return max(l.thoughts, l.thinking.Len()/longestToken) > most
}

// hurry asks a model that would think on and on to answer now. It is said with a request and not kept.
func (t *turn) hurry() Message {
	t.notice("The model thought for more than %s tokens (limits.thinking_tokens) and was asked to answer.", status.Count(t.limits.ThinkingTokens))
	return Message{Role: RoleUser, Text: "You have thought long enough. Do not think any more: answer now, or call the tool that you need."}
}
