package repair

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/aloudchat/aloud/internal/sanitize"
	"github.com/aloudchat/aloud/provider"
)

// Limits of the words around calls, in characters.
const (
	maxBefore = 240
	maxAfter  = 120
)

// announced reports whether the words around a block of calls announce them, so that they are not an example, a quote
// or a refusal. All of these must hold:
//
//   - At most 240 characters come before the block and 120 after it, without code, lists, quotes and questions.
//   - The last sentence before it announces an action ("Sure, I will look it up."), and the words after it say that the
//     model is at work ("Please wait.").
//   - No word is about an example, a form, a possibility, a condition, a refusal or the past, asks for a yes, or gives
//     instructions.
//   - The block begins a line or follows a sentence.
//   - Each sentence before it is about the model itself, as those of a story are not.
//
// With other words, for example in other languages, the call is not made, because an unwanted call is worse.
func (f textCalls) announced() bool {
	before, after := f.withoutBackticks(strings.TrimSpace(f.Before)), f.withoutBackticks(strings.TrimSpace(f.After))
	for _, sentence := range sentenceEnd().Split(before, -1) {
		if len(strings.Fields(sentence)) > 3 && !ofItself().MatchString(sentence) && !announcing().MatchString(sentence) {
			return false
		}
	}
	return announces(before, maxBefore) && announces(after, maxAfter) && announces(lastSentence(before), maxBefore) &&
		endsSentence(f.Before)
}

// withoutBackticks returns words without the backticks around names of the called tools, with or without their servers.
// A name that is an ordinary word may be code, so it stays.
func (f textCalls) withoutBackticks(words string) string {
	return quotedName().ReplaceAllStringFunc(words, func(quoted string) string {
		plain := strings.Trim(quoted, "`")
		name := provider.Letters(plain)
		isCalled := func(call textCall) bool {
			called := provider.Letters(call.Name)
			return name != "" && (strings.HasSuffix(called, name) || strings.HasSuffix(name, called))
		}
		if slices.ContainsFunc(f.Calls, isCalled) {
			return plain
		}
		return quoted
	})
}

// isPlain reports whether the words around the calls have no quotes and brackets, so that the calls are not a part of
// something else.
func (f textCalls) isPlain() bool {
	return !strings.ContainsAny(f.Before+f.After, "{}[]<>\"“”„«»")
}

func lastSentence(text string) string {
	start := 0
	for _, end := range sentenceEnd().FindAllStringIndex(text, -1) {
		if end[1] < len(text) {
			start = end[1]
		}
	}
	return text[start:]
}

// announces reports whether words near a call clearly announce it, or are empty.
func announces(text string, limit int) bool {
	text = strings.ReplaceAll(text, "’", "'")
	isForeign := func(r rune) bool { return unicode.IsLetter(r) && !unicode.Is(unicode.Latin, r) } // no English letter
	return text == "" || utf8.RuneCountInString(text) <= limit && !strings.ContainsAny(text, "{}[]<>`|\"“”„«»?") &&
		!strings.ContainsFunc(text, isForeign) && announcing().MatchString(text) && !doubtful().MatchString(text) &&
		!instructing().MatchString(ownPurpose().ReplaceAllString(text, "$1"))
}

// endsSentence reports whether the text ends a line or a sentence.
func endsSentence(text string) bool {
	line := strings.TrimSpace(text[strings.LastIndexByte(text, '\n')+1:])
	last, _ := utf8.DecodeLastRuneInString(line)
	return line == "" || strings.ContainsRune(".!:…", last)
}

// anyOf matches any of these expressions, in any case.
func anyOf(expressions ...string) func() *regexp.Regexp {
	return sanitize.Pattern("(?im)" + strings.Join(expressions, "|"))
}

var (
	sentenceEnd = anyOf(`[.!:…]\s+`, `\n+`)
	ofItself    = anyOf(`\b(I|me|my|we|us|let's)\b`)

	// announcing matches an announcement of an action.
	announcing = anyOf(
		`\b(I'll|I will|I'm (going to|\w+ing)|I am (going to|\w+ing)|I need to|I have to|I must|we need to|we'll)\b`,
		`\b(let me|let's|let us|please wait|hold on|stand by|(one|just a|a) (moment|second))\b`,
		`\b(sure|certainly|of course|absolutely|alright|right away)\b`,
		`\Aok(ay)?[^\w\n]*\z`, // other languages have "ok" too, so it must be alone
		`(^|[.!:] )(ok(ay)?, )?(calling|checking|looking|searching|fetching|retrieving|reading|getting|running|finding)\b`)

	// doubtful matches words around a call that must not be made.
	doubtful = anyOf(
		`\b(examples?([^.\w]|\.?$|\.\s)|e\.g|for instance|such as|sample|template|syntax|format|schema|documentation)`,
		`\b(would|could|might|unless|never|cannot|instead|works?|easy|already|said|says|contains)\b|n't\b`,
		`\b(not (run|call|do|make|send|use|execute|be|going)|(like|do) (this|that|so)|as follows|looks? like|how (to|it))\b`,
		`\b(here's how|show you|you (can|could|may|need|have|must|should|will|want|call|use|send))\b`,
		`\b((the|in|as) json|give you|write (it |this |one )?(down|out)|payload|snippet)\b`,
		`\b(explain|demonstrat|illustrat|describ|quot|pretend|suppos|imagin|hypothe)`,
		`(^|[.!:,;]\s+)if\b`,
		`\b(if|once|when|whenever|after|until|before|as soon as) `+
			`(you|your|that is|that's|this is|needed|necessary|allowed|ready)\b`,
		`\b(let (me|us) know|(you|please) confirm|confirmed|confirmation|permission|approv(e|ed|al)|consent)\b`,
		`\b(go[- ]ahead|wait for you|later|first ask|ask (you|for)|point out|leave (it|this|that))\b`,
		`\b(unable|not (able|allowed|permitted|supposed)|ignor(e|ing)|skip(ping)?|avoid(ing)?)\b`,
		`declin|refus|cancel|abort|reject|block|forbid|wrong|dangerous|scratch|rethink|reconsider|rephras`,
		`\b(stop|nothing)\b|\bhold(ing)? (off|back|this)\b|\bkeep \w+ back\b|\bwait for (a|your)\b`,
		`\b(warn|careful|suspicious|malicious|hesitant)\b`,
		`\b(suggest|propos|recommend)(e|ing)?\b|\bhere(('s| is| are) (the|a|my|your)|:)`,
		`\b(was|were|did|had|called|ran|made|sent|returned|failed|thought|whispered|asked|replied)\b`,
		`\b(once upon|he|she|they|the end|chapter)\b`)

	// instructing matches instructions.
	instructing = anyOf(
		`(^|[.!:]\s+)(to [^.!,']*:?$|(use|call|send|try|run|put|type|enter|paste|write|pass|add|do|make)\b)`)
	// ownPurpose matches the beginning of a sentence that says what the model will do something for.
	ownPurpose = anyOf(`\bto [^.!?:,'\n]*\b(I will|I am going to|I need to|I have to|I must|we need to|let me)\b`)

	// quotedName matches a name of a tool, which is no ordinary word.
	quotedName = anyOf("`[\\w.:-]*[_-][\\w.:-]*`")
)
