package loop_test

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/aloudchat/aloud/provider"
)

// weakView is a request as the model sees it.
type weakView struct {
	provider.Request
	model *weakModel
	n     int // number of requests so far, with this one
}

func (v *weakView) last() provider.Message { return v.Messages[len(v.Messages)-1] }

// result returns the last result of a tool, or "".
func (v *weakView) result() string {
	for _, m := range slices.Backward(v.Messages) {
		if m.Role == provider.RoleTool {
			return m.Text
		}
	}
	return ""
}

// any reports whether any part of the request contains the words.
func (v *weakView) any(words string) bool {
	return slices.ContainsFunc(v.Messages, func(m provider.Message) bool {
		return strings.Contains(m.Text, words) || strings.Contains(m.Thinking, words)
	})
}

// hint returns the message of the loop after the question, or "".
func (v *weakView) hint() string {
	last := v.last()
	if last.Role != provider.RoleUser || last.Text == v.model.file.question || v.Purpose != provider.ForAnswer {
		return ""
	}
	return last.Text
}

func (v *weakView) fits(reply *weakReply) bool {
	for _, c := range reply.conditions {
		if c.word == "not" {
			word, rest, _ := strings.Cut(c.rest, " ")
			if v.holds(weakLine{word, rest}) {
				return false
			}
			continue
		}
		if !v.holds(c) {
			return false
		}
	}
	return true
}

// holds reports whether a condition is met: "result" (the last message is a tool's), "result has WORDS" (the last
// result of a tool), "any has WORDS", "hint" and "hint has WORDS" (from the loop), "tools", "tool NAME",
// "unthinking", "summary", "request N" (or a later one).
func (v *weakView) holds(c weakLine) bool {
	words, has := strings.CutPrefix(c.rest, "has ")
	words = v.fill(words)
	switch c.word {
	case "result":
		return !has && v.last().Role == provider.RoleTool || has && strings.Contains(v.result(), words)
	case "any":
		return v.any(words)
	case "hint":
		return v.hint() != "" && (!has || strings.Contains(v.hint(), words))
	case "tools":
		return len(v.Tools) > 0
	case "tool":
		return slices.ContainsFunc(v.Tools, func(t provider.ToolSpec) bool { return t.Name == c.rest })
	case "unthinking":
		return v.Think == provider.ThinkOff
	case "summary":
		return v.Purpose == provider.ForSummary
	case "request":
		n, err := strconv.Atoi(c.rest)
		return err == nil && v.n >= n
	}
	panic("there is no condition " + c.word)
}

var blanks = regexp.MustCompile(`\{\{(\w+)(?: (.*?))?\}\}`)

// noBlanks is for texts with only the blanks that fillIn knows.
func noBlanks(word, _ string) string { panic("there is no blank " + word) }

// fill replaces blanks in a text of a file: {{secret}}, which only the tools know; {{filler N}}, N bytes of words;
// {{rows N}}, N JSON records; {{escape}}; and in the text of a model {{result}}, the last result of a tool; {{find
// EXPRESSION}}, the first match in the request; and {{nearest}}, the first suggested tool.
func (v *weakView) fill(text string) string {
	return fillIn(text, v.model.secret, func(word, rest string) string {
		switch word {
		case "result":
			return v.result()
		case "find":
			return v.find(rest)
		case "nearest":
			return v.nearest()
		}
		panic("there is nothing to fill in for " + word)
	})
}

func fillIn(text, secret string, other func(word, rest string) string) string {
	return blanks.ReplaceAllStringFunc(text, func(blank string) string {
		m := blanks.FindStringSubmatch(blank)
		switch m[1] {
		case "secret":
			return secret
		case "escape":
			return "\x1b"
		case "filler":
			n, err := strconv.Atoi(m[2])
			if err != nil {
				panic(err)
			}
			return filler(n)
		case "rows":
			n, err := strconv.Atoi(m[2])
			if err != nil {
				panic(err)
			}
			return rows(n)
		}
		return other(m[1], m[2])
	})
}

func filler(n int) string {
	return strings.Repeat("the quick brown fox jumps over the lazy dog ", n/44+1)[:n]
}

func rows(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, `,{"id":%d,"state":"SUSPENDED","bytes":null}`, i)
	}
	return strings.TrimPrefix(b.String(), ",")
}

// find returns the first group that an expression matches in the latest message.
func (v *weakView) find(expression string) string {
	re := regexp.MustCompile(expression)
	for _, m := range slices.Backward(v.Messages) {
		if found := re.FindStringSubmatch(m.Text); found != nil {
			return found[1]
		}
	}
	return "nothing"
}

func (v *weakView) nearest() string {
	at, name := -1, "nothing"
	for _, tool := range v.Tools {
		if i := strings.Index(v.result(), tool.Name); i >= 0 && (at < 0 || i < at) {
			at, name = i, tool.Name
		}
	}
	return name
}
