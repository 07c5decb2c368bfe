package repair

import (
	"strings"

	"github.com/aloudchat/aloud/provider"
)

// tagNames are the names of thinking tags, in any case.
var tagNames = []string{"think", "thinking", "reasoning"}

// channels are the tags of gpt-oss, which writes its thinking in a channel and its answer in another.
var channels = []struct{ tag, name string }{
	{"<|channel|>analysis<|message|>", "analysis"},
	{"<|start|>assistant<|channel|>analysis<|message|>", "analysis"},
	{"<|end|>", "/analysis"},
	{"<|channel|>final<|message|>", "final"},
	{"<|start|>assistant<|channel|>final<|message|>", "final"},
	{"<|return|>", "/final"},
}

// tags separates thinking in tags from the answer. An opening tag counts at the beginning of a message and directly
// after thinking. Anywhere else it is text. Thinking that is not closed continues to the end. A stray closing tag
// means that all text before it was thinking, because the templates of some models open the tag in the prompt. In a
// code block it is text.
//
// The tags and the white space after them are dropped. The result does not depend on how the text is cut into pieces.
// The zero value is ready for one message and one goroutine.
type tags struct {
	text  strings.Builder // the answer so far
	held  string          // the end of the text while it may become a tag
	open  string          // the open tag, or ""
	begun bool            // there was text since the beginning or the last tag
	line  bool            // past the beginning of a line
	seen  bool            // there was a tag, so that a closing one is not stray
	skip  bool            // drop white space
	stray bool            // the first tag was a closing one
	final bool            // in the channel of the answer
}

// next adds the next piece of the message and emits the parts whose meaning is certain, never an empty chunk. It holds
// back less than 50 bytes. At a stray tag it withdraws the text and emits it again as thinking.
func (t *tags) next(delta string, emit func(provider.Chunk)) { t.split(t.held+delta, false, emit) }

// flush emits the held text at the end of the message.
func (t *tags) flush(emit func(provider.Chunk)) { t.split(t.held, true, emit) }

// split emits s, except for its end if that may become a tag.
func (t *tags) split(s string, final bool, emit func(provider.Chunk)) {
	plain := func(text string) {
		if text == "" {
			return
		}
		t.begun = t.begun || strings.TrimLeft(text, white) != ""
		t.line = text[len(text)-1] != '\n'
		if t.open != "" {
			emit(provider.Chunk{Thinking: text})
			return
		}
		emit(provider.Chunk{Text: text})
		t.text.WriteString(text)
	}
	t.held = ""
	for s != "" {
		if t.skip {
			s = strings.TrimLeft(s, white)
			t.skip = s == ""
		}
		at := strings.IndexByte(s, '<')
		if at < 0 {
			plain(s)
			return
		}
		plain(s[:at])
		s = s[at:]
		name, length := tagAt(s)
		if length == 0 && !final {
			t.held = s
			return
		}
		before := t.stray
		switch counts, certain := t.counts(name, s[length:], final); {
		case !certain:
			t.held = s
			return
		case counts:
			s = s[length:]
			t.begun, t.line, t.seen, t.skip = false, false, true, true
			if t.stray && !before && t.text.Len() > 0 {
				emit(provider.Chunk{Withdraw: provider.WithdrawText})
				emit(provider.Chunk{Thinking: t.text.String()})
			}
		default:
			t.seen = t.seen || name != ""
			plain("<")
			s = s[1:]
		}
	}
}

// counts reports whether a tag is valid, and applies it. rest is the text after it.
func (t *tags) counts(name, rest string, final bool) (counts, certain bool) {
	name, closing := strings.CutPrefix(name, "/")
	switch {
	case name == "" || name == "analysis" && closing && t.open == "":
		return false, true
	case name == "final" && closing:
		return t.final && rest == "", !t.final || rest != "" || final
	case name == "final":
		counts = t.open == "analysis" || t.open == "" && !t.begun
		if counts {
			t.open, t.final = "", true
		}
		return counts, true
	case t.open != "" && name != t.open, t.open != "" && !closing && t.begun:
		return false, true
	case t.open != "" && closing:
		t.open = ""
	case t.open != "": // opened twice
	case !t.begun && closing:
		t.stray = t.stray || !t.seen
	case !t.begun:
		t.open = name
	case t.seen || !closing || strings.Count(t.text.String(), "```")%2 == 1: // in a code block
		return false, true
	case t.line && rest == "" && !final:
		return false, false
	case t.line && rest != "" && rest[0] != '\n' && rest[0] != '\r': // not at the end of a line
		return false, true
	default:
		t.stray = true
	}
	return true, true
}

// tagAt returns the tag at the beginning of s, with its / if it is a closing tag. The length is 0 if s may become a tag
// and 1 if it is not a tag.
func tagAt(s string) (name string, length int) {
	for _, c := range channels {
		switch {
		case strings.HasPrefix(s, c.tag):
			return c.name, len(c.tag)
		case strings.HasPrefix(c.tag, s):
			return "", 0
		}
	}
	word, _, ended := strings.Cut(s[1:min(len(s), 20)], ">")
	bare := strings.TrimPrefix(word, "/")
	for _, name := range tagNames {
		switch begins := len(bare) <= len(name) && strings.EqualFold(bare, name[:len(bare)]); {
		case begins && !ended:
			return "", 0
		case begins && len(bare) == len(name):
			return word[:len(word)-len(bare)] + name, len(word) + 2
		}
	}
	return "", 1
}
