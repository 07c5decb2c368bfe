//go:build e2e && engines && unix

package e2e

import (
	"bytes"
	"fmt"
	"slices"
	"testing"
)

// A reading is what a server read for a conversation, in tokens.
type reading struct {
	read, least int
	tools       int // part of least: for requests that offer other tools than the one before
}

func (r reading) String() string {
	text := fmt.Sprintf("%d of %d", r.read, r.least)
	if r.tools > 0 {
		text += fmt.Sprintf(", %d for other tools", r.tools)
	}
	return text
}

func (r reading) plus(other reading) reading {
	return reading{r.read + other.read, r.least + other.least, r.tools + other.tools}
}

// readingOf adds up the chat requests of w. A request that continues the one before must read only what comes after its
// prompt and its answer, if the model stayed in memory. Others must read what they read. That includes requests with
// other tools, because tools come first in the prompt.
func readingOf(t testing.TB, w *realWorld, log string) (sum reading) {
	t.Helper()
	reads, loads := cacheReads(t, log), serverLoads(t, log)
	var last *chatRequest
	var prompt cacheRead
	for _, chat := range w.traffic.requests() {
		read, found := readFor(reads, &chat)
		if !found {
			continue // refused
		}
		least := read.new()
		reloaded := slices.ContainsFunc(loads, func(l serverLoad) bool {
			return l.at.After(prompt.at) && l.at.Before(read.at)
		})
		if last != nil && !reloaded && last.beginning(&chat) {
			least = 1 // to have something to go on from
			if len(chat.Messages) > len(last.Messages) {
				least = max(1, read.prompt-prompt.prompt-last.cachedAnswer(t))
			}
		}
		least = min(least, read.new())
		t.Logf("%d messages, %d tools, prompt of %d tokens, cached %d, read %d, least %d", len(chat.Messages),
			len(chat.Tools), read.prompt, read.cached, read.new(), least)
		this := reading{read: read.new(), least: least}
		if last != nil && len(last.Tools) != len(chat.Tools) {
			this.tools = least
		}
		sum = sum.plus(this)
		last, prompt = &chat, read
	}
	return sum
}

// beginning reports whether another request begins with the tools and the messages of c.
func (c *chatRequest) beginning(other *chatRequest) bool {
	n := len(c.Messages)
	return len(c.Tools) == len(other.Tools) && n <= len(other.Messages) && slices.Equal(c.Messages, other.Messages[:n])
}

// cachedAnswer returns how many tokens of the reply are cached and the same in the next prompt. The last one is not
// cached. The server writes calls in its own form. A stopped reply has about a token in each line.
func (c *chatRequest) cachedAnswer(t testing.TB) int {
	t.Helper()
	if bytes.Contains(c.reply, []byte(`"tool_calls"`)) {
		return 0
	}
	whole := c.reply[:bytes.LastIndexByte(c.reply, '\n')]
	return max(endOf(t, whole).Wrote, bytes.Count(whole, []byte("\n"))) - 1
}
