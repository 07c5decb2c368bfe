package repair

import (
	"strings"

	"github.com/aloudchat/aloud/sanitize"
)

const (
	leastBabble = 1200    // bytes of babble after a call, some hundred tokens, that end a reply
	firstLook   = 2 << 10 // bytes of a message that are searched for babble first
)

var (
	// madeUp matches the beginning of a result or of another message that a model makes up after its call.
	madeUp = sanitize.Pattern(`(?i)^(<\|?(tool|function)_(response|result|output)s?\|?>|\[TOOL_RESULTS\]|\[/?INST\]|` +
		`<\|im_start\|>|<\|start_header_id\|>|<start_of_turn>|<\|(user|assistant|system|tool|observation|ipython)\|>)`)
	// callTag matches the beginning of a call between tags.
	callTag = sanitize.Pattern(`<tool_call>|<function_call>|<function=|\[TOOL_CALLS\]|<\|tool_call\|?>|<\|python_tag\|>`)
)

// babble returns the calls of an unfinished message that continues with babble. The message is searched each time its
// length has doubled.
func (g *gate) babble() textCalls {
	if len(g.text) < max(g.looked, firstLook) || len(g.text) > gateLimit {
		return textCalls{}
	}
	for g.looked = max(g.looked, firstLook); 2*g.looked <= len(g.text); {
		g.looked *= 2
	}
	found := find(g.text[:g.looked], g.known)
	g.looked *= 2
	return g.withoutBabble(found, false)
}

// withoutBabble returns complete calls without the text after them, if that is babble: a made-up result, another
// message, more calls among words, or with repeats, calls or words that repeat themselves. Otherwise it returns no
// calls. Text that may be about the calls is no babble, because such calls must not be made.
func (g *gate) withoutBabble(f textCalls, repeats bool) textCalls {
	after := strings.TrimSpace(f.After)
	if len(f.Calls) == 0 || !repeats && len(after) < leastBabble {
		return textCalls{}
	}
	opening := after[:min(len(after), maxBefore)]
	next := reader{known: g.known, text: []byte(after)}
	startsWithCall := strings.TrimSpace(f.Before) == "" && f.Tagged
	switch {
	case madeUp().MatchString(after):
	case doubtful().MatchString(opening) || instructing().MatchString(opening):
		return textCalls{}
	case startsWithCall && len(callTag().FindAllString(after, 2)) == 2:
	case repeats && (after == "" && len(f.Calls) > 1 || after != "" && (startsWithCall || next.mayBegin())):
		f.Calls = f.Calls[:1] // the others are repetitions, and the last one is cut off
	default:
		return textCalls{}
	}
	f.After = ""
	return f
}
