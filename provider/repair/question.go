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
	if forbidsCalls(question, tools) || doubtfulQuestion().MatchString(question) {
		return true
	}
	question = otherThings().ReplaceAllString(question, "it")
	if !textWords().MatchString(question) && !asksHow().MatchString(question) {
		question = toolOrder().ReplaceAllString(question, " ")
	}
	if asksForCallText().MatchString(question) || asksForForm().MatchString(question) ||
		asksForOnlyForm().MatchString(question) && !namesData().MatchString(question) {
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
		`format|represent|encode|output|return|create|generate|compose|review|repeat|quote|say|` +
		`let me see|tell|teach|how|what|which)\b`
	// calling matches words for calls.
	calling = `(\b(tools?|function|api|mcp)[ -]call(s|ing)?\b|\btools?\b|\bcalls (of|to|for)\b|` + aCall + `)`
	aCall   = `\b(a|an|the|one|this|that|your|each) ([\w-]+ ){0,2}calls?\b|\binvo(ke|king|cation)\b|` +
		`(^|[^.\w/])payload\b`
	// form matches the forms in which calls are written. They are forms of data too, so other words must be near.
	form     = `(^|[^.\w/])(json|xml|yaml|curl)\b`
	callNoun = `\b(calls?|calling|requests?|tools?|functions?|body|actions?|arguments?|param(eter)?s?|commands?|` +
		`samples?|templates?|syntax)\b`
	nearby = `[^.?!\n]{0,40}?`
	doing  = `(read|writ|get|gett|fetch|search|find|list|open|load|look|show|send|call|mak|run|runn|us|sav|delet|need)` +
		`(e|s|es|ing)?\b`
)

var (
	asksFor = anyOf(asking)
	// asksForCallText matches a sentence that asks for a call.
	asksForCallText = anyOf(asking + `[^.?!\n]{0,80}?` + calling)
	// asksForForm matches a question for a call in a form: the form near a word for calls or for what a call does, a text
	// to convert, or the form itself, as in "show me the JSON".
	asksForForm = anyOf(
		form+nearby+callNoun, callNoun+nearby+form,
		form+`( object| body)?( (to|for|that|which|you|i|we))?( (would|could|will|should|can|need to))? `+doing,
		form+` (look|would|how to)\b|\b(the|a) (json|xml|yaml|curl) for\b|\b(a|the|as) curl\b`,
		form+`,? (para|pour|per|um|zum|für|чтобы|для) `,
		`\b(convert|translate|rewrite|turn|transform|express|format|represent|encode)\b`+
			`.{0,40}(\b(this|these|following|(read|search|fetch|gett|call|writ|list)ing)\b|["'][^"']* [^"']*["']).{0,40}?`+form,
		form+`( \w+)?:\s`, `\b(would|should|could)\b`+nearby+form,
		form+` (examples?|(do|does|did) (you|it))\b`, `(^|[:;,]|\b(the|a|raw|only|just|valid|das|el|le|il|o))`+form+clauseEnd)
	// asksForOnlyForm matches a question for a form. It asks for a call if the question names no data.
	asksForOnlyForm = anyOf(form + `( (please|only|first|now|too|instead|aus))*` + clauseEnd)
	// namesData matches files and addresses.
	namesData = anyOf(`https?://|[\w-]\.\w{1,5}\b|/\w`)
	// otherThings matches data in a form, and calls by phone.
	otherThings = anyOf(
		`\b(json|xml|yaml)[ -](files?|documents?|datei|data|config\w*|feed|response)\b`,
		`\b(file|fichier|archivo|fichero|arquivo|documento?) (json|xml|yaml)\b`,
		`\b(the|a|my|our|this|that|last|next) ((phone|video|zoom|sales|conference) )?calls? (with|from) (?-i:[A-Z][a-z])\w*`,
		`\b(phone|video|zoom|sales|conference) calls?\b`)
	// toolOrder matches an order to use a tool: "using the read tool", "with read_file".
	toolOrder = anyOf(`(\b(using|with|via|through)|(,|\band|\bthen|\bplease) (use|try|run|call)) (the |your )?` +
		`(([\w.-]+ ){0,3}tools?|\w+[_-][\w-]+)([^\w(]|$)`)
	// asksHow matches a question whose tool is what it asks about.
	asksHow = anyOf(`\bhow\b|\bwhat (can|could|happens|should)\b|\bwhich tools?\b|\bexplain\b|\bdescribe\b|\bdocument\b`,
		`\bwrit(e|ing)\b[^.?!\n]{0,30}\b(code|script|tests?|program|prompt|fixture|sentence|text)\b`)

	// callWords match words that are about calls, or about the form of a text.
	callWords = anyOf(`\bparam(eter)?s\b|\b(tools?|function|api|mcp)[ -]call(s|ing)?\b`, aCall,
		`(json|xml|yaml) ?(で|に|を|格式|形式|로|으로|형식)`,
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

	// doubtfulQuestion matches a question about a plan or a case, or one that has calls in it.
	doubtfulQuestion = anyOf(
		`\b(ask|tell) me (first\s*([.,;!?)]|$|\b(and|if|then|or)\b)|before)|\bdry[- ]run\b|\bhypothetical`,
		`\bwait (for|until) (me|my|i|you|the (ok|okay|go)|approval|confirmation|permission)\b`,
		`\b(imagine|suppose|pretend)\b[^.?!;\n]{0,40}`+
			`\b(you|ask\w*|want\w*|need\w*|tell|told|say|said|call\w*|run\w*|tools?)\b`,
		`\bpretend (to|that)\b`,
		`\b(what|which|how) would (you|it|that|the|a|an|i)\b|\bif you (had|were|could|wanted)\b|\bwhat you('d| would)\b`,
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
