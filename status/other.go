package status

import (
	"regexp"
	"strings"
)

// What models write in the place of a sentence is found here: a call, a question, thinking, a refusal, the request itself. Each is told by how it
// begins, in every language of the line; what is not told for sure is a sentence.

// isCall tells a call of a tool that was printed instead of made, or a label of one.
func isCall(line string) bool {
	return call.MatchString(strings.ReplaceAll(line, "(s)", "")) || callLabel.MatchString(line) || entity.MatchString(line) ||
		identifier.MatchString(line) || strings.Contains(line, " --")
}

var (
	call       = regexp.MustCompile(`\w\(`) // get_user(id
	callLabel  = regexp.MustCompile(`^(?i:(tool|function)([ _]?(calls?|name|use))?|action( input)?|arguments?|parameters?|args|input|thought|observation|final answer|name|call|工具|调用|参数|ツール)\s*[:：]`)
	identifier = regexp.MustCompile(`^[a-zA-Z]\w*_\w*(\s|$)`) // get_user id 3
	entity     = regexp.MustCompile(`&#?\w+;`)
)

// isQuestion tells what is asked of the person.
func isQuestion(line string) bool { return question.MatchString(line) }

var question = regexp.MustCompile(`[?？؟;]["”’)」』]*$|^¿|(吗|ですか|ますか|でしょうか|ましょうか)$`)

// isOther tells words that are about something else than the work.
func isOther(line string) bool {
	for _, kind := range others {
		if kind.MatchString(line) {
			return true
		}
	}
	return false
}

var others = []*regexp.Regexp{
	// thinking without its tags
	regexp.MustCompile(`^(?i:(so|now|first|then)?,? ?the (user|human|prompt|instructions?|task|system prompt)(['’]s (message|question|request)|` +
		` (wants?|asks?|asked|needs?|said|says|requests?|requested|would like|wrote|is (asking|requesting|looking|trying|to)|has (asked|requested)))\b|(we|i) (need|have|must|should|ought)( to)? (output|write|produce|answer|respond|say|tell|give|generate|provide|craft|describe)|` +
		`(hmm+|wait|actually|well|so|let's see)[,.…]|hmm+\b|let me think|(so )?we (need|are asked|should|must)\b|my task|i'm (asked|supposed))`),
	regexp.MustCompile(`^(嗯|那么，?用户|用户(想|要|需要|问|让|希望|请求|说|的(请求|问题))|我(需要|应该|得)(写|输出|回答|回复|告诉))`),
	regexp.MustCompile(`^ユーザー(は|が|の).*(求め|尋ね|知りた|質問|依頼|と言)`),
	regexp.MustCompile(`^(?i:(el|la) usuari[oa] (quiere|pide|ha |pregunta|necesita|solicita|dice)|(tengo|debo|necesito) (que )?(escribir|responder|decir))`),
	regexp.MustCompile(`^(?i:(der|die) (be)?nutzer(in)? (möchte|will|fragt|hat|bittet|braucht|sagt)|ich (muss|soll|sollte) (jetzt )?(schreiben|antworten|sagen))`),
	// refusals and offers
	regexp.MustCompile(`^(?i:as an? (ai|large|language)|(i('m| am) )?(very |so )?sorry|i (can ?not|can['’]t|could not|couldn['’]t|won['’]t|will not|do not|don['’]t|am unable|` +
		`am not able|apologi[sz]e)|i['’]m (unable|not able|an ai)|unfortunately|apologies|(i('d| would) be |i['’]m )?(happy|glad) to|i can help|how can i|thank you|thanks|` +
		`no problem|you['’]re welcome|(hello|hi)( there|,))`),
	regexp.MustCompile(`^(抱歉|很抱歉|对不起|很遗憾|作为(一个|一名)?(AI|人工智能|语言模型)|我(无法|不能|没有办法|很乐意|是一个)|谢谢|你好|您好)`),
	regexp.MustCompile(`^(申し訳|すみません|ごめん|残念|AIとして|私はAI|ありがとう|こんにちは)|(できません|ありません)$`),
	regexp.MustCompile(`^(?i:lo siento|perdón|disculp|lamentablemente|como (un |una )?(ia|inteligencia|modelo|asistente)|no (puedo|tengo|es posible)|gracias|hola\b|puedo ayudar)`),
	regexp.MustCompile(`^(?i:(es )?tut mir leid|leider|entschuldig|als (eine |ein )?(ki|sprachmodell|künstliche)|ich (kann|habe|darf) (nicht|kein|leider|dir dabei)|danke|hallo\b|gerne helfe)`),
	// the request, said again
	regexp.MustCompile(`(?i)^(you are now|tell the user|write (only|it in|this sentence)|in one sentence)|present participle|no (quotes|markdown|tool call)|at most \d+ words`),
}
