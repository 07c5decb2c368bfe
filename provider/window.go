package provider

import (
	"cmp"
	"fmt"
	"strings"
	"unicode/utf8"
)

const (
	smallestWindow = 8192     // tokens; less does not hold a few tools and their results
	unknownWindow  = 32768    // tokens; what a model of unknown context is trusted with
	reserve        = 2048     // tokens kept free for the reply
	largestResult  = 64 << 10 // bytes of one tool result; more would double the window, and so the memory, again and again
	smallestResult = 512      // bytes of a tool result that are kept however full the window is
	tokensPerImage = 768      // about what current vision models spend
	overhead       = 8        // tokens of markup around a message or a tool
)

// tokens estimates what text of n bytes costs. English prose has about 4 bytes to a token, code and JSON about 3; 3.5 errs to the safe side
// for what a chat with tools holds.
func tokens(n int) int { return n * 2 / 7 }

// estimate is how many tokens the messages and tools will cost. It looks at lengths only, so a long conversation costs no more than a short one.
func estimate(messages []Message, tools []ToolSpec) int {
	sum := 0
	for i := range messages {
		sum += messages[i].estimate()
	}
	for i := range tools {
		sum += tools[i].estimate()
	}
	return sum
}

func (m *Message) estimate() int {
	n := len(m.Text) + len(m.Thinking) + len(m.Tool)
	for _, call := range m.Calls {
		n += len(call.Name) + len(call.Arguments)
	}
	return overhead + tokens(n) + tokensPerImage*len(m.Images)
}

// window is the smallest context that holds need tokens and a reply: 8192, then doubled, up to limit. It is never smaller than current,
// since every change makes the server load the model again.
func window(need, current, limit int) int {
	size := max(smallestWindow, current)
	for size < need+reserve {
		size *= 2
	}
	return min(size, limit)
}

// largestWindow is the most that a model's context may grow to. Servers make none longer than the model was trained for, whatever is fixed.
func largestWindow(fixed int, info Info) int {
	switch {
	case fixed > 0:
		return min(fixed, cmp.Or(info.Context, fixed))
	case info.Context > 0:
		return info.Context
	}
	return unknownWindow
}

// room is how many bytes each of n tool results may have when used tokens of the window are taken.
func room(used, window, n int) int {
	left := (window - used - reserve) * 7 / 2 / max(n, 1)
	return max(smallestResult, min(left, largestResult))
}

// trim cuts the middle out of a text over limit bytes, keeping three quarters at its head and one at its tail,
// and makes what it keeps valid UTF-8. It never copies what it drops.
func trim(text string, limit int) string {
	if len(text) <= limit {
		return strings.ToValidUTF8(text, "\uFFFD")
	}
	head := limit * 3 / 4
	tail := len(text) - (limit - head)
	for head > 0 && !utf8.RuneStart(text[head]) && limit*3/4-head < utf8.UTFMax {
		head--
	}
	for tail < len(text) && !utf8.RuneStart(text[tail]) {
		tail++
	}
	cut := fmt.Sprintf("\n[… %d of %d bytes left out here: the result is too long …]\n", tail-head, len(text))
	return strings.ToValidUTF8(text[:head], "\uFFFD") + cut + strings.ToValidUTF8(text[tail:], "\uFFFD")
}
