package markdown

import (
	"strings"
	"unicode/utf8"
)

// Kind says how a block is rendered.
type Kind int

// The kinds of blocks.
const (
	Text Kind = iota // a paragraph, heading, quote, table, rule: whatever has no kind of its own
	Item             // one item of a list with all that is nested in it
	Code             // a fenced code block, or a slice of one
)

// Block is a piece of Markdown that can be rendered on its own.
type Block struct {
	Kind   Kind
	Source string // of Code: the lines between the fences
	Lang   string // of Code: the first word after the opening fence
	Number int    // of an Item in a numbered list: its number
	Tight  bool   // no blank row stands between it and the block before
	Rest   bool   // it is what followed when the block before was cut
}

// Blocks are cut when they grow beyond these sizes, so that drawing the open block stays cheap whatever a model writes.
const (
	maxOpen   = 4 << 10 // bytes of an open block
	codeSlice = 8       // lines of code
)

// Splitter cuts a stream of Markdown into blocks. The zero value is ready to use. Its work is proportional to the bytes
// written, and the blocks do not depend on how the text was cut into pieces.
//
// Code fences without an end last until Close. Long code comes out in slices of some lines, and any other block that
// does not end within some kilobytes is cut at a line's end, a table with its head repeated. A paragraph ends where a
// list, a fence, a heading or a quote begins.
type Splitter struct {
	line []byte // the line being written
	body []byte // finished lines of the open block

	open   bool   // there is an open block
	block  Block  // it, without its source
	quote  bool   // it began as a quote
	lines  int    // how many it has
	fence  string // the marker that opened the code it is, or the code nested in it
	indent int    // of that fence
	again  string // lines that must be repeated when it is cut: a table's head, an item's opening fence

	blank bool  // blank lines since the last line with text
	last  Block // the block before, without its source
	any   bool  // there was one
}

// Write takes more text and returns the blocks that are finished now.
func (s *Splitter) Write(text string) []Block {
	var done []Block
	for {
		line, rest, ended := strings.Cut(text, "\n")
		done = s.grow(done, line)
		if !ended {
			return done
		}
		done = s.endLine(done)
		text = rest
	}
}

// Open returns the unfinished block; its source is "" when there is none. Markers at the end that may yet become anything are left out.
func (s *Splitter) Open() Block {
	line := string(s.line)
	b := s.block
	if !s.open {
		b = s.start(line)
	}
	if undecided(line, b.Kind) {
		line = ""
	}
	b.Source = strings.TrimRight(string(s.body)+line, "\n")
	return b
}

// Close ends the text and returns what was still open. The splitter can be used again for another text.
func (s *Splitter) Close() []Block {
	var done []Block
	if len(s.line) > 0 {
		done = s.endLine(done)
	}
	done = s.flush(done)
	*s = Splitter{line: s.line[:0], body: s.body[:0]}
	return done
}

// grow adds to the line being written and cuts it when it becomes too long.
func (s *Splitter) grow(done []Block, part string) []Block {
	for len(s.line)+len(part) > maxOpen {
		n := maxOpen - len(s.line)
		s.line = append(s.line, part[:n]...)
		part = part[n:]
		done = s.cutLine(done)
	}
	s.line = append(s.line, part...)
	return done
}

// cutLine gives out most of the line being written, up to a space if there is one.
func (s *Splitter) cutLine(done []Block) []Block {
	cut := len(s.line)
	if i := strings.LastIndexByte(string(s.line), ' '); i > cut/2 {
		cut = i + 1
	} else if i := lastRune(s.line); !utf8.FullRune(s.line[i:]) {
		cut = i
	}
	rest := string(s.line[cut:])
	s.line = s.line[:cut]
	done = s.slice(s.endLine(done))
	s.line = append(s.line, rest...)
	return done
}

// lastRune is where the last character of b begins.
func lastRune(b []byte) int {
	i := len(b) - 1
	for i > 0 && i > len(b)-utf8.UTFMax && !utf8.RuneStart(b[i]) {
		i--
	}
	return i
}

// endLine moves the line that was being written to the block it belongs to.
func (s *Splitter) endLine(done []Block) []Block {
	line := strings.TrimSuffix(string(s.line), "\r")
	s.line = s.line[:0]
	if s.open && s.block.Kind == Code {
		return s.codeLine(done, line)
	}
	text := strings.TrimLeft(line, " \t")
	switch {
	case s.open && s.block.Kind == Item && s.itemTakes(line, text):
	case text == "":
		s.blank = true
		return s.flush(done)
	case s.open && s.block.Kind == Text && !s.interrupts(line, text):
	case fenceOf(text) != "" && indentOf(line) < 4:
		done = s.flush(done)
		s.begin(line)
		s.fence, s.indent = fenceOf(text), indentOf(line)
		return done
	default:
		done = s.flush(done)
		s.begin(line)
	}
	s.noteTable(text)
	s.keep(line)
	if s.lines == 1 && s.block.Kind == Text && isHeading(text) && indentOf(line) < 4 {
		return s.flush(done)
	}
	if len(s.body) > maxOpen {
		return s.slice(done)
	}
	return done
}

// codeLine takes a line after an opening fence.
func (s *Splitter) codeLine(done []Block, line string) []Block {
	if closes(line, s.fence) {
		return s.flush(done)
	}
	for range s.indent { // the fence's own indent is not part of the code
		line = strings.TrimPrefix(line, " ")
	}
	s.keep(line)
	if s.lines >= codeSlice && line != "" || len(s.body) > maxOpen {
		return s.slice(done)
	}
	return done
}

// itemTakes reports whether a line belongs to the open item: it is blank, indented, inside a fence, or goes on with its paragraph.
func (s *Splitter) itemTakes(line, text string) bool {
	switch {
	case s.fence != "":
		if closes(line, s.fence) {
			s.fence, s.again = "", ""
		}
		return true
	case text == "":
		s.blank = true
		return true
	case indentOf(line) >= 2:
		s.blank = false
		if s.fence = fenceOf(text); s.fence != "" {
			s.again = line + "\n"
		}
		return true
	}
	return !s.blank && !s.interrupts(line, text)
}

// interrupts reports whether a line ends the open block and begins another one.
func (s *Splitter) interrupts(line, text string) bool {
	if indentOf(line) >= 4 {
		return false
	}
	return fenceOf(text) != "" || isHeading(text) || isItem(text) || isQuote(text) && !s.quote
}

// begin opens the block that line begins.
func (s *Splitter) begin(line string) {
	s.block = s.start(line)
	s.open, s.quote, s.blank = true, isQuote(strings.TrimLeft(line, " ")), false
}

// start returns the block that line begins, without its source.
func (s *Splitter) start(line string) Block {
	text := strings.TrimLeft(line, " \t")
	b := Block{Tight: !s.any}
	switch {
	case indentOf(line) >= 4:
	case fenceOf(text) != "":
		b.Kind = Code
		info, _, _ := strings.Cut(strings.TrimSpace(text[len(fenceOf(text)):]), " ")
		b.Lang = info
	case isItem(text):
		b.Kind, b.Number = Item, itemNumber(text)
		if s.any && s.last.Kind == Item {
			b.Tight = !s.blank
			if b.Number > 0 && s.last.Number > 0 {
				b.Number = s.last.Number + 1
			}
		}
	}
	return b
}

func (s *Splitter) keep(line string) {
	s.body = append(append(s.body, line...), '\n')
	s.lines++
}

// noteTable remembers the head of a table when the row below it comes.
func (s *Splitter) noteTable(text string) {
	if s.lines == 1 && s.block.Kind == Text && strings.ContainsRune(text, '|') && strings.Trim(text, " \t|:-") == "" {
		s.again = string(s.body) + text + "\n"
	}
}

// flush gives out the open block.
func (s *Splitter) flush(done []Block) []Block {
	if !s.open {
		return done
	}
	if !s.block.Rest || string(s.body) != s.again {
		done = s.give(done, strings.TrimRight(string(s.body), " \t\n"))
	}
	s.body = s.body[:0]
	s.open, s.quote, s.lines, s.fence, s.indent, s.again = false, false, 0, "", 0, ""
	return done
}

// slice gives out what there is of the open block, which goes on.
func (s *Splitter) slice(done []Block) []Block {
	if !s.open {
		return done
	}
	done = s.give(done, strings.TrimSuffix(string(s.body), "\n"))
	s.body = append(s.body[:0], s.again...)
	s.lines, s.block.Number, s.block.Tight, s.block.Rest = 0, 0, true, true
	return done
}

func (s *Splitter) give(done []Block, source string) []Block {
	if source == "" {
		return done
	}
	s.any = true
	if !s.block.Rest { // which has lost its number
		s.last = s.block
	}
	b := s.block
	b.Source = source
	return append(done, b)
}
