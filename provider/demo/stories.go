package demo

import (
	_ "embed" // for stories.toml
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/pelletier/go-toml/v2"

	"github.com/aloudchat/aloud/provider"
)

//go:embed stories.toml
var storiesFile []byte

// story is a question with the calls and the answer that follow. stories.toml explains it.
type story struct {
	Question, Answer string
	Calls            []scene
}

// scene is a call with the thinking before it.
type scene struct {
	Heading, Thinking, Tool, Arguments string
	Fails                              bool
}

var stories = sync.OnceValue(func() []story {
	var file struct{ Stories []story }
	_ = toml.Unmarshal(storiesFile, &file) // the tests read it
	return file.Stories
})

// Questions returns the questions that show what aloud does. They need the server shop.
func Questions() (all []string) {
	for _, s := range stories() {
		all = append(all, s.Question)
	}
	return all
}

// tell returns the next reply of the story that the question begins. ok is false if there is none, if its tools are
// missing, or if a call went otherwise than the story expects.
func tell(t turn, tools []provider.ToolSpec) (r reply, ok bool) {
	i := slices.IndexFunc(stories(), func(s story) bool { return bare(s.Question) == bare(t.question) })
	if i < 0 {
		return reply{}, false
	}
	calls, done := stories()[i].Calls, len(t.steps)
	for i, step := range t.steps {
		if i >= len(calls) || step.failed != calls[i].Fails {
			return reply{}, false
		}
	}
	if done == len(calls) {
		text := strings.ReplaceAll(stories()[i].Answer, "RESULT", strings.TrimSpace(t.steps[done-1].result))
		return reply{heading: "Writing the answer", thinking: "Now I know enough.", text: text}, true
	}
	next := calls[done]
	call := provider.Call{Name: "shop__" + next.Tool, Arguments: json.RawMessage(next.Arguments)}
	isOffered := slices.ContainsFunc(tools, func(t provider.ToolSpec) bool { return t.Name == call.Name })
	if !isOffered && done > 0 { // a limit is reached
		lines := []string{fmt.Sprintf("So far I have done %d of %d steps:\n", done, len(calls))}
		for _, step := range t.steps {
			lines = append(lines, "- "+firstLine(step.result))
		}
		return reply{heading: "Summing up", thinking: "I may not call more tools.", text: strings.Join(lines, "\n")}, true
	}
	return reply{heading: next.Heading, thinking: next.Thinking, calls: []provider.Call{call}}, isOffered
}

// bare returns the first line of a question as it is compared: in lower case, without mentions and without punctuation
// at its end.
func bare(question string) string {
	line, _, _ := strings.Cut(strings.ToLower(strings.TrimSpace(question)), "\n")
	words := slices.DeleteFunc(strings.Fields(line), func(word string) bool { return strings.HasPrefix(word, "@") })
	return strings.TrimRight(strings.Join(words, " "), " ?.!")
}
