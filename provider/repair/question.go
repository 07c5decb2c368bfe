package repair

import (
	"strings"

	"github.com/aloudchat/aloud/provider"
)

// asksForText reports whether a question may ask for the text of a call instead of a call: how to make one, an example,
// a conversion, a review, or not to run anything. The words are English, and the most common ones of other languages.
//
// A question about calls without a word for making one is in doubt too, so it works in any language.
func asksForText(question string, tools []provider.ToolSpec) bool {
	question = strings.ReplaceAll(question, "’", "'")
	if doubtfulQuestion().MatchString(question) || asksForCallText().MatchString(question) {
		return true
	}
	aboutCalls := callWords().MatchString(question)
	for _, t := range tools {
		for _, name := range []string{t.Name, t.ServerTool} {
			if !strings.ContainsAny(name, "_-") { // it may be an ordinary word
				continue
			}
			before, after, found := strings.Cut(strings.ToLower(question), strings.ToLower(name))
			if found && (strings.HasPrefix(after, "(") || asksFor().MatchString(lastSentence(before))) {
				return true
			}
			aboutCalls = aboutCalls || found
		}
	}
	return aboutCalls && (textWords().MatchString(question) || !useWords().MatchString(question))
}

const (
	// asking matches words that ask for a text.
	asking = `\b(show|writ(e|ing)|give|print|draft|explain|describe|document|convert|translate|rewrite|turn|express|` +
		`format|represent|encode|output|return|create|generate|compose|review|repeat|quote|say|tell|teach|how|what|which)\b`
	// calling matches words for calls and for the forms in which they are written.
	calling = `(\b(tools?|function|api|mcp)[ -]call(s|ing)?\b|\btools?\b|\bcalls (of|to|for)\b|` + aCall + `)`
	aCall   = `\b(a|an|the|one|this|that|your|each|my) ([\w-]+ ){0,2}calls?\b|\binvo(ke|king|cation)\b|` +
		`(^|[^.\w/])(json|xml|yaml|payload|curl)\b`
)

var (
	asksFor = anyOf(asking)
	// asksForCallText matches a sentence that asks for a call, or for one in a form.
	asksForCallText = anyOf(asking + `[^.?!\n]{0,80}?` + calling)

	// callWords match words that are about calls, or about the form of a text.
	callWords = anyOf(`\bparam(eter)?s\b|\b(tools?|function|api|mcp)[ -]call(s|ing)?\b|(json|xml|yaml)[^\x00-\x7F]`, aCall,
		`аргумент|вызов|инструмент|工具|调用|調用|ツール|呼び出|도구|호출|aufruf|werkzeug|herramienta|llamada|outil|ferramenta`)
	// textWords match nouns for texts about calls, and verbs of other languages.
	textWords = anyOf(
		`\b(examples?([^.\w]|\.?$|\.\s)|sample|syntax|schema|signature|template|snippet|tutorial|guide|documentation|docs)`,
		`beispiel|zeig|schreib|erklär|beschreib|wandle|konvertier|übersetz|ejemplo|muestra|escrib|explica|convierte|cómo`,
		`exempl|montre|écri|expliqu|convert|comment|mostr|escrev|esempio|scriv|spieg|пример|покаж|напиш|объясн|как `,
		`преобраз|例|示し|見せ|書い|説明|変換|方法|展示|显示|写|示例|解释|转换|怎么|如何|예시|보여|설명|변환`)
	// useWords match words for making a call.
	useWords = anyOf(`\b(use|using|call|run|invoke|execute|try)\b`,
		`nutz|verwend|\bruf|usa\b|utiliza|utilise|appelle|llama|chama|использу|вызов|запусти|使用|调用|用|使って|呼び出して|사용`)

	// doubtfulQuestion matches a question that wants nothing to run, or has calls in it.
	doubtfulQuestion = anyOf(
		`\b(don't|do not|without|never|not to|no need to)\b[^.?!\n]{0,30}`+
			`\b(call|runn?|execut|mak|us|invok|perform)(e|ing)?\b`,
		`\b(nicht|ohne|kein\w*)\b[^.?!\n]{0,40}(ausf|auszuf|aufruf|aufzuruf|benutz|verwend|start)`,
		`\b(führe?|rufe?|starte?|benutze?)\b[^.?!\n]{0,40}\b(nicht|kein\w*)\b`,
		`\b(no|sin|não|nao|sem|non|senza|ne|n'|sans)\b[^.?!\n]{0,40}`+
			`\b(ejecut|execut|exécut|esegu|llam|chiam|cham|appel|invoc|lanc)`,
		`\b(ne|n')[^.?!\n]{0,40}\b(ex[ée]cut|appel|lanc|utilis)`,
		`не (надо |нужно )?(запуск|вызыв|выполн|использ)|без (запуск|вызов|выполн)`,
		`(不要|别|不用|无需|请勿|請勿|不需要)[^。?!\n]{0,10}(调用|运行|执行|使用|調用|執行)`,
		`(実行|呼び出|使わ|使用)[^。?!\n]{0,8}(ない|なく|せず|ずに)|(실행|호출|사용)[^.?!\n]{0,6}(말|않|없이)`,
		`\b(ask|tell) me (first|before)|\bwait (for|until)\b|\bdry[- ]run\b|\bhypothe|\b(imagine|suppose|pretend)\b`,
		`\b(what|which|how) would (you|it|that|the|a|an|i)\b|\bif you (had|were|could|wanted)\b`,
		`["'](name|tool|action|function|arguments|parameters|params)["']\s*:|<function=|<tool_call>|\[TOOL_CALLS\]`,
		`\b(convert|translate|rewrite|turn|transform|parse|map)\b.{0,80}\b(to|into|as|in)\b[^.?!\n]{0,40}`+
			`\b(form|format|object|dict|dictionary|struct|structure|action|command|param(eter)?s)\b`)

	// asksForProse matches a question for a longer text, which can end in a call that belongs to it.
	asksForProse = anyOf(
		`\b(write|tell|compose|invent|make up|continue|draft|create|give|finish)\b[^.?!\n]{0,60}`+
			`\b(story|tale|poem|novel|scene|dialogue|script|song|joke|letter|diary|post|article|essay|chapter|tutorial|`+
			`guide|lesson|text)\b`,
		`\b(write|compose|invent|make up|tell me) (about|of)\b|\brole-?play|\bplay (a|the)\b|\byou are (a|an|the)\b`,
		`geschichte|cuento|historia|histoire|storia|сказк|рассказ|истори|故事|物語|이야기`)

	// asksToRun matches the answer to an offer to run a call. It is the whole message, as any other word may deny it.
	asksToRun = anyOf(`\A` + between + `*((yes|ok|okay|sure|please|now|then|and|just|go ahead|do)` + between +
		`+)*(run|execute) (it|that|this|them|the call|the tool)(` + between + `+(please|now|then|again|anyway))*` +
		between + `*\z`)
)

// between matches a white space or a mark between the words of an order, in quotes too.
const between = `[\s.,;:!…"'“”‘’` + "`" + `*()-]`
