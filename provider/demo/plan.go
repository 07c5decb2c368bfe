package demo

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/aloudchat/aloud/provider"
)

// maxTries is how often one thing is tried before it is given up.
const maxTries = 3

// task is one thing that is asked for, and what was tried for it.
type task struct {
	ask        ask
	candidates []candidate
	tried      []step
}

func (t task) last() step { return t.tried[len(t.tried)-1] }

// respond decides what the model does next. It remembers nothing: the same conversation leads to the same plan, and the results that are
// there already belong to its calls in order.
func respond(t turn, tools []provider.ToolSpec) reply {
	tasks := plan(t.question, tools)
	results := t.steps
	for i := range tasks {
		call, more := tasks[i].advance(&results)
		if more {
			call.ID = fmt.Sprintf("demo_%d", t.length) // one call a reply
			return callFor(tasks[i], call)
		}
	}
	if len(tasks) == 0 { // perhaps tools are no longer offered: answer from what there is
		for _, s := range t.steps {
			tasks = append(tasks, task{tried: []step{s}})
		}
	}
	return answer(t, tasks, tools)
}

// advance takes the results of the task's calls, in order, and gives the call that has none yet, if there is one.
func (t *task) advance(results *[]step) (provider.Call, bool) {
	for {
		call, more := t.next()
		if !more || len(*results) == 0 {
			return call, more
		}
		t.tried = append(t.tried, (*results)[0])
		*results = (*results)[1:]
	}
}

// plan splits the question into tasks. A part that no tool fits belongs to its neighbour.
func plan(question string, tools []provider.ToolSpec) []task {
	var tasks []task
	before := ""
	for _, part := range split(question) {
		a := newAsk(strings.TrimSpace(before + " " + part))
		candidates := pick(a, tools)
		if len(tasks) > 0 && a.hasValue() && (len(candidates) == 0 || len(strings.Fields(part)) <= 2) {
			a.like = tasks[len(tasks)-1].ask.text
			candidates = pick(a, tools)
		}
		switch {
		case len(candidates) > 0:
			if !planned(tasks, candidates[0]) {
				tasks = append(tasks, task{ask: a, candidates: candidates})
			}
			before = ""
		case len(tasks) > 0:
			last := &tasks[len(tasks)-1]
			whole := newAsk(last.ask.text + " and " + part)
			if better := pick(whole, tools); len(better) > 0 && better[0].tool.Name == last.candidates[0].tool.Name {
				last.ask, last.candidates = whole, better
			}
		default:
			before = a.text
		}
	}
	if len(tasks) == 0 {
		if whole := newAsk(question); len(pick(whole, tools)) > 0 {
			return []task{{ask: whole, candidates: pick(whole, tools)}}
		}
	}
	return tasks
}

func planned(tasks []task, c candidate) bool {
	for _, t := range tasks {
		if t.candidates[0].tool.Name == c.tool.Name && bytes.Equal(t.candidates[0].arguments, c.arguments) {
			return true
		}
	}
	return false
}

var (
	refusal   = pattern(`(?i)\b(refused|denied|declined|not allowed|needs the approval)\b`)
	nearest   = pattern(`(?i)\b(?:nearest|closest|mean|similar)\b.*`)
	elsewhere = pattern(`leads to another host: (https?://\S+)`)
)

// next is the call to make for the task, if there is one: the best tool first; when it failed what its error suggests, then the next tool,
// then the same one without what need not be said.
func (t task) next() (provider.Call, bool) {
	if len(t.tried) == 0 {
		return callOf(t.candidates[0].tool.Name, t.candidates[0].arguments), true
	}
	last := t.last()
	if len(t.tried) >= maxTries || refusal().MatchString(last.result) && last.failed {
		return provider.Call{}, false
	}
	if !last.failed {
		return t.follow()
	}
	if zone := zoneName().FindString(nearest().FindString(last.result)); zone != "" && strings.Contains(string(last.call.Arguments), "zone") {
		if call, ok := t.untried(callOf(last.call.Name, encodeOne("zone", zone))); ok {
			return call, true
		}
	}
	for _, c := range t.candidates[1:] {
		if call, ok := t.untried(callOf(c.tool.Name, c.arguments)); ok && !t.used(c.tool.Name) {
			return call, true
		}
	}
	first := t.candidates[0]
	for _, p := range parseSchema(first.tool.Schema).properties {
		if p.required {
			return provider.Call{}, false
		}
	}
	return t.untried(callOf(first.tool.Name, json.RawMessage(`{}`)))
}

// follow is the call that a good result leads to: a page that lives elsewhere, a file that was looked for because it could not be read.
func (t task) follow() (provider.Call, bool) {
	first, last := t.tried[0].call, t.last()
	if m := elsewhere().FindStringSubmatch(last.result); m != nil {
		return t.untried(callOf(last.call.Name, encodeOne("url", m[1])))
	}
	found, _, _ := strings.Cut(last.result, "\n")
	if !t.tried[0].failed || !searches(last.call.Name) || !filePath().MatchString(found) || !strings.Contains(string(first.Arguments), `"path"`) {
		return provider.Call{}, false
	}
	return t.untried(callOf(first.Name, encodeOne("path", found)))
}

func (t task) untried(call provider.Call) (provider.Call, bool) {
	for _, s := range t.tried {
		if s.call.Name == call.Name && string(s.call.Arguments) == string(call.Arguments) {
			return provider.Call{}, false
		}
	}
	return call, true
}

func (t task) used(name string) bool {
	for _, s := range t.tried {
		if s.call.Name == name {
			return true
		}
	}
	return false
}

func callOf(name string, arguments json.RawMessage) provider.Call {
	return provider.Call{Name: name, Arguments: arguments}
}

func encodeOne(name, value string) json.RawMessage {
	encoded, _ := json.Marshal(map[string]string{name: value}) // strings can always be written
	return encoded
}

// callFor is the reply that makes the call, with a thought about it.
func callFor(t task, call provider.Call) reply {
	r := reply{heading: activity(call.Name, call.Arguments), calls: []provider.Call{call}}
	switch {
	case len(t.tried) > 0 && t.last().failed:
		r.thinking = fmt.Sprintf("`%s` did not work: %s. I try `%s` instead.", t.last().call.Name, firstLine(t.last().result), call.Name)
	case len(t.tried) > 0:
		r.thinking = fmt.Sprintf("What `%s` found leads on to the next step: `%s`.", t.last().call.Name, call.Name)
	case len(t.candidates) > 1:
		r.thinking = fmt.Sprintf("Of %d tools that could do this, `%s` fits the words of the question best.", len(t.candidates), call.Name)
	default:
		r.thinking = fmt.Sprintf("The tool `%s` fits the words of the question.", call.Name)
	}
	if string(call.Arguments) != "{}" {
		r.thinking += fmt.Sprintf(" Its arguments: `%s`.", call.Arguments)
	}
	return r
}
