package loop

import (
	"cmp"
	"context"
	"time"

	"github.com/aloudchat/aloud/provider"
)

const (
	mostScale = 4   // how far off an estimate can be: about so far for a model whose tokens are single bytes
	preamble  = 256 // tokens that the templates of some models say of their own in every request, however short it is
)

// learned is all that is known of one model: what its server says of it, what the chat has found out and keeps from turn to turn, and what
// earlier chats have noted in the book. All of it is written here.
type learned struct {
	name      string
	book      *provider.Pace
	chosen    int           // the context that is configured; 0: none
	info      provider.Info // what the server says
	described bool
	window    int     // the num_ctx of the last request; it only grows, since each change loads the model again
	read      int     // about how many tokens the last request had: the server still has them in its cache
	counted   int     // how many tokens the server counted of the last request; 0: none, or it was loaded again since
	toolless  bool    // the last request offered no tools
	noTools   bool    // no tools are offered any more
	noThink   bool    // Think is not asked for any more
	scale     float64 // how many tokens the server counts for one that is estimated; only more than 1 counts
	seen      float64 // the same, as the counts of this chat have shown it; 0: they have not
	reads     rate    // how fast it reads and writes, over all replies of the chat
	writes    rate
	told      map[string]bool // what people were told of it once
}

// of returns what is known of a model.
func (c *Chat) of(model string) *learned {
	if c.learned == nil {
		c.learned = make(map[string]*learned)
	}
	k := c.learned[model]
	if k == nil {
		k = &learned{name: model, told: make(map[string]bool)}
		c.learned[model] = k
	}
	k.book, k.chosen = c.Pace, c.Context
	return k
}

// describe asks what the model can do, until it is known. A server that cannot tell is no reason not to try: then the model is offered everything.
func (k *learned) describe(ctx context.Context, m provider.Model) error {
	if k.described {
		return nil
	}
	info, err := m.Describe(ctx, k.name)
	if err != nil {
		if provider.AsError(err).Kind != provider.KindFailed || ctx.Err() != nil {
			return err
		}
		info = provider.Info{Name: k.name, Tools: true}
	}
	k.info, k.described = info, err == nil
	return nil
}

// recall finds the context to begin with. The server loads a model again for any other than it has in memory, so that one is used as long as it
// is enough. If the model is not in memory the first request asks for what the last turn needed.
func (k *learned) recall(ctx context.Context, m provider.Model) {
	needed, scale := k.book.Context(k.name)
	k.scale = max(k.scale, min(scale, mostScale))
	if k.fixed() {
		return
	}
	if k.window == 0 {
		k.window = min(needed, k.limit())
	}
	if server, ok := m.(provider.Memory); ok {
		k.window = cmp.Or(server.LoadedContext(ctx, k.name), k.window)
	}
}

// think is what Think to ask for when it is configured like this.
func (k *learned) think(wanted provider.Think) provider.Think {
	if k.noThink || k.info.CannotThink() {
		return provider.ThinkAuto
	}
	return wanted
}

// thinkLess asks for a reply without thinking, where the model can do that.
func (k *learned) thinkLess() provider.Think {
	if k.noThink || !k.info.Thinking {
		return provider.ThinkAuto
	}
	return provider.ThinkOff
}

// scaled corrects an estimate by what the server counted for this model.
func (k *learned) scaled(estimate int) int { return int(float64(estimate) * max(k.scale, 1)) }

// fixed reports whether the context of requests is not for aloud to choose.
func (k *learned) fixed() bool { return k.chosen > 0 || k.info.Fixed && k.info.Context > 0 }

// limit is the most that the context may grow to. What is in memory already has room there.
func (k *learned) limit() int {
	limit := largestWindow(k.chosen, k.info)
	if k.fixed() {
		return limit
	}
	return max(limit, k.window)
}

// largestWindow is the largest context of a model. Servers make none longer than the model was trained for, whatever is configured.
func largestWindow(chosen int, info provider.Info) int {
	if chosen > 0 {
		return min(chosen, cmp.Or(info.Context, chosen))
	}
	return cmp.Or(affordable(info.Context, info.PerToken, info.Memory), unknownWindow)
}

// widen chooses the context for a request of need tokens. It is the same for all that is asked of a model, whatever for, until more is needed.
func (k *learned) widen(need int) int {
	if k.fixed() {
		k.window = k.limit()
	} else {
		k.window = windowFor(need, k.window, k.limit())
	}
	return k.window
}

// double takes a larger context after a refusal, and reports whether there is one: the server has counted better than the estimate.
func (k *learned) double() bool {
	if k.window >= k.limit() {
		return false
	}
	k.window = min(2*k.window, k.limit())
	return true
}

// offers notes whether a request offers tools. They stand at the beginning of a prompt: if that changes all behind them is read again.
func (k *learned) offers(tools bool) {
	if k.toolless == tools {
		k.toolless = !tools
		k.forget()
	}
}

// forget notes that the server has nothing of the conversation in its cache any more.
func (k *learned) forget() { k.read, k.counted = 0, 0 }

// calibrate learns from the server's count of a request how far off its estimate is. Only a larger count teaches: servers may leave out of it
// what they had in their cache. A count far below a request that should have filled the context means that the server cut it without a word,
// which older ones do: then cut is true.
func (k *learned) calibrate(estimated, window, counted int) (cut bool) {
	if theirs := counted - preamble; theirs > estimated && estimated > 0 {
		k.seen = max(k.seen, min(float64(theirs)/float64(estimated), mostScale))
		k.scale = max(k.scale, k.seen)
	}
	return counted > 0 && k.read == 0 && k.scaled(estimated) > window && counted < window*3/4
}

// fresh is how many tokens of a prompt the server had to read, when it counted so many and about expected are new. Some servers count all of the
// prompt, others leave out what they had in their cache; how much that is none of them says.
func (k *learned) fresh(counted, expected int) int {
	if k.read == 0 || counted < k.counted { // all of it, or the server leaves out what it knew
		return counted
	}
	return min(expected, counted-k.counted)
}

// replied notes how fast a reply was, of which fresh tokens were new. loaded: the model came into memory for it.
func (k *learned) replied(u provider.Usage, fresh int, loaded bool) {
	if loaded {
		k.book.NoteLoad(k.name, u.Load)
	}
	if fresh > 0 && u.Prompt > 0 {
		k.book.NoteRead(k.name, fresh, u.Prompt)
	}
	k.counted = u.PromptTokens
	k.reads.add(fresh, u.Prompt)
	k.writes.add(u.AnswerTokens, u.Answer)
}

// keep lets the next start of the program know what was measured, and how much context a turn used. If that fails there will be no estimate.
func (k *learned) keep(used int) {
	if used > 0 && !k.fixed() {
		k.book.NoteContext(k.name, windowFor(used, 0, k.limit()), k.seen)
	}
	_ = k.book.Save()
}

// rate is how long so many tokens took. What is fixed about a request weighs little beside long prompts.
type rate struct {
	tokens int
	took   time.Duration
}

func (r *rate) add(tokens int, took time.Duration) {
	if tokens > 0 && took > 0 {
		r.tokens, r.took = r.tokens+tokens, r.took+took
	}
}

// takes is about how long the model takes to read and to write so many tokens; 0 if unknown.
func (k *learned) takes(read, written int) time.Duration {
	return k.reads.of(read) + k.writes.of(written)
}

func (r rate) of(tokens int) time.Duration {
	return time.Duration(tokens) * r.took / time.Duration(max(r.tokens, 1))
}

// Window is how many tokens of context the chat's model has now, or would have for a short question when nothing was asked yet.
// It must not be called while a turn runs.
func (c *Chat) Window() int {
	k := c.of(c.Name)
	if k.fixed() {
		return k.limit()
	}
	return windowFor(0, k.window, k.limit())
}

// attachShare is how much of the largest context may be attached to one question: the rest is for the tools, the answer, and what was said.
const attachShare = 0.4

// Means returns a function that finds the means of the chat's model, and asks its server if that is not known yet. It must not be called while a turn
// runs; what it returns may be called on any goroutine. A server that cannot tell is trusted with images.
func (c *Chat) Means() func(context.Context) provider.Means {
	k, name, model := *c.of(c.Name), c.Name, c.Model
	return func(ctx context.Context) provider.Means {
		info := k.info
		if !k.described {
			found, err := model.Describe(ctx, name)
			if err != nil {
				found = provider.Info{Vision: true}
			}
			info = found
		}
		room := float64(largestWindow(k.chosen, info)) * attachShare / max(k.scale, 1)
		return provider.Means{Model: name, Room: int(room), Sees: info.Vision}
	}
}
