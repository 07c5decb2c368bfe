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
	return table[English]
}

// words is everything the line says in one language. The verbs of the formats are in the same order in every language.
type words struct {
	name         string           // in English
	phases       map[Phase]string // of which nothing more is known
	connecting   string           // settled, all
	loading      string           // model
	reading      string           // tokens
	using        string           // title
	usingSeveral string           // how many, which or what for
	comma        string           // between titles
	retrying     string           // attempt, attempts
	failed       string           // title
	stopped      string           // reason
	toStop       string           // key
	about        string           // elapsed, expected: of a step
	since        string           // time of day: of a step whose clock does not run
	paused       string           // elapsed: of a turn's clock that stands still
	round        string           // round, rounds
	tokens       string           // count: of the reply so far
	silent       string           // for how long nothing came
	silentSince  string           // time of day
	receipt      receiptWords
}

// receiptWords are those of the line after a turn.
type receiptWords struct {
	tool, tools string // how many
	load        string // duration
	read        string // tokens, duration
	wrote       string // tokens
	speed       string // tokens, tokens per second
}

// table has all words of all languages.
var table = map[Language]*words{
	English: {
		name: "English",
		phases: map[Phase]string{
			Connecting:  "Connecting to servers…",
			Analyzing:   "Analyzing request…",
			Loading:     "Loading the model…",
			Reading:     "Reading…",
			Thinking:    "Thinking…",
			Selecting:   "Selecting appropriate tools…",
			UsingTool:   "Using a tool…",
			Processing:  "Processing tool results…",
			Formulating: "Formulating response…",
			Approval:    "Waiting for your approval",
			Retrying:    "Retrying…",
			Compacting:  "Compacting…",
			ToolFailed:  "A tool failed, trying alternative approach…",
			Stopped:     "Stopped",
		},
		connecting:   "Connecting to servers (%d/%d)",
		loading:      "Loading %s…",
		reading:      "Reading %s tokens…",
		using:        "Using %s…",
		usingSeveral: "Using %d tools: %s",
		comma:        ", ",
		retrying:     "Retrying (%d/%d)",
		failed:       "Tool %s failed, trying alternative approach…",
		stopped:      "Stopped: %s",
		toStop:       "%s to stop",
		about:        "%s of about %s",
		since:        "since %s",
		paused:       "%s paused",
		round:        "round %d/%d",
		tokens:       "↓ %s tok",
		silent:       "no output for %s",
		silentSince:  "no output since %s",
		receipt: receiptWords{
			tool: "%d tool", tools: "%d tools", load: "load %s", read: "read %s tok %s", wrote: "%s tok", speed: "%s tok at %d/s",
		},
	},
}
