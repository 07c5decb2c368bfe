package session

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"math"
	"os"
	"slices"
	"strings"
	"unicode"

	"github.com/aloudchat/aloud/internal/sanitize"
	"github.com/aloudchat/aloud/provider"
)

// Search returns the sessions with a message that has all words, the one changed last first. Case does not matter.
// Their Excerpt is around the first word in the last such message. The error names the files that could not be read.
func (s *Store) Search(ctx context.Context, words string) ([]Info, error) {
	all := strings.Fields(strings.ToLower(words))
	return s.all(func(id string) (Info, error) {
		if ctx.Err() != nil || len(all) == 0 || !s.mayHave(id, all) {
			return Info{}, nil
		}
		h, err := s.read(id, math.MaxInt)
		if err != nil {
			return Info{}, err
		}
		whole := h.valid()
		texts := whole
		branches, _ := h.branches(whole)
		for _, b := range branches {
			texts = append(slices.Clip(b.Conversation.Messages()), texts...) // the current branch comes last
		}
		for _, m := range slices.Backward(texts) {
			if text, ok := excerpt(m, all); ok {
				info := h.about(id, whole)
				info.Excerpt = text
				return info, nil
			}
		}
		return Info{}, nil
	})
}

// mayHave reports whether the file of a session may have all words. Reading every session as JSON would take seconds.
func (s *Store) mayHave(id string, words []string) bool {
	text, err := os.ReadFile(s.path(id))
	if err != nil {
		return !errors.Is(err, fs.ErrNotExist)
	}
	text = bytes.ToLower(text)
	for _, word := range words {
		isPlain := !strings.ContainsFunc(word, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
		if isPlain && !bytes.Contains(text, []byte(word)) {
			return false
		}
	}
	return true
}

// excerpt returns the text of a message around the first of the words, as a safe line, if it has all of them.
func excerpt(m provider.Message, words []string) (text string, ok bool) {
	const before, after, cells = 30, 200, 80
	if m.Role == provider.RoleTool {
		return "", false
	}
	lower := strings.ToLower(m.Text)
	for _, word := range words {
		if !strings.Contains(lower, word) {
			return "", false
		}
	}
	at := min(strings.Index(lower, words[0]), len(m.Text))
	from := max(0, at-before)
	part := m.Text[from:min(len(m.Text), at+after)]
	if from > 0 {
		if _, rest, ok := strings.Cut(part, " "); ok { // begin with a whole word
			part = rest
		}
		part = "…" + part
	}
	return sanitize.CutEnd(sanitize.Line(strings.ToValidUTF8(part, "")), cells), true
}
