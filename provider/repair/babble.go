package repair

import (
	"cmp"
	"slices"
	"strings"

	"github.com/aloudchat/aloud/sanitize"
)

const (
	leastBabble = 1200    // bytes of babble after a call, some hundred tokens, that end a reply
	firstLook   = 2 << 10 // bytes of a message that are searched for babble first

	resultTag = `(?:tool|function)_(?:response|result|output)s?`
)

var (
	// madeUp matches the beginning of a result or of another message that a model makes up after its call.
	madeUp = sanitize.Pattern(`(?i)^(<\|?` + resultTag + `\|?>|\[TOOL_RESULTS\]|\[/?INST\]|` +
		`<\|im_start\|>|<\|start_header_id\|>|<start_of_turn>|<\|(user|assistant|system|tool|observation|ipython)\|>)`)
	// results matches made-up results, and messages matches messages that are not the model's own.
	results = sanitize.Pattern(`(?is)<\|?` + resultTag + `\|?>.*?(<\|?/?\|?` + resultTag + `\|?>|\z)|` +
		`\[TOOL_RESULTS\].*?(\[/TOOL_RESULTS\]|\z)`)
	messages = sanitize.Pattern(`(?is)(<\|im_start\|>(user|tool|system)|<\|start_header_id\|>(user|tool|ipython|system)|` +
		`<start_of_turn>user|<\|(user|system|tool|observation|ipython)\|>|\[INST\]).*?` +
		`(<\|im_end\|>|<\|im_start\|>assistant|<\|eot_id\|>|<\|start_header_id\|>assistant|<end_of_turn>|` +
		`<start_of_turn>model|<\|assistant\|>|\[/INST\]|\z)`)
	// callTag matches the beginning of a call between tags.
	callTag = sanitize.Pattern(`<tool_call>|<function_call>|<function=|\[TOOL_CALLS\]|<\|tool_call\|?>|` +
		`<\|python_tag\|>`)
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
// message, more calls, or with repeats, calls or words that repeat themselves. Otherwise it returns no calls. In doubt,
// the text is no babble, because it may say that the calls must not be made.
func (g *gate) withoutBabble(f textCalls, repeats bool) textCalls {
	after := strings.TrimSpace(f.After)
	isBabble := repeats || len(after) >= leastBabble &&
		(madeUp().MatchString(after) || len(callTag().FindAllString(after, 2)) == 2)
	if len(f.Calls) == 0 || !isBabble {
		return textCalls{}
	}
	words, harmless := g.wordsIn(after)
	if !harmless {
		return textCalls{}
	}
	if f.After = words; repeats {
		f.Calls = withoutRepeats(f.Calls)
	}
	return f
}

// wordsIn returns the first words in the text after a call that belong to no result, message or other call. harmless
// reports whether all such words announce calls.
func (g *gate) wordsIn(text string) (words string, harmless bool) {
	text = results().ReplaceAllString(text, "\n")
	if doubtful().MatchString(text) || instructing().MatchString(text) {
		return "", false
	}
	text = messages().ReplaceAllString(text, "\n")
	for {
		f := find([]byte(text), g.known)
		if len(f.Calls) == 0 {
			break
		}
		before := strings.TrimSpace(f.Before)
		if !announces(before, maxAfter) {
			return "", false
		}
		words, text = cmp.Or(words, before), f.After
	}
	if at := strings.IndexAny(text, "<{[`"); at >= 0 {
		if next := (reader{known: g.known, text: []byte(text[at:])}); next.mayBegin() { // the last call is cut off
			text = text[:at]
		}
	}
	text = strings.TrimSpace(fold(text))
	return cmp.Or(words, text), announces(text, maxAfter)
}

// withoutRepeats drops the calls that equal an earlier one, and the last one if it is cut off: it begins like another.
func withoutRepeats(calls []textCall) (kept []textCall) {
	for _, call := range calls {
		isAgain := func(k textCall) bool { return strings.HasPrefix(k.Text, strings.TrimSpace(call.Text)) }
		if !slices.ContainsFunc(kept, isAgain) {
			kept = append(kept, call)
		}
	}
	return kept
}
