package repair

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"
)

const (
	maxPeriod = 1 << 10 // bytes of the longest part that is found when it repeats: some lines
	gramSize  = 8       // bytes that must be equal before a part counts as repeated
	marker    = 0xff    // stands for the marker of a list entry; text in UTF-8 does not have this byte
)

// repetition measures how much of the end of a text repeats itself: a sentence, a line, a list entry with a running
// number, or some lines in turn.
//
// Only exact repetition counts, because lists and tables of data have much in common. The exception is the marker of a
// list entry, such as "12. " at the start of a line, if it counts up and the entry has some words.
//
// It uses a fixed amount of memory, and constant time for each byte. The zero value is ready for one text.
type repetition struct {
	ring [maxPeriod]byte // the last bytes
	seen [1024]struct {  // where each sequence of gramSize bytes came last, by hash
		gram uint64
		end  int
	}
	n      int    // bytes so far; a marker is one
	gram   uint64 // the last gramSize bytes
	inCode bool   // the end of the text is in a code block

	held   [5]byte // the beginning of a line, which may be a marker
	holds  int     // bytes in held
	inLine bool    // a marker can no longer come in this line
	number int     // of the last marker

	size, pieces int // so far, without what is held

	// The repeated end of the text.
	period    int // bytes of the part that is repeated; 0 if there is none
	matched   int // bytes that equal those one period before
	twice     int // size of the text up to the second time
	fromSize  int // size and pieces of the text when the repetition was found
	fromPiece int
}

// next adds a piece of the text.
func (r *repetition) next(piece string) {
	r.pieces++
	for _, c := range []byte(piece) {
		if !r.inLine && r.hold(c) {
			continue
		}
		r.inLine = c != '\n' && (r.inLine || r.holds > 0 || c != ' ')
		r.release(c == ' ')
		r.add(c, 1)
	}
}

// hold holds back a byte of what may be a marker.
func (r *repetition) hold(c byte) bool {
	isDigit := func(c byte) bool { return c >= '0' && c <= '9' }
	afterDigit := r.holds > 0 && isDigit(r.held[r.holds-1])
	if r.holds == len(r.held) || !(isDigit(c) && (r.holds == 0 || afterDigit) || (c == '.' || c == ')') && afterDigit) {
		return false
	}
	r.held[r.holds] = c
	r.holds++
	return true
}

// release adds what was held back, as a marker if a blank follows and its number counts up.
func (r *repetition) release(beforeBlank bool) {
	held := r.held[:r.holds]
	r.holds = 0
	if digits := bytes.TrimRight(held, ".)"); beforeBlank && len(digits) < len(held) {
		number, _ := strconv.Atoi(string(digits))
		countsUp := number == r.number+1
		r.number = number
		if countsUp {
			r.add(marker, len(held))
			return
		}
	}
	for _, c := range held {
		r.add(c, 1)
	}
}

// add adds a byte that stands for size bytes of the text.
func (r *repetition) add(c byte, size int) {
	r.size += size
	if r.period > 0 {
		if c != r.ring[(r.n-r.period)%maxPeriod] {
			r.period = 0
		} else if r.matched++; r.matched == r.period {
			r.twice = r.size
		}
	}
	r.ring[r.n%maxPeriod] = c
	r.n++
	r.gram = r.gram<<8 | uint64(c)
	if r.gram&0xff_ff_ff == '`'<<16|'`'<<8|'`' && r.gram>>24&0xff != '`' {
		r.inCode = !r.inCode
	}
	last := &r.seen[r.gram*0x9e3779b97f4a7c15>>54]
	if period := r.n - last.end; r.period == 0 && last.gram == r.gram && period < maxPeriod && r.n > gramSize {
		r.found(period)
	}
	last.gram, last.end = r.gram, r.n
}

// found notes that the last bytes repeat those one period before. It looks for the first of them among the last few:
// the repetition is found later than it begins if seen has lost a sequence.
func (r *repetition) found(period int) {
	r.period, r.matched, r.twice = period, 0, r.size
	r.fromSize, r.fromPiece = r.size, r.pieces
	for i := r.n - 1; i >= max(period, r.n+period-maxPeriod, r.n-8*gramSize); i-- {
		if r.ring[i%maxPeriod] != r.ring[(i-period)%maxPeriod] {
			break
		}
		r.matched++
	}
}

// repeatedPieces returns how many pieces repeat what was before them.
func (r *repetition) repeatedPieces() int {
	if r.period == 0 {
		return 0
	}
	return r.pieces - r.fromPiece
}

// repeatedTokens returns about how many tokens repeat what was before them.
func (r *repetition) repeatedTokens() int {
	if r.period == 0 {
		return 0
	}
	return max(r.repeatedPieces(), (r.size-r.fromSize)/maxToken)
}

// times returns how often the end of the text was written, 1 if it does not repeat itself.
func (r *repetition) times() int {
	if r.period == 0 || !r.hasWords() {
		return 1
	}
	return 1 + r.matched/r.period
}

// hasWords reports whether the list entries in the repeated part have some words each.
func (r *repetition) hasWords() bool {
	const least = 3
	markers, words, before := 0, 0, byte(0)
	for i := r.n - r.period; i < r.n; i++ {
		c := r.ring[i%maxPeriod]
		isLetter := c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= 0xc3 && c < 0xe0 // those of two bytes too
		switch {
		case c == marker:
			markers++
		case before == ' ' && isLetter:
			words++
		}
		before = c
	}
	return words >= least*markers
}

// fold shortens the repeated end of a text: "Yes. Yes. … 34 times". Repeated white space is dropped. A text that ends
// in a code block stays as it is.
func fold(text string) string {
	var r repetition
	r.next(text)
	times := r.times()
	if times < 3 || r.inCode {
		return text
	}
	for r.twice < len(text) && !utf8.RuneStart(text[r.twice]) {
		r.twice++
	}
	kept, rest := text[:r.twice], text[r.twice:]
	if strings.TrimSpace(rest) == "" {
		return strings.TrimRight(kept, white)
	}
	for _, end := range []string{"\n", ". ", "。", " "} { // of a line, a sentence or a word
		if endsBlank(kept) || strings.HasSuffix(kept, end) {
			break
		}
		if more, _, found := strings.Cut(rest[:min(len(rest), r.period)], end); found {
			kept += more + end
			break
		}
	}
	if !endsBlank(kept) {
		kept += " "
	}
	return fmt.Sprintf("%s… %d times", kept, times)
}

func endsBlank(text string) bool { return strings.TrimRight(text, " \n") != text }
