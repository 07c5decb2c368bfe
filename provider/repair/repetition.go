package repair

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

const (
	maxPeriod = 1 << 10 // symbols of the longest part that is found when it repeats: some lines
	gramSize  = 8       // symbols that must be equal before a part counts as repeated
)

// repetition measures how much of the end of a text repeats itself: a sentence, a line, a list entry with a running
// number, or some lines in turn.
//
// A number is one symbol, and equals itself and the next number. Lists and tables of data count up too, so a running
// number only counts in prose: outside of code blocks, in a part that is mostly letters.
//
// It uses a fixed amount of memory, and constant time for each byte. The zero value is ready for one text.
type repetition struct {
	ring [maxPeriod]symbol // the last symbols
	seen [1024]struct {    // where each sequence of gramSize symbols came last, by hash
		gram uint64
		end  int
	}
	n      int    // symbols so far
	gram   uint64 // the last gramSize symbols
	code   bool   // in a code block
	number uint32 // the digits before the end of the text
	digits bool

	size, pieces int // so far

	// The repeated end of the text.
	period    int  // symbols of the part that is repeated; 0 if there is none
	matched   int  // symbols that equal those one period before
	counts    bool // a number has counted up
	twice     int  // size of the text up to the second time
	fromSize  int  // size and pieces of the text when the repetition was found
	fromPiece int
}

// symbol is a byte, or a number, which has the byte '0'.
type symbol struct {
	byte
	number uint32
}

// next adds a piece of the text.
func (r *repetition) next(piece string) {
	r.pieces++
	for _, c := range []byte(piece) {
		if c >= '0' && c <= '9' {
			r.number, r.digits = r.number*10+uint32(c-'0'), true
			r.size++
			continue
		}
		if r.digits {
			r.add(symbol{'0', r.number})
			r.number, r.digits = 0, false
		}
		r.size++
		r.add(symbol{c, 0})
	}
}

// add adds the symbol that ends at size.
func (r *repetition) add(s symbol) {
	if before := r.ring[(r.n-r.period)%maxPeriod]; r.period > 0 {
		if !s.follows(before) {
			r.period = 0
		} else if r.matched++; r.matched == r.period {
			r.twice = r.size
		}
		r.counts = r.counts || s.number != before.number
	}
	r.ring[r.n%maxPeriod] = s
	r.n++
	r.gram = r.gram<<8 | uint64(s.byte)
	if r.gram&0xff_ff_ff == '`'<<16|'`'<<8|'`' && r.gram>>24&0xff != '`' {
		r.code = !r.code
	}
	last := &r.seen[r.gram*0x9e3779b97f4a7c15>>54]
	if period := r.n - last.end; r.period == 0 && last.gram == r.gram && period < maxPeriod && r.n > gramSize {
		r.found(period)
	}
	last.gram, last.end = r.gram, r.n
}

// follows reports whether s repeats a symbol.
func (s symbol) follows(before symbol) bool {
	return s.byte == before.byte && (s.number == before.number || s.number == before.number+1)
}

// found notes that the last symbols repeat those one period before. It looks for the first of them among the last few:
// the repetition is found later than it begins if seen has lost a sequence.
func (r *repetition) found(period int) {
	r.period, r.matched, r.counts = period, 0, false
	r.fromSize, r.fromPiece, r.twice = r.size, r.pieces, r.size
	for i := r.n - 1; i >= max(period, r.n+period-maxPeriod, r.n-8*gramSize); i-- {
		s, before := r.ring[i%maxPeriod], r.ring[(i-period)%maxPeriod]
		if !s.follows(before) {
			break
		}
		r.matched++
		r.counts = r.counts || s.number != before.number
	}
}

// tokens returns about how many tokens repeat what was before them.
func (r *repetition) tokens() int {
	if r.period == 0 {
		return 0
	}
	return max(r.pieces-r.fromPiece, (r.size-r.fromSize)/maxToken)
}

// times returns how often the end of the text was written, 1 if it does not repeat itself.
func (r *repetition) times() int {
	if r.period == 0 || r.counts && !r.isProse() {
		return 1
	}
	return 1 + r.matched/r.period
}

// isProse reports whether the part that is repeated is mostly letters, and not code.
func (r *repetition) isProse() bool {
	letters := 0
	for i := r.n - r.period; i < r.n; i++ {
		if c := r.ring[i%maxPeriod].byte; letter(c) || c >= 0x80 {
			letters++
		}
	}
	return !r.code && 2*letters >= r.period
}

// fold shortens the repeated end of a text: "Yes. Yes. … 34 times". Repeated white space is dropped.
func fold(text string) string {
	var r repetition
	r.next(text)
	times := r.times()
	if times < 3 {
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

func endsBlank(text string) bool {
	return strings.HasSuffix(text, " ") || strings.HasSuffix(text, "\n")
}
