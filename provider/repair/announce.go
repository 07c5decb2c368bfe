package repair

import (
	"regexp"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

// How much may be said around calls that are made, in characters.
const (
	mostBefore = 240
	mostAfter  = 120
)

// announced reports whether the words around a block of calls say that the model makes them, so that it is no example,
// no quote and no refusal. A call in a message with other words is made only when all of this holds:
//
//   - At most 240 characters come before it and 120 after it, without code, lists, quotes and questions.
//   - The last sentence before it says that the model is about to do something ("Sure, I will look it up."), the words
//     after it that it is at work ("Please wait.").
//   - None of these words is about an example, a form, a possibility, a condition, a refusal or the past, waits for a
//     yes, or tells the reader what to do.
//   - The block begins a line, or follows the end of a sentence.
//   - The question does not ask how to call a tool, for the text of a call, or to be asked first.
//
// Words that the rule does not know, such as those of other languages, leave the call unmade: making one that was not
// meant is worse.
func (f textCalls) announced(question string) bool {
	before, after := strings.TrimSpace(f.Before), strings.TrimSpace(f.After)
	return plainWords(before, mostBefore) && plainWords(after, mostAfter) && plainWords(lastSentence(before), mostBefore) && ends(f.Before) &&
		!asksHow().MatchString(question)
}

// lastSentence is the last one of the words.
func lastSentence(words string) string {
	begins := 0
	for _, end := range sentenceEnd().FindAllStringIndex(words, -1) {
		if end[1] < len(words) {
			begins = end[1]
		}
	}
	return words[begins:]
}

// plainWords reports whether words around a call announce something and leave no doubt. No words leave none.
func plainWords(words string, most int) bool {
	words = strings.ReplaceAll(words, "’", "'")
	return words == "" || utf8.RuneCountInString(words) <= most && !strings.ContainsAny(words, "{}[]<>`|\"“”„«»?") &&
		!strings.ContainsFunc(words, foreign) && announcing().MatchString(words) && !doubtful().MatchString(words)
}

// ends reports whether a line or a sentence ends there.
func ends(words string) bool {
	line := strings.TrimSpace(words[strings.LastIndexByte(words, '\n')+1:])
	last, _ := utf8.DecodeLastRuneInString(line)
	return line == "" || strings.ContainsRune(".!:…", last)
}

// foreign reports whether r is of a script in which English is not written.
func foreign(r rune) bool { return unicode.IsLetter(r) && !unicode.Is(unicode.Latin, r) }

// anyOf matches any of these expressions, in any case.
func anyOf(expressions ...string) func() *regexp.Regexp {
	return onUse("(?im)" + strings.Join(expressions, "|"))
}

// onUse compiles an expression when it is first needed: all of them take several milliseconds of every start.
func onUse(expression string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expression) })
}

var (
	sentenceEnd = anyOf(`[.!:…]\s+`, `\n+`)

	// announcing is how models say that they are about to do something.
	announcing = anyOf(
		`\b(I'll|I will|I'm going to|I am going to|I'm \w+ing|I am \w+ing|I need to|I have to|I must|we need to|we'll|let me|let's|let us)\b`,
		`\b(sure|certainly|of course|absolutely|alright|right away|(one|just a|a) (moment|second)|please wait|hold on|stand by)\b`,
		`\bok(ay)?\b([^\w\n]*$|.*\b(the|it|this|you|your|now)\b)`, // which many languages say: the rest has to be English
		`(^|[.!:] )(calling|checking|looking|searching|fetching|retrieving|reading|getting|running|finding)\b`)

	// doubtful is what is said around a call that is not to be made.
	doubtful = anyOf(
		`\b(examples?([^.\w]|\.?$|\.\s)|e\.g|for instance|such as|sample|template|syntax|format|schema|documentation)`,
		`\b(would|could|might|unless|never|cannot|refuse|instead|works?|easy|already|said|says|contains)\b|n't\b`,
		`\b(not (run|call|do|make|send|use|execute|be|going)|(like|do) (this|that|so)|as follows|looks? like|how (to|it)|here's how|show you|you (can|could|may|need|have|must|should|will|want|call|use|send))\b`,
		`(^|[.!:]\s+)(to [^.!,']*:?$|(use|call|send|try|run|put|type|enter|paste|write|pass|add|do|make)\b)`, // instructions
		`\b((the|in|as) json|give you|write (it |this |one )?(down|out)|payload|snippet)\b`,
		`\b(explain|demonstrat|illustrat|describ|quot|pretend|suppos|imagin|hypothe)`,
		`\b(if|once|when|whenever|after|until|before|as soon as) (you|your|that is|that's|this is|needed|necessary|allowed|ready)\b|(^|[.!:,;]\s+)if\b`,
		`\b(let (me|us) know|(you|please) confirm|confirmed|confirmation|permission|approv(e|ed|al)|consent|go[- ]ahead|wait for you|later|first ask|ask (you|for))\b`,
		`\b(unable|not (able|allowed|permitted|supposed)|ignor(e|ing)|skip(ping)?|avoid(ing)?|warn|careful|suspicious|malicious|hesitant|point out|leave (it|this|that))\b`,
		`\b(suggest|propos|recommend)(e|ing)?\b|\bhere(('s| is| are) (the|a|my|your)|:)`,
		`\b(was|were|did|had|called|ran|made|sent|returned|failed)\b`)

	// asksHow is a question about calls.
	asksHow = anyOf(
		`\bhow\b[^.?!\n]{0,40}\b(call|invoke|use)\b`,
		`\b(examples?|syntax|format|schema|signature|documentation) (of|for|call|to call)\b|\b(example|sample|tool) call\b`,
		`\b(explain|describe|document|what does|what is|what would)\b[^.?!\n]{0,60}\b(tools?|functions?|call)\b`,
		`\b(don't|do not|without)\b[^.?!\n]{0,20}\b(call|run|execut|mak|us)(e|ing)?\b`,
		`\b(tool|function)[ -]calls?\b|\bjson\b[^.?!\n]{0,40}\b(call|invo|request|tool|function)`,
		`\b(show|write|give|print|draft|what|which)\b[^.?!\n]{0,30}\b(call|request|invocation) (you|that|for|to|of)\b`,
		`\b(ask|tell) me (first|before)|\bwait (for|until)\b|\bdry[- ]run\b`)
)
