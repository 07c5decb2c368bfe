package loop

import (
	"bytes"
	"cmp"
	"slices"
	"time"

	"github.com/aloudchat/aloud/provider"
	"github.com/aloudchat/aloud/provider/event"
)

// prompt is the last prompt of a model and its reply. The server's cache begins with them if nothing else came after.
type prompt struct {
	messages []provider.Message
	tools    []provider.ToolSpec
	think    provider.Think
	counted  int // its tokens, as the server counted them; 0 if unknown
	reply    provider.Message
	answered int  // tokens of the reply that a prompt repeats as they were; 0 if unknown
	whole    bool // the reply came to its end
}

// extends reports whether a prompt with messages and tools begins with the last one.
func (k *knowledge) extends(messages []provider.Message, tools []provider.ToolSpec) bool {
	p, n := &k.last, len(k.last.messages)
	return !k.rewrites && n > 0 && n <= len(messages) &&
		slices.EqualFunc(p.messages, messages[:n], sameMessage) && slices.EqualFunc(p.tools, tools, sameSpec)
}

// thinks reports whether the model can think. Prompts of other models do not depend on Request.Think.
func (k *knowledge) thinks() bool { return k.info.Thinking || k.last.reply.Thinking != "" }

func sameMessage(a, b provider.Message) bool {
	return a.Role == b.Role && a.Text == b.Text && a.Thinking == b.Thinking && a.Tool == b.Tool && a.Failed == b.Failed &&
		slices.EqualFunc(a.Calls, b.Calls, sameCall) && slices.EqualFunc(a.Images, b.Images, bytes.Equal)
}

func sameCall(a, b provider.Call) bool {
	return a.Name == b.Name && bytes.Equal(a.Arguments, b.Arguments)
}

func sameSpec(a, b provider.ToolSpec) bool {
	return a.Name == b.Name && a.Description == b.Description && bytes.Equal(a.Schema, b.Schema)
}

// prospect is what is known about the reading of a prompt before the server reports it.
type prospect struct {
	tokens int        // to read
	mark   event.Mark // of tokens; if unknown, tokens is the size of the whole prompt
	plain  int        // plain estimate of the whole prompt
	size   int        // the best estimate of the whole prompt
	window int        // the context of the request
	first  bool       // there was no prompt before
	extend bool       // the prompt begins with the last one
	drops  bool       // the template leaves earlier thinking out of the prompt
	base   int        // tokens of the last prompt, and of the reply if it is repeated; 0 if unknown
	other  bool       // the prompt differs from the request in an unknown way
}

// foresee determines what the server will read of a request.
func (k *knowledge) foresee(req provider.Request) prospect {
	messages, last := req.Messages, &k.last
	p := prospect{plain: provider.Estimate(messages, req.Tools), mark: event.Unknown, window: req.Context}
	p.size = k.size(messages, req.Tools)
	p.tokens, p.first = p.size, len(last.messages) == 0
	p.extend = k.extends(messages, req.Tools) && (last.think == req.Think || !k.thinks())
	var added []provider.Message
	if p.extend {
		added = messages[len(last.messages):]
		p.drops = k.thinks() && slices.ContainsFunc(added, isFromUser)
		p.base = last.counted
	}
	most := last.counted + atMost(added)
	if p.base > 0 && len(added) > 0 && sameMessage(added[0], last.reply) && last.answered > 0 {
		p.base, added = p.base+last.answered, added[1:]
	}
	switch {
	case p.size > req.Context: // it will be refused or truncated
	case k.empty:
		p.mark = event.About
	case p.extend && last.whole && !k.info.Uncut && !p.drops: // the server still has the last prompt in its cache
		p.tokens, p.mark = k.scaled(provider.Estimate(added, nil)), event.About
	case p.base > 0 && !slices.ContainsFunc(added, hasImages):
		p.tokens, p.mark = most, event.UpTo
	}
	return p
}

func isFromUser(m provider.Message) bool { return m.Role == provider.RoleUser }

func hasImages(m provider.Message) bool { return len(m.Images) > 0 }

// remember notes the prompt and the reply that the server has cached now. counted and answered are its counts.
func (k *knowledge) remember(r reply, counted, answered int) {
	req := r.request
	k.last = prompt{messages: req.Messages, tools: req.Tools, think: req.Think, counted: counted, reply: r.Message}
	k.last.whole = true
	if len(r.Calls) == 0 && r.Thinking == "" && !r.gaveUp { // other replies are not repeated as they were written
		k.last.answered = max(0, answered-1) // nothing followed the last token, so the server did not read it
	}
}

// forget notes that the server's cache is unknown.
func (k *knowledge) forget() { k.last, k.empty = prompt{}, false }

// judge returns the lap of reading a prompt, and notes what it shows about the server.
func (k *knowledge) judge(p prospect, u provider.Usage) event.Lap {
	lap := event.Lap{Kind: event.LapRead, Tokens: u.PromptTokens, MS: u.Prompt.Milliseconds()}
	if p.extend && !p.drops && u.PromptTokens > 0 && u.PromptTokens < k.last.counted {
		k.rewrites = true
	}
	switch added := max(1, u.PromptTokens-p.base); {
	case u.ReadTokens > 0:
		lap.Tokens = u.ReadTokens
	case k.empty:
	case p.mark == event.About && p.base > 0 && u.PromptTokens > p.base && k.explains(u, added):
		lap.Tokens, lap.Most, lap.Mark = added, u.PromptTokens-k.last.counted, event.About
	default: // unknown, or another program has used the server
		lap.Mark = event.UpTo
	}
	return lap
}

// mostAside is how many tokens a request for a sentence may make the server read again.
const mostAside = 200

// rereads reports whether the server surely read much again that it had in its cache.
func (k *knowledge) rereads(p prospect, u provider.Usage, read event.Lap) bool {
	added := u.PromptTokens - k.last.counted
	switch {
	case p.base == 0 || k.empty:
		return false
	case read.Mark == event.Counted:
		return read.Tokens > added+mostAside
	}
	return read.Mark == event.UpTo && p.mark == event.About && k.certain && !k.explains(u, added+mostAside)
}

// explains reports whether the server was fast enough to have read only some tokens of a prompt. Without any speed to
// compare with, it was not. The fixed costs of a request are less than the time for a quarter of a long prompt.
func (k *knowledge) explains(u provider.Usage, tokens int) bool {
	const fixed = 100 * time.Millisecond
	whole := cmp.Or(k.book.Read(k.name, u.PromptTokens), k.reads.of(u.PromptTokens))
	return u.Prompt <= 2*whole/time.Duration(max(u.PromptTokens, 1))*time.Duration(tokens)+min(fixed, whole/4)
}

// leastRead is the least number of tokens whose time shows the speed of a model: fixed costs dominate shorter prompts.
const leastRead = 200

// hasRead notes the speed of a reading. Until one is certain, the slowest is kept: the model is no faster, since some
// of the prompt may have been cached.
func (k *knowledge) hasRead(lap event.Lap, took time.Duration) {
	switch {
	case lap.Tokens < leastRead:
	case lap.Mark == event.UpTo:
		if !k.certain && took > k.reads.of(lap.Tokens) {
			k.reads = rate{lap.Tokens, took}
		}
	case lap.Mark == event.Counted || k.certain:
		if !k.certain {
			k.reads, k.certain = rate{}, true
		}
		k.reads.add(lap.Tokens, took)
		k.book.NoteRead(k.name, lap.Tokens, took)
	}
}

// measure is the server's count for an estimate.
type measure struct{ estimate, counted int }

// calibrate compares the estimate of a prompt with the server's count. A larger count is always evidence, a smaller one
// only if it includes cached tokens, as that of older servers does not. cut reports whether the count is so low that
// the server must have truncated the prompt, as older ones do silently.
func (k *knowledge) calibrate(p prospect, u provider.Usage) (cut bool) {
	counted := u.PromptTokens
	k.measured = measure{} // was of another prompt
	if counted <= 0 || p.other {
		return false
	}
	if theirs := counted - preamble; theirs > p.plain && p.plain > 0 {
		k.ownScale = max(k.ownScale, min(float64(theirs)/float64(p.plain), mostScale))
		k.scale = max(k.scale, k.ownScale)
	}
	includes := u.ReadTokens > 0 || k.empty || p.base > 0 && counted > p.base
	if p.size <= p.window && includes {
		k.measured = measure{p.plain, counted}
	}
	return (p.first || k.empty) && p.size > p.window && counted < p.window*3/4
}

// size estimates the tokens of a prompt. If it begins with the last one, the count of that holds for as much.
func (k *knowledge) size(messages []provider.Message, tools []provider.ToolSpec) int {
	estimate := provider.Estimate(messages, tools)
	if m := k.measured; m.estimate > 0 && k.extends(messages, tools) {
		part := min(estimate, m.estimate) // all of m, unless that was refused and is shorter now
		return int(float64(part)*float64(m.counted)/float64(m.estimate)) + k.scaled(estimate-part)
	}
	return k.scaled(estimate)
}

// scaled corrects an estimate by the server's counts for this model. Other text may have more tokens than was counted,
// so the estimate never becomes smaller.
func (k *knowledge) scaled(estimate int) int { return int(float64(estimate) * max(k.scale, 1)) }

// atMost returns an upper bound of the tokens that messages add to a prompt.
func atMost(messages []provider.Message) int {
	const markup = 32 // of a template around each message and call
	sum := 0
	for _, m := range messages {
		sum += markup + mostTokens(m.Text) + mostTokens(m.Thinking) + mostTokens(m.Tool)
		for _, call := range m.Calls {
			sum += markup + mostTokens(call.Name) + mostTokens(string(call.Arguments))
		}
	}
	return sum
}

// mostTokens returns an upper bound of the tokens of a text: one for each byte, also of those that a template may add
// to escape it. A space is part of the word after it.
func mostTokens(text string) int {
	sum := len(text)
	for i := range len(text) {
		switch c := text[i]; {
		case c == ' ' && i+1 < len(text) && text[i+1] >= 'a' && text[i+1] <= 'z':
			sum--
		case c == '"', c == '\\', c == '\n', c == '\t', c == '\r':
			sum++
		case c < ' ', c == '<', c == '>', c == '&':
			sum += len(`\u003c`) - 1
		}
	}
	return sum
}
