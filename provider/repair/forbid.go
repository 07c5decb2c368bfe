package repair

import (
	"slices"
	"strings"

	"github.com/aloudchat/aloud/provider"
)

// forbidsCalls reports whether a question says not to run anything, or not to use one of the tools. Without a word for
// a call it is about the answer, as in "don't use bullet points".
func forbidsCalls(question string, tools []provider.ToolSpec) bool {
	if forbidding().MatchString(question) {
		return true
	}
	for _, match := range forbiddenThing().FindAllStringSubmatch(question, -1) {
		thing := provider.Letters(match[len(match)-1])
		begins := func(name string) bool { return name != "" && strings.HasPrefix(thing, provider.Letters(name)) }
		if slices.ContainsFunc(tools, func(t provider.ToolSpec) bool { return begins(t.Name) || begins(t.ServerTool) }) {
			return true
		}
	}
	return false
}

const (
	denying = `(\b(not|never|without|no need to)\b|\b(do|must|should)n't\b)(\s+|[^.?!\n]{0,30}?)`
	// noTool matches tools and calls after a verb.
	noTool = `(any |the |your |a |an |my |those |these )?(([\w-]+ )?(tools?|functions?|calls?|commands?|requests?)\b|` +
		`[\w-]+_[\w-]+)`
	clauseEnd = `\s*([.,;:!?)]|$)`
)

// forbiddenThing matches what must not be used, which may be a tool.
var forbiddenThing = anyOf(
	denying + `\b(call|runn?|execut|invok|perform|us)(e|ing)? (the |any |your )?([^.?!\n]{1,60})`)

// forbidding matches words that say not to run anything.
var forbidding = anyOf(
	denying+`\b(call|runn?|execut|invok|perform)(e|ing)?\b( (it|that|this|them|any(thing)?|`+noTool+`)\b|`+clauseEnd+`)`,
	denying+`\bus(e|ing) (`+noTool+`\b|(anything|it|that|this|them)( yet| now)?`+clauseEnd+`)`,
	denying+`\bmak(e|ing) ((it|that|this|them) (yet|now)\b|`+noTool+`)`,
	`\b(without|no) (any |the |your )?(tools?|(tool|function)[ -]calls?|running|calling|executing|execution)\b`,
	`\b(avoid|stop|refrain from) (calling|using|running|executing) (it|them|anything|`+noTool+`)\b`,
	`(\bnot|n't|\bnothing)\b[^.?!\n]{0,20}\bbe (run|called|executed|invoked)\b|\brun nothing\b`,

	`\b(nicht|ohne|kein\w*)\b[^.?!\n]{0,40}(ausf(ü|ue)hr(e|en|t|st)?\b|auszuf|aufruf|aufzuruf|\bzu starten|\bstarten?\b)`,
	`\b(führe?|rufe?)\b[^.?!\n]{0,40}\b(nichts?|kein\w*)\b|\bstarte? (nichts|(es|das|sie|ihn) nicht)\b`,
	`\b(ohne|kein\w*)\b[^.?!\n]{0,20}(werkzeug|\btools?\b|funktion|aufruf)|\b(es|das|sie|ihn) nicht (benutz|verwend)`,
	`\b(benutze?|verwende?|nutze?) (nichts\b|(es|das|sie|ihn) nicht\b|(nicht|kein\w*) ([\w-]+ )?[\w-]+_)`,

	`\b(no|sin|não|nao|sem|non|senza|ne|n'|sans)\b[^.?!\n]{0,40}`+
		`(\b(ejecut|exécut|esegu|invoc|lanc)|\bexecut[^i]|\bllam(e|es|ar\w*)\b|\bchiam(are|arl\w|i)\b|\bcham(e|ar)\b|`+
		`\bappeler\b)`,
	`\b(ne|n')[^.?!\n]{0,40}\b(ex[ée]cut|lanc)|\bn'appel|\b(ne|pas|sans) (l'|les? |la )?appel`,
	`\b(no|sin|sem|não|nao|non|senza|sans|ne|n'|aucun)\b[^.?!\n]{0,40}(herramienta|outil|ferrament|strument|llamada)`,

	`не (надо |нужно )?(запуск|вызыв|выполн|использ[^.?!\n]{0,20}(инструмент|функци))`,
	`без (запуск|вызов|выполн|инструмент)`,
	`(不要|别|不用|无需|请勿|請勿|不需要)[^。?!\n]{0,10}(调用|运行|执行|調用|執行|使用[^。?!\n]{0,6}(工具|函数|它))`,
	`(実行|呼び出|(ツール|関数)を?使[わ用])[^。?!\n]{0,8}(ない|なく|せず|ずに)`,
	`(실행|호출|(도구|함수)(를|을)? ?사용)[^.?!\n]{0,6}(말|않|없이)`)
