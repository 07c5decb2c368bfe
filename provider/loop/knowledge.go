package loop

import (
	"cmp"
	"context"
	"time"

	"github.com/aloudchat/aloud/provider"
	"github.com/aloudchat/aloud/provider/pace"
)

const (
	mostScale = 4   // most tokens per estimated one: a model whose tokens are single bytes has about that
	preamble  = 256 // tokens that some templates add to every request
)

// knowledge is everything known about one model: from its server, from this chat, and from earlier chats in the book.
type knowledge struct {
	name         string
	book         *pace.Store
	chosen       int           // the configured context; 0 if none
	info         provider.Info // as reported by the server
	described    bool
	reported     int  // the context in that report; info.Context is what a refusal showed, if there was one
	tooSmall     bool // a request did not fit since the model was described
	window       int  // num_ctx of the last request; it only grows, since each change reloads the model
	inMemory     bool // nothing but window is known: the model is in memory with it
	foreign      bool // window was chosen by another program, which has the model in memory
	last         prompt
	empty        bool    // the model was loaded, and its server has cached nothing yet
	rewrites     bool    // a longer prompt had fewer tokens, so what is cached of the next one is unknown
	noTools      bool    // stop offering tools
	noThink      bool    // stop asking for a Think value
	scale        float64 // tokens the server counts for each estimated one; values below 1 are ignored
	ownScale     float64 // the scale that this chat has measured; 0 if none
	measured     measure // of the last prompt that was counted as a whole
	reads        rate    // speed of reading
	certain      bool    // reads is of prompts of which it is known how much was cached; else it may be slower
	costlyAsides bool    // a sentence made the server read a prompt again
	reread       int     // replies in a row that were read again after a sentence
	unfinished   int     // tool rounds of the turn that the limit stopped, until it is continued
	writes       rate
	shown        map[string]bool // notices shown once
}

// sharing returns the chat with Shared.
func (c Chat) sharing() Chat {
	if c.Shared == nil {
		c.Shared = new(Shared)
	}
	return c
}

// known returns what is known about the chat's model.
func (c Chat) known() *knowledge { return c.sharing().of(c.Name) }

// of returns what is known about a model.
func (c Chat) of(model string) *knowledge {
	s := c.Shared
	if s.learned == nil {
		s.learned = make(map[string]*knowledge)
	}
	k := s.learned[model]
	if k == nil {
		k = &knowledge{name: model, shown: make(map[string]bool)}
		s.learned[model] = k
	}
	k.book, k.chosen = c.Pace, c.Context
	return k
}

// describe asks the server what the model can do, until it is known. If the server does not report it, everything is
// tried.
func (k *knowledge) describe(ctx context.Context, m provider.Model) error {
	if k.described {
		return nil
	}
	info, err := m.Describe(ctx, k.name)
	if err != nil {
		switch provider.AsError(err).Kind {
		case provider.KindFailed, provider.KindMemory, provider.KindUnauthorized, provider.KindBusy:
		default:
			return err
		}
		if ctx.Err() != nil {
			return err
		}
		info = provider.Info{Name: k.name, Tools: true}
	}
	k.report(info)
	k.described, k.inMemory = err == nil, false
	return nil
}

func (k *knowledge) report(info provider.Info) { k.info, k.reported = info, info.Context }

// refresh describes a model again if its server sets the context and this is unknown, or a request did not fit since:
// the server may have loaded the model, or may have been started with a larger context. Nothing changes if that fails
// or takes too long.
func (k *knowledge) refresh(ctx context.Context, m provider.Model) {
	unknown := k.chosen == 0 && k.info.Context == 0
	if !k.described || !k.info.Fixed || !unknown && !k.tooSmall {
		return
	}
	limited, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	info, err := m.Describe(limited, k.name)
	if err != nil {
		return
	}
	k.tooSmall = false
	if info.Context > 0 && info.Context != k.reported { // else a refusal has told more
		k.report(info)
	}
}

// recall finds the context to begin with: the one with which the model is in memory, since any other reloads it, or
// with 0 the size that the last turn needed. One that was chosen by another program may be too small.
func (k *knowledge) recall(loaded int) {
	needed, scale := k.book.Context(k.name)
	k.scale = max(k.scale, min(scale, mostScale))
	if k.fixed() {
		return
	}
	if k.window == 0 {
		k.window = min(needed, k.limit())
	}
	if loaded > 0 && loaded != k.window {
		k.window, k.foreign = loaded, true
	}
}

// think returns the Think value to request for the configured one.
func (k *knowledge) think(wanted provider.Think) provider.Think {
	if k.noThink || k.info.CannotThink() || k.info.Refuses(wanted) != "" {
		return provider.ThinkAuto
	}
	return wanted
}

// thinkLess returns the Think value for a reply without thinking, if the model supports that.
func (k *knowledge) thinkLess() provider.Think {
	switch {
	case k.noThink || !k.info.Thinking:
		return provider.ThinkAuto
	case k.info.Levels: // it cannot stop thinking
		return provider.ThinkLow
	}
	return provider.ThinkOff
}

// fixed reports whether aloud cannot choose the context.
func (k *knowledge) fixed() bool { return k.chosen > 0 || k.info.Fixed }

// sized returns a size of the context, and whether it is a guess.
func (k *knowledge) sized(tokens int) provider.Window {
	return provider.Window{Tokens: tokens, Assumed: k.chosen == 0 && k.info.Context == 0 && !k.inMemory}
}

// limit returns the most that the context may grow to. A context that is in memory already fits there.
func (k *knowledge) limit() int {
	limit := largestWindow(k.chosen, k.info)
	if k.fixed() {
		return limit
	}
	return max(limit, k.window)
}

// largestWindow returns the largest context of a model. Servers do not exceed the trained length, whatever is
// configured.
func largestWindow(chosen int, info provider.Info) int {
	if chosen > 0 {
		return min(chosen, cmp.Or(info.Context, chosen))
	}
	return cmp.Or(affordable(info.Context, info.PerToken, info.Memory), unknownWindow)
}

// widen returns the context for a request of need tokens. All requests to a model use the same until more is needed.
func (k *knowledge) widen(need int) int {
	k.window, k.foreign = k.windowFor(need), false
	return k.window
}

func (k *knowledge) windowFor(need int) int {
	if k.fixed() {
		return k.limit()
	}
	if k.foreign { // room for an answer, so that the model is loaded at once instead of after the next round
		need += max(0, k.window/4-reserve)
	}
	return windowFor(need, k.window, k.limit())
}

// keep saves the measurements and how much context a turn used. If that fails, there are just no estimates.
func (k *knowledge) keep(used int) {
	if used > 0 && !k.fixed() {
		k.book.NoteContext(k.name, windowFor(used, 0, k.limit()), k.ownScale)
	}
	_ = k.book.Save()
}

// rate is the total time for a number of tokens.
type rate struct {
	tokens int
	took   time.Duration
}

func (r *rate) add(tokens int, took time.Duration) {
	if tokens > 0 && took > 0 {
		r.tokens, r.took = r.tokens+tokens, r.took+took
	}
}

// takes returns about how long the model takes to read and to write these tokens; 0 if unknown.
func (k *knowledge) takes(read, written int) time.Duration {
	return k.reads.of(read) + k.writes.of(written)
}

func (r rate) of(tokens int) time.Duration {
	return time.Duration(tokens) * r.took / time.Duration(max(r.tokens, 1))
}

// Window returns the context of the chat's model, or of a short first question if nothing was asked yet.
// It must not be called during a turn.
func (c Chat) Window() provider.Window {
	k := c.known()
	return k.sized(k.windowFor(0))
}

// With returns the chat with another model, or with a new description of its own. It must not be called during a turn.
func (c Chat) With(info provider.Info) Chat {
	c = c.sharing()
	c.Name = info.Name
	c.known().report(info)
	return c
}

// attachShare is how much of the largest context the attachments of one message may take.
const attachShare = 0.4

// AttachLimits returns a function that returns the limits for attachments, and asks the server if they are not known
// yet. AttachLimits must not be called during a turn; the function is safe for concurrent use. If the server cannot
// say, images are accepted.
func (c Chat) AttachLimits() func(context.Context) provider.AttachLimits {
	k, name, model := *c.known(), c.Name, c.Model
	return func(ctx context.Context) provider.AttachLimits {
		info, err := k.info, error(nil)
		if !k.described {
			info, err = model.Describe(ctx, name)
		}
		if err != nil {
			info = provider.Info{Vision: true}
		}
		window := largestWindow(k.chosen, info)
		room := float64(window) * attachShare / max(k.scale, 1)
		return provider.AttachLimits{Model: name, Room: int(room), Window: window,
			Vision: info.Vision || !info.Known && !info.Blind}
	}
}
