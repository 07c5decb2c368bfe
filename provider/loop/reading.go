package loop

import (
	"bytes"
	"slices"
	"time"

	"github.com/aloudchat/aloud/provider"
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

// extends reports whether a request begins with the last prompt. messages are those of the request with its hint.
func (k *learned) extends(req provider.Request, messages []provider.Message) bool {
	p, n := &k.last, len(k.last.messages)
	return n > 0 && n <= len(messages) && (p.think == req.Think || !k.thinks()) &&
		slices.EqualFunc(p.messages, messages[:n], sameMessage) && slices.EqualFunc(p.tools, req.Tools, sameSpec)
}

// thinks reports whether the model can think. Prompts of other models do not depend on Request.Think.
func (k *learned) thinks() bool { return k.info.Thinking || k.last.reply.Thinking != "" }

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
	tokens int           // to read
	mark   provider.Mark // of tokens; if unknown, tokens is the size of the whole prompt
	plain  int           // plain estimate of the whole prompt
	size   int           // the best estimate of the whole prompt
	window int           // the context of the request
	first  bool          // there was no prompt before
	extend bool          // the prompt begins with the last one
	kept   int           // tokens that the server counted and still has in its cache; 0 if unknown
	least  int           // tokens that its count has at least, unless it excludes cached ones; 0 if unknown
	other  bool          // the prompt differs from the request in an unknown way
}

// claimed is the share of an estimate that a prompt surely has: text of up to six bytes per token.
const claimed = 0.6

// foresee determines what the server will read of a request.
func (k *learned) foresee(req provider.Request) prospect {
	messages, last := req.WithHint(), &k.last
	p := prospect{plain: provider.Estimate(messages, req.Tools), mark: provider.Unknown, window: req.Context}
	p.size = k.scaled(p.plain)
	p.tokens, p.first, p.extend = p.size, len(last.messages) == 0, k.extends(req, messages)
	var added []provider.Message
	if p.extend {
		added = messages[len(last.messages):]
	}
	if last.counted > 0 && p.extend {
		p.least = last.counted + provider.Estimate(added, nil)/2
	}
	switch {
	case claimed*float64(p.size) > float64(req.Context): // it will be refused or truncated
		p.tokens, p.mark = 0, provider.About
	case k.empty:
		p.mark = provider.About
	case p.extend && k.keeps(added):
		kept := last.counted
		if len(added) > 0 && sameMessage(added[0], last.reply) && last.answered > 0 {
			kept, added = kept+last.answered, added[1:]
		}
		if last.counted > 0 {
			p.kept = kept
		}
		p.tokens, p.mark = k.added(provider.Estimate(added, nil)), provider.About
	case p.extend && last.counted > 0 && !slices.ContainsFunc(added, hasImages):
		p.tokens, p.mark = last.counted+k.atMost(added), provider.UpTo
	}
	return p
}

func hasImages(m provider.Message) bool { return len(m.Images) > 0 }

// keeps reports whether the server still has the last prompt in its cache when messages are added. Templates of models
// that think change the earlier part of the prompt after a new question.
func (k *learned) keeps(added []provider.Message) bool {
	asks := slices.ContainsFunc(added, func(m provider.Message) bool { return m.Role == provider.RoleUser })
	return k.last.whole && !k.info.Uncut && !(k.thinks() && asks)
}

// remember notes the prompt and the reply that the server has cached now. counted and answered are its counts.
func (k *learned) remember(r reply, counted, answered int) {
	req := r.request
	k.last = prompt{messages: req.WithHint(), tools: req.Tools, think: req.Think, counted: counted, reply: r.Message}
	k.last.whole = true
	if len(r.Calls) == 0 && r.Thinking == "" && !r.gaveUp { // other replies are not repeated as they were written
		k.last.answered = max(0, answered-1) // nothing followed the last token, so the server did not read it
	}
}

// forget notes that the server's cache is unknown.
func (k *learned) forget() { k.last = prompt{} }

// judge returns the lap of reading a prompt, and notes what it shows about the server.
func (k *learned) judge(p prospect, u provider.Usage) provider.Lap {
	lap := provider.Lap{Kind: provider.LapRead, Tokens: u.PromptTokens, MS: u.Prompt.Milliseconds()}
	switch counted := k.last.counted; {
	case u.ReadTokens > 0:
		lap.Tokens = u.ReadTokens
	case k.empty, k.excludes:
	case p.extend && u.PromptTokens > 0 && u.PromptTokens < counted && p.size < p.window:
		k.excludes = true
	case p.kept > 0 && u.PromptTokens >= p.least:
		lap.Tokens, lap.Most = max(1, u.PromptTokens-p.kept), max(1, u.PromptTokens-counted)
		lap.Mark = provider.About
		if !k.explains(u.Prompt, lap.Tokens, u.PromptTokens) { // another program has used the server
			lap.Tokens, lap.Most, lap.Mark = u.PromptTokens, 0, provider.UpTo
		}
	default:
		lap.Mark = provider.UpTo
	}
	return lap
}

// mostAside is how many tokens a request for a sentence may make the server read again.
const mostAside = 200

// rereads reports whether the server surely read much again that it had in its cache.
func (k *learned) rereads(p prospect, u provider.Usage, read provider.Lap) bool {
	added := p.tokens
	if k.last.counted > 0 {
		added = u.PromptTokens - k.last.counted
	}
	switch {
	case !p.extend || k.empty:
		return false
	case read.Mark == provider.Counted:
		return read.Tokens > added+mostAside
	}
	return read.Mark == provider.UpTo && p.kept > 0 && k.sure.tokens > 0 && u.Prompt > 3*k.sure.of(added+mostAside)
}

// explains reports whether reading tokens may have taken so long, if the whole prompt has size tokens.
func (k *learned) explains(took time.Duration, tokens, size int) bool {
	const fixed = 100 * time.Millisecond // costs of any request
	if k.sure.tokens == 0 {
		return took <= noticeable*time.Millisecond+time.Duration(tokens)*longestRead
	}
	return took <= fixed+3*k.sure.of(tokens) || took < k.sure.of(size)/4
}

// leastSure is the least number of tokens whose time shows the speed of a model: fixed costs dominate shorter prompts.
const leastSure = 200

// hasRead notes the speed of a reading.
func (k *learned) hasRead(lap provider.Lap, took time.Duration) {
	k.reads.add(lap.Tokens, took)
	if lap.Mark != provider.UpTo && lap.Tokens >= leastSure && took > 0 {
		k.sure.add(lap.Tokens, took)
		k.book.NoteRead(k.name, lap.Tokens, took)
	}
}

// measure is the server's count for an estimate.
type measure struct{ estimate, counted int }

// calibrate compares the estimate of a prompt with the server's count. A larger count is always evidence, a smaller one
// only if it includes cached tokens. cut reports whether the count is so low that the server must have truncated the
// prompt, as older ones do silently.
func (k *learned) calibrate(p prospect, u provider.Usage) (cut bool) {
	counted := u.PromptTokens
	if counted <= 0 || p.other {
		return false
	}
	if theirs := counted - preamble; theirs > p.plain && p.plain > 0 {
		k.seen = max(k.seen, min(float64(theirs)/float64(p.plain), mostScale))
		k.scale = max(k.scale, k.seen)
	}
	cut = (p.first || k.empty) && p.size > p.window && counted < p.window*3/4
	isWhole := u.ReadTokens > 0 || k.empty || p.least > 0 && counted >= p.least
	if isWhole && p.size <= p.window {
		k.measured = measure{p.plain, counted}
	}
	return cut
}

// scaled corrects an estimate by the server's counts for this model. The count of the last prompt holds for as much as
// was counted. Other text may have more tokens, so its estimate never becomes smaller.
func (k *learned) scaled(estimate int) int {
	part := min(estimate, k.measured.estimate)
	rest := int(float64(estimate-part) * max(k.scale, 1))
	return int(float64(part)*float64(k.measured.counted)/float64(max(k.measured.estimate, 1))) + rest
}

// added corrects an estimate of text that is added to a prompt. The count of a short prompt is mostly what its template
// adds once.
func (k *learned) added(estimate int) int {
	return min(k.scaled(estimate), int(float64(estimate)*max(k.scale, 1)))
}

// atMost returns an upper bound of the tokens that messages add to a prompt.
func (k *learned) atMost(messages []provider.Message) int {
	const markup = 32 // of a template around each message and call
	letters := 2      // per token at least
	if k.scale > 1.5 {
		letters = 1
	}
	sum := 0
	for _, m := range messages {
		sum += markup + atMost(m.Text, letters) + atMost(m.Thinking, letters) + atMost(m.Tool, letters)
		for _, call := range m.Calls {
			sum += markup + atMost(call.Name, letters) + atMost(string(call.Arguments), letters)
		}
	}
	return sum
}

// atMost returns an upper bound of the tokens of a text in which each token of a word has at least some letters. Other
// bytes count one each, and two if a template may escape them. A space is part of the word after it.
func atMost(text string, letters int) int {
	sum, run := 0, 0 // run is the number of letters before i
	for i := range len(text) {
		switch c := text[i]; {
		case c >= 'a' && c <= 'z':
			if run%letters == 0 {
				sum++
			}
			run++
			continue
		case c == ' ' && run > 0:
		case c == '"', c == '\\', c < ' ':
			sum += 2
		default:
			sum++
		}
		run = 0
	}
	return sum
}
