package repair

import (
	"slices"
	"strings"

	"github.com/aloudchat/aloud/internal/sanitize"
)

const (
	leastBabble = 1200    // bytes of babble after a call, some hundred tokens, that end a reply
	firstLook   = 2 << 10 // bytes of a message that are searched for babble first

	resultTag = `(?:tool|function)_(?:response|result|output)s?`
	token     = `<\|\w+\|>|</s>|<(?:start|end)_of_turn>|</?tool_call>|\[/?INST\]`
)

var (
	// madeUp matches the beginning of a result or of another message that a model makes up after its call.
	madeUp = sanitize.Pattern(`(?i)^(<\|?` + resultTag + `\|?>|\[TOOL_RESULTS\]|\[/?INST\]|` +
		`<\|im_start\|>|<\|start_header_id\|>|<start_of_turn>|<\|(user|assistant|system|tool|observation|ipython)\|>)`)
	// results matches made-up results, and messages matches messages that are not the model's own. Both also end at the
	// next token of a template, since the model's next turn may follow without their own end.
	results = sanitize.Pattern(`(?is)(?:<\|?` + resultTag + `\|?>|\[TOOL_RESULTS\]).*?` +
		`(?:<\|?/?\|?` + resultTag + `\|?>|\[/TOOL_RESULTS\]|(` + token + `)|\z)`)
	messages = sanitize.Pattern(`(?is)(?:<\|im_start\|>(?:user|tool|system)|` +
		`<\|start_header_id\|>(?:user|tool|ipython|system)<\|end_header_id\|>|<start_of_turn>user|` +
		`<\|(?:user|system|tool|observation|ipython)\|>|\[INST\]).*?(` + token + `|\z)`)
	// markup matches what may be left of a template between results, messages and calls.
	markup = sanitize.Pattern("(?i)(?:" + token + ")(?:assistant|model)?|```|" +
		`</?(?:tool_calls|function_calls?|tools|tool_code)>|<\|?/?\|?` + resultTag + `\|?>`)
	// callTag matches the beginning of a call between tags.
	callTag = sanitize.Pattern(`<tool_call>|<function_call>|<function=|\[TOOL_CALLS\]|<\|tool_call\|?>|` +
		`<\|python_tag\|>`)
)

// babble returns the calls of an unfinished message that continues with babble. The message is searched each time its
// length has doubled.
func (g *gate) babble() textCalls {
	if len(g.text) < max(g.searchAt, firstLook) || len(g.text) > gateLimit {
		return textCalls{}
	}
	for g.searchAt = max(g.searchAt, firstLook); 2*g.searchAt <= len(g.text); {
		g.searchAt *= 2
	}
	found := find(g.text[:g.searchAt], g.known, true)
	g.searchAt *= 2
	return g.withoutBabble(found, false)
}

// withoutBabble returns complete calls without the text after them, if that is babble: a made-up result, another
// message, more calls, or with repeats, calls that repeat themselves. Otherwise it returns no calls. A text with words
// of the model's own is no babble, because they may say that the calls must not be made.
func (g *gate) withoutBabble(f textCalls, repeats bool) textCalls {
	after := strings.TrimSpace(f.After)
	isBabble := repeats || len(after) >= leastBabble &&
		(madeUp().MatchString(after) || len(callTag().FindAllString(after, 2)) == 2)
	if !isBabble || len(f.Calls) == 0 || f.broken() || g.hasWords(f) {
		return textCalls{}
	}
	if f.After = ""; repeats {
		f.Calls = withoutRepeats(f.Calls)
	}
	return f
}

// hasWords reports whether the text after calls has anything but results, messages, complete calls and markup. It may
// end with the beginning of an earlier part of the reply, which repeats itself.
func (g *gate) hasWords(f textCalls) bool {
	begins := []string{string(g.text[len(f.Before):]), madeUp().FindString(strings.TrimSpace(f.After))}
	text := results().ReplaceAllString(f.After, "\n$1")
	text = messages().ReplaceAllString(text, "\n$1")
	for len(f.Calls) > 0 {
		for _, call := range f.Calls {
			begins = append(begins, call.Text)
		}
		f = find([]byte(text), g.known, true)
		if f.broken() || strings.TrimSpace(markup().ReplaceAllString(f.Before, "")) != "" {
			return true
		}
		if len(f.Calls) > 0 {
			text = f.After
		}
	}
	isAgain := func(begin string) bool { return strings.HasPrefix(begin, strings.TrimSpace(text)) }
	return strings.TrimSpace(markup().ReplaceAllString(text, "")) != "" && !slices.ContainsFunc(begins, isAgain)
}

// withoutRepeats drops the calls that equal an earlier one.
func withoutRepeats(calls []textCall) (kept []textCall) {
	for _, call := range calls {
		isAgain := func(k textCall) bool { return strings.TrimSpace(k.Text) == strings.TrimSpace(call.Text) }
		if !slices.ContainsFunc(kept, isAgain) {
			kept = append(kept, call)
		}
	}
	return kept
}
