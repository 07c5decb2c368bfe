package status

import "slices"

// Language is the language of the line's words, as the configuration names it. "" is English, and so is one that is not known.
type Language string

// The languages there are words for.
const (
	English  Language = "en"
	Chinese  Language = "zh"
	Spanish  Language = "es"
	German   Language = "de"
	Japanese Language = "ja"
)

// Languages are all there are, English first.
func Languages() []Language { return slices.Clone(languages) }

var languages = []Language{English, Chinese, Spanish, German, Japanese}

// InEnglish is the language's name for a model that is asked to write in it: "German".
func (l Language) InEnglish() string { return l.words().name }

func (l Language) words() *words {
	if w, known := table[l]; known {
		return w
	}
	return &english
}

// table has all words of all languages.
var table = map[Language]*words{English: &english, Chinese: &chinese, Spanish: &spanish, German: &german, Japanese: &japanese}

// words is everything the line says in one language. A format takes the same arguments in every language; where a language says them in another
// order, its verbs have indexes: %[2]s. Times and counts are written as in English everywhere: 1m04s, 12.4k.
type words struct {
	name         string           // in English
	example      string           // a sentence that a model can follow when it is asked for one
	tight        bool             // no space stands between words, so none stands beside a title that is written as this language is
	phases       map[Phase]string // of which nothing more is known
	connecting   string           // settled, all
	loading      string           // model
	reading      string           // tokens
	attaching    string           // what is read from a server
	using        string           // title
	usingSeveral string           // how many, which or what for
	comma        string           // between titles
	asks         string           // server, which asks the person something
	samples      string           // server, for which the model writes
	retrying     string           // attempt, attempts
	failed       string           // title
	stopped      string           // reason
	stoppedByYou string
	toStop       string // key
	toRetry      string // key, command: what can be done when nothing comes
	finishing    string // after the time for the work is used
	left         string // for how long that may go on
	about        string // elapsed, expected: of a step
	likely       string // words, expected: of a step whose clock does not run
	since        string // time of day: of a step whose clock does not run
	paused       string // elapsed: of a turn's clock that stands still
	round        string // round, rounds
	tokens       string // count: of the reply so far
	silent       string // for how long nothing came
	silentSince  string // time of day
	stall        StallWords
	receipt      receiptWords
}

// StallWords are those of the offer that is made when a reply has fallen silent: what can be done, and what was chosen.
type StallWords struct {
	Wait, Again, Stop string // each after its key: "w wait"
	AgainShort        string // Again, where there is little room
	Write             string // the key was none, but the first letter of a text
}

// receiptWords are those of the line after a turn.
type receiptWords struct {
	tool, tools string // how many
	failed      string // tools, how many of them
	load        string // duration
	reload      string // load, context before and after
	read        string // tokens, duration
	wrote       string // tokens
	speed       string // tokens, tokens per second
}
