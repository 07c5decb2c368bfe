// Package math sets formulas that are written in TeX as text for a terminal.
//
// [Inline] sets a formula on one line, [Display] in two dimensions. A formula with anything unknown is not set at all:
// the caller shows its source instead.
package math

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Limits for a formula. A larger one is shown as its source.
const (
	maxSource = 4 << 10 // bytes
	maxDepth  = 20      // of groups and environments in each other
	maxCells  = 400     // of a matrix
)

// class says how much space is between a symbol and its neighbours.
type class int

const (
	ordinary class = iota
	binary
	relation
	operator // with limits
	function
	opening
	closing
	punctuation
	inner // a fraction
	space
)

// A node is part of a formula: one of the types below.
type node any

type (
	atom struct {
		class
		text string
	}
	list     []node
	fraction struct {
		over, under node
		bar         bool
	}
	root struct {
		index string // raised; "" for a square root
		of    node
	}
	scripts struct {
		base       node
		sub, super list // nil for none
		limits     bool // above and below if there is room
	}
	fenced struct {
		open, close string
		body        node
	}
	grid struct {
		cells [][]node
		align string // of the columns: l, c or r each, repeated
	}
)

type parser struct {
	rest  string
	depth int
	bad   bool // something is not understood
}

// parse returns the formula in source.
func parse(source string) (node, bool) {
	source = strings.TrimSpace(source)
	if source == "" || len(source) > maxSource || !utf8.ValidString(source) {
		return nil, false
	}
	if isProse(source) {
		return nil, false
	}
	p := parser{rest: source}
	n := p.grid("rl")
	return n, !p.bad && p.peek() == ""
}

// isProse reports whether source has two words in a row and nothing of TeX.
func isProse(source string) bool {
	if strings.ContainsAny(source, `\^_{`) {
		return false
	}
	before := 0
	for word := range strings.FieldsSeq(source) {
		letters := len(word)
		if strings.ContainsFunc(word, func(r rune) bool { return !unicode.IsLetter(r) }) {
			letters = 0
		}
		if before > 0 && letters > 0 && before+letters > 2 {
			return true
		}
		before = letters
	}
	return false
}

func (p *parser) fail() node {
	p.bad, p.rest = true, ""
	return list{}
}

// peek returns the next token: a character, or a command with its backslash. It returns "" at the end.
func (p *parser) peek() string {
	p.rest = strings.TrimLeft(p.rest, " \n\r\t")
	if p.rest == "" {
		return ""
	}
	_, n := utf8.DecodeRuneInString(p.rest)
	if p.rest[0] != '\\' {
		return p.rest[:n]
	}
	for n < len(p.rest) && isLetter(p.rest[n]) {
		n++
	}
	if n == 1 && len(p.rest) > 1 {
		_, size := utf8.DecodeRuneInString(p.rest[1:])
		n += size
	}
	return p.rest[:n]
}

func isLetter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }

func (p *parser) next() string {
	token := p.peek()
	p.rest = p.rest[len(token):]
	return token
}

// take skips a token if it is next.
func (p *parser) take(token string) bool {
	if p.peek() != token {
		return false
	}
	p.next()
	return true
}

// grid returns rows of cells, or what is in the only cell.
func (p *parser) grid(align string) node {
	g := grid{align: align}
	row, columns := []node{}, 0
	for {
		row = append(row, p.list())
		columns = max(columns, len(row))
		token := p.peek()
		if token == "&" {
			p.next()
			continue
		}
		g.cells, row = append(g.cells, row), nil
		if token != `\\` {
			break
		}
		p.next()
		if height, rest, ok := strings.Cut(p.rest, "]"); ok && isHeight(height) {
			p.rest = rest
		}
		if p.peek() == `\end` || p.peek() == "" {
			break
		}
	}
	switch {
	case len(g.cells)*columns > maxCells:
		return p.fail()
	case len(g.cells) == 1 && columns == 1:
		return g.cells[0][0]
	}
	return g
}

// isHeight reports whether text is the start of the extra space after a row, such as "[4pt".
func isHeight(text string) bool {
	number := strings.TrimLeft(text, "[-.0123456789 ")
	return strings.HasPrefix(text, "[") && (number == "pt" || number == "em" || number == "ex")
}

// list returns what comes before the end of a group or cell.
func (p *parser) list() node {
	l := list{}
	for {
		switch p.peek() {
		case "", "}", "&", `\\`, `\right`, `\end`:
			return l
		}
		n := p.item()
		if a, ok := n.(atom); !ok || a.text != "" {
			l = append(l, n)
		}
	}
}

// item returns a part of a formula with its scripts.
func (p *parser) item() node {
	var s scripts
	if t := p.peek(); t == "^" || t == "_" {
		s.base = list{}
	} else {
		s.base = p.base()
	}
	a, _ := s.base.(atom)
	s.limits = a.class == operator
	for {
		var script *list
		switch p.peek() {
		case `\limits`:
			p.next()
			s.limits = true
			continue
		case `\nolimits`:
			p.next()
			s.limits = false
			continue
		case "'":
			p.next()
			s.super = append(s.super, atom{text: "′"})
			continue
		case "^":
			script = &s.super
		case "_":
			script = &s.sub
		default:
			switch {
			case s.sub != nil || s.super != nil:
				return s
			case a.class == operator && isLetter(a.text[0]): // max(a, b)
				return atom{function, a.text}
			}
			return s.base
		}
		p.next()
		*script = append(*script, p.argument())
	}
}

// argument returns a group, or the next symbol.
func (p *parser) argument() node {
	switch p.peek() {
	case "", "}", "&", `\\`, `\right`, `\end`, "^", "_":
		return p.fail()
	}
	return p.base()
}

func (p *parser) base() node {
	p.depth++
	defer func() { p.depth-- }()
	if p.depth > maxDepth {
		return p.fail()
	}
	token := p.next()
	switch {
	case token == "{":
		l := p.list()
		if !p.take("}") {
			return p.fail()
		}
		return l
	case token[0] == '\\':
		return p.command(token[1:])
	}
	r, _ := utf8.DecodeRuneInString(token)
	switch {
	case r == '~':
		return atom{space, " "}
	case strings.ContainsRune("$%#`", r), !unicode.IsPrint(r), unicode.IsMark(r):
		return p.fail()
	case strings.ContainsRune("([", r):
		return atom{opening, token}
	case strings.ContainsRune(")]!", r):
		return atom{closing, token}
	case strings.ContainsRune("<>=:≤≥≠≈∈→⇒", r):
		return atom{relation, token}
	case r == ';', r == ',' && (p.rest == "" || p.rest[0] < '0' || p.rest[0] > '9'):
		return atom{punctuation, token}
	}
	if a, ok := symbol(token); ok && strings.ContainsRune("+-*", r) {
		return a
	}
	return atom{ordinary, token}
}

// text returns the text of a group unchanged.
func (p *parser) text() string {
	p.peek()
	if !strings.HasPrefix(p.rest, "{") {
		return p.next()
	}
	end := strings.IndexByte(p.rest, '}')
	if end < 0 {
		p.fail()
		return ""
	}
	text := p.rest[1:end]
	p.rest = p.rest[end+1:]
	isOdd := func(r rune) bool { return !unicode.IsPrint(r) || strings.ContainsRune(`\{$`, r) }
	if strings.ContainsFunc(text, isOdd) {
		p.fail()
	}
	return text
}
