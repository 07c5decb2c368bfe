package transcript

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/aloudchat/aloud/ui/look"
)

// find is a search in the conversation. It looks for the words in the sources of the entries, and draws only those that
// come into view. So it estimates how many matches an entry has until it shows one of them.
type find struct {
	words   string
	found   []found // from the beginning
	until   int     // the entries before it do not change any more
	at, nth int     // the match that is shown: its place in found, and its number in the entry
	opened  entry   // its entry, if it is drawn unfolded; may be nil
	shown   anchor  // its row
	cell    int     // where it begins in the row
	texts   []lower // of the first entries, so that a letter takes no longer than it must

	top    anchor // where you were reading
	follow bool
}

// lower is the source of an entry in lower case.
type lower struct {
	entry
	text string
}

// found is an entry that has the words so many times.
type found struct {
	entry
	count int
}

// Find marks words and shows one match: the last one, or while you have scrolled up the first one from there on. It
// ignores case, unless the words have a capital. Without words, it returns to where you were reading.
func (t *Transcript) Find(words string) {
	if t.find == nil {
		t.View()
		t.find = &find{top: t.top, follow: t.follow}
	}
	f := &find{words: words, found: t.find.found[:0], top: t.find.top, follow: t.find.follow, texts: t.find.texts}
	t.find = f
	if t.show(f.top); f.follow {
		t.followEnd()
	}
	if t.View(); words == "" {
		return
	}
	if f.at = t.search(f.top.entry); f.at >= 0 && !f.follow {
		t.seek(1)
		return
	}
	f.at, f.nth = len(f.found)-1, math.MaxInt
	t.seek(-1)
}

// search finds the entries that have the words, except those found before that do not change. It returns the place in
// found of the first of them from an entry on, or -1.
func (t *Transcript) search(from int) (first int) {
	f := t.find
	first, f.until = -1, min(f.until, len(t.entries))
	for n := len(f.found) - 1; n >= 0 && slices.Contains(t.entries[f.until:], f.found[n].entry); n-- {
		f.found = f.found[:n]
	}
	for i, e := range t.entries[f.until:] {
		i += f.until
		n := count(f.text(i, e), f.words)
		if n == 0 && t.before[e] { // it is in view, and may have the words between its marks
			n = len(t.matches(i, t.look))
		}
		if n > 0 && first < 0 && i >= from {
			first = len(f.found)
		}
		if n > 0 {
			f.found = append(f.found, found{e, n})
		}
	}
	for f.until = len(t.entries); f.until > 0; f.until-- { // the last turn may be running
		if q, ok := t.entries[f.until-1].(*userEntry); ok && q.asked {
			break
		}
	}
	f.texts = f.texts[:min(f.until, len(f.texts))]
	return first
}

// text returns the source of an entry with its number, in lower case unless the words have a capital.
func (f *find) text(i int, e entry) string {
	switch {
	case f.words != strings.ToLower(f.words):
		return source(e)
	case i < len(f.texts) && f.texts[i].entry == e:
		return f.texts[i].text
	}
	text := strings.ToLower(source(e))
	if i <= len(f.texts) {
		f.texts = append(f.texts[:i], lower{e, text})
	}
	return text
}

// FindNext shows the next match, or the previous one if by is -1, also in text that came since then.
func (t *Transcript) FindNext(by int) {
	f := t.find
	if f.words == "" {
		return
	}
	var here entry
	if len(f.found) > 0 {
		here = f.found[f.at].entry
	}
	t.search(0)
	if f.at = slices.IndexFunc(f.found, func(x found) bool { return x.entry == here }); f.at < 0 {
		f.at, f.nth = 0, -max(by, 0)
	}
	f.nth += by
	t.seek(by)
}

// seek shows the match at nth, or if the entry does not have it, one in the entries after it, or before it if by is -1.
func (t *Transcript) seek(by int) {
	f := t.find
	for f.opened = nil; len(f.found) > 0; {
		i := slices.Index(t.entries, f.found[f.at].entry)
		matches := t.unfold(i)
		if by < 0 {
			f.nth = min(f.nth, len(matches)-1)
		}
		if 0 <= f.nth && f.nth < len(matches) {
			f.found[f.at].count = len(matches)
			t.locate(i, matches[f.nth][0])
			t.reveal()
			return
		}
		if f.found[f.at].count = len(matches); len(matches) == 0 {
			f.found = slices.Delete(f.found, f.at, f.at+1)
			f.at -= max(by, 0)
		}
		if f.nth = 0; by < 0 {
			f.nth = math.MaxInt
		}
		f.at = (f.at + by + len(f.found)) % max(1, len(f.found))
	}
}

// unfold returns the matches of an entry, which is drawn unfolded if that shows more of them.
func (t *Transcript) unfold(i int) [][]part {
	if t.find.opened = nil; i < 0 {
		return nil
	}
	folded, unfolded := t.matches(i, t.look), t.matches(i, t.open)
	if len(unfolded) > len(folded) {
		t.find.opened = t.entries[i]
		return unfolded
	}
	return folded
}

// locate notes where the match that is shown begins in an entry.
func (t *Transcript) locate(i int, p part) {
	_, gap := t.entry(i)
	t.find.shown, t.find.cell = anchor{i, p.row + gap}, p.from+look.Margin(t.width)
}

// relocate is locate after a change of the width or the look.
func (t *Transcript) relocate() {
	f := t.find
	if f == nil || len(f.found) == 0 {
		return
	}
	i := slices.Index(t.entries, f.found[f.at].entry)
	if matches := t.unfold(i); f.nth < len(matches) {
		t.locate(i, matches[f.nth][0])
	}
}

// reveal scrolls to the beginning of the match, unless it is in view.
func (t *Transcript) reveal() {
	at := t.find.shown
	if t.View(); !slices.Contains(t.at, at) {
		t.show(anchor{at.entry, at.row - t.height/3})
	}
}

// FindEnd ends the search, and returns to where you were reading, or stays here.
func (t *Transcript) FindEnd(back bool) {
	if back {
		t.Find("")
	}
	t.keepPlace(func() { t.find = nil })
}

// Found returns "3 of 17", "not found", or "" without words.
func (t *Transcript) Found() string {
	if t.find == nil || t.find.words == "" {
		return ""
	}
	number, total := 0, 0
	for i, e := range t.find.found {
		if i == t.find.at {
			number = total + t.find.nth + 1
		}
		total += e.count
	}
	if total == 0 {
		return "not found"
	}
	return fmt.Sprintf("%s of %s", look.Thousands(number), look.Thousands(total))
}

// Turn shows the next question at the top of the view, or the previous one if by is -1.
func (t *Transcript) Turn(by int) {
	t.View()
	for i := t.top.entry; 0 <= i && i < len(t.entries); i += by {
		_, gap := t.entry(i)
		q, ok := t.entries[i].(*userEntry)
		if ok && q.asked && (i != t.top.entry || by*(gap-t.top.row) > 0) {
			t.show(anchor{i, gap})
			return
		}
	}
	if by > 0 {
		t.End()
	} else {
		t.Home()
	}
}

// source returns the text that an entry shows when it is unfolded, with its markup.
func source(e entry) string {
	var texts []string
	switch e := e.(type) {
	case *userEntry:
		texts = []string{e.from, e.text}
		for _, a := range e.attached {
			texts = append(texts, a.Name(), a.Text)
		}
	case *noticeEntry:
		return e.text
	case interface{ raw() string }:
		return e.raw()
	case *toolEntry:
		texts = []string{e.call.Title, string(e.call.Arguments), e.call.Result, e.change.diff}
	case *sourcesEntry:
		texts = e.all
	case *receiptEntry:
		texts = []string{e.words, strings.Join(e.laps, "\n")}
	}
	return strings.Join(texts, "\n")
}

// unmarked removes the marks that may be between words in Markdown.
var unmarked = strings.NewReplacer("*", "", "`", "")

// count returns how many times a source is likely to show the words. It has their case.
func count(source, words string) int {
	n := strings.Count(source, words)
	if first, _, several := strings.Cut(words, " "); n == 0 && several && strings.Contains(source, first) {
		n = strings.Count(strings.ReplaceAll(unmarked.Replace(source), "\n", " "), words)
	}
	return n
}

// inCase returns a text in lower case, unless the words to find in it have a capital.
func inCase(text, words string) string {
	if strings.ToLower(words) != words {
		return text
	}
	return strings.ToLower(text)
}
