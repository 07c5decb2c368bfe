package repair

import "strings"

// tagNames are the tags between which models think. Their case does not matter.
var tagNames = []string{"think", "thinking", "reasoning"}

// tags splits the thinking that a model writes into its answer from the answer. An opening tag counts where a message
// begins, or where thinking has just ended; anywhere else it is text. Thinking that is never closed goes on to the end.
// A closing tag without an opening one ends the thinking of models whose template opens it in the prompt: all text
// before it was thinking. In a code fence it is text: an answer may be about such tags.
//
// The tags themselves and the white space behind them are dropped. How the text was cut into pieces makes no
// difference. The zero value is ready for one message. tags are for one goroutine.
type tags struct {
	held  string // the end of the text, as long as it may become a tag
	open  string // the tag that is open, "" for none
	begun bool   // there was something other than white space since the message or the last tag
	line  bool   // past the beginning of a line
	ticks int    // back quotes at the beginning of the line, -1 behind anything else
	code  bool   // in a code fence
	told  bool   // there was a tag, or one in the text: a closing one no longer stands alone
	skip  bool   // white space is dropped
	stray bool   // the first tag was a closing one: all text before it was thinking
}

// next takes the next piece of the message and emits what is certain of it, never an empty string. It holds back less
// than 20 bytes.
func (t *tags) next(delta string, emit func(text string, thinking bool)) {
	t.split(t.held+delta, false, emit)
}

// flush emits what was held back, at the end of the message.
func (t *tags) flush(emit func(text string, thinking bool)) { t.split(t.held, true, emit) }

// split emits s but for its end where that may still become a tag.
func (t *tags) split(s string, final bool, emit func(string, bool)) {
	plain := func(text string) {
		if text == "" {
			return
		}
		t.begun = t.begun || strings.TrimLeft(text, white) != ""
		t.line = text[len(text)-1] != '\n'
		t.followFences(text)
		emit(text, t.open != "")
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
		switch counts, certain := t.counts(name, s[length:], final); {
		case !certain:
			t.held = s
			return
		case counts:
			s = s[length:]
			t.begun, t.line, t.told, t.skip = false, false, true, true
		default:
			t.told = t.told || name != ""
			plain("<")
			s = s[1:]
		}
	}
}

// followFences notes whether text ends in a code fence. That counts only before the first tag.
func (t *tags) followFences(text string) {
	for i := 0; i < len(text) && !t.told; i++ {
		switch c := text[i]; {
		case c == '\n':
			t.ticks = 0
		case c == ' ' && t.ticks == 0:
		case c == '`' && t.ticks >= 0:
			if t.ticks++; t.ticks == 3 {
				t.code = !t.code
			}
		default:
			t.ticks = -1
		}
	}
}

// counts reports whether a tag counts, and follows it; rest is the text behind it.
func (t *tags) counts(name, rest string, final bool) (counts, certain bool) {
	name, closing := strings.CutPrefix(name, "/")
	switch {
	case name == "":
		return false, true
	case t.open != "" && name != t.open, t.open != "" && !closing && t.begun:
		return false, true
	case t.open != "" && closing:
		t.open = ""
	case t.open != "": // opened twice
	case !t.begun && closing:
		t.stray = t.stray || !t.told
	case !t.begun:
		t.open = name
	case t.told || !closing || t.code:
		return false, true
	case t.line && rest == "" && !final:
		return false, false
	case t.line && rest != "" && rest[0] != '\n' && rest[0] != '\r': // not alone on its line, nor at the end of one
		return false, true
	default:
		t.stray = true
	}
	return true, true
}

// tagAt reads the tag at the beginning of s, with its / if it is a closing one. The length is 0 if s may become one,
// and 1 for no tag.
func tagAt(s string) (name string, length int) {
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
