package math

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// Inline returns a formula on one line. It reports false if it does not understand all of source.
func Inline(source string) (string, bool) {
	n, ok := parse(source)
	if !ok {
		return "", false
	}
	text := line(n, false)
	return text, text != "" && len(text) <= maxSource
}

// line returns n on one line. A tight line has no spaces around operators.
func line(n node, tight bool) string {
	switch n := n.(type) {
	case atom:
		return n.text
	case list:
		var b strings.Builder
		for i, item := range n {
			if needsGap(n, i, tight) {
				b.WriteByte(' ')
			}
			b.WriteString(line(item, tight))
		}
		return b.String()
	case fraction:
		if !n.bar {
			return line(n.over, tight) + " choose " + line(n.under, tight)
		}
		over, under := line(n.over, tight), line(n.under, tight)
		if strings.ContainsAny(over, " /+−") {
			over = bracketed(over)
		}
		return over + "/" + operand(n.under, under)
	case root:
		return n.index + "√" + operand(n.of, line(n.of, tight))
	case scripts:
		if after, ok := n.short(); ok {
			return line(n.base, tight) + after
		}
		text := line(n.base, tight)
		if n.sub != nil {
			text += "_" + grouped(line(n.sub, true))
		}
		if n.super != nil {
			text += "^" + grouped(line(n.super, true))
		}
		return text
	case fenced:
		if body, ok := n.body.(grid); ok && n.open == "{" && n.close == "" {
			return "{ " + line(body, tight)
		}
		return n.open + line(n.body, tight) + n.close
	case grid:
		between := ", "
		if n.align == "rl" || n.align == "ll" {
			between = " "
		}
		rows := make([]string, len(n.cells))
		for i, row := range n.cells {
			cells := make([]string, len(row))
			for j, cell := range row {
				cells[j] = line(cell, tight)
			}
			rows[i] = strings.TrimSpace(strings.Join(cells, between))
		}
		return strings.Join(rows, "; ")
	}
	return ""
}

// short returns the scripts as raised and lowered characters, if there are such characters.
func (s scripts) short() (text string, ok bool) {
	for _, part := range []struct {
		n     list
		table string
	}{{s.sub, lowered}, {s.super, raised}} {
		switch {
		case part.n == nil:
			continue
		case !isFlat(part.n): // would take exponential time for scripts in scripts
			return "", false
		}
		t, ok := translate(part.table, line(part.n, true))
		if !ok {
			return "", false
		}
		text += t
	}
	return text, true
}

// isFlat reports whether n has only symbols.
func isFlat(n node) bool {
	if l, ok := n.(list); ok {
		return !slices.ContainsFunc(l, func(item node) bool { return !isFlat(item) })
	}
	_, ok := n.(atom)
	return ok
}

// only returns what is in a group alone, or n.
func only(n node) node {
	if l, ok := n.(list); ok && len(l) == 1 {
		return only(l[0])
	}
	return n
}

// operand returns the text of n in brackets unless it is clear where it ends.
func operand(n node, text string) string {
	switch only(n).(type) {
	case atom, scripts, fenced:
		return text
	}
	if strings.Trim(text, "0123456789.") == "" {
		return text
	}
	return bracketed(text)
}

func bracketed(text string) string { return "(" + text + ")" }

func grouped(text string) string {
	if utf8.RuneCountInString(text) == 1 {
		return text
	}
	return bracketed(text)
}

func classOf(n node) class {
	switch n := n.(type) {
	case atom:
		return n.class
	case scripts:
		return classOf(n.base)
	case fraction, fenced:
		return inner
	}
	return ordinary
}

// classAt returns the class of an item of l. A sign such as that of −1 is ordinary.
func classAt(l list, i int) class {
	c := classOf(l[i])
	if c != binary {
		return c
	}
	if i == 0 || i == len(l)-1 {
		return ordinary
	}
	switch classOf(l[i-1]) {
	case binary, relation, operator, function, opening, punctuation:
		return ordinary
	}
	return binary
}

// needsGap reports whether there is a space before an item of l.
func needsGap(l list, i int, tight bool) bool {
	if i == 0 {
		return false
	}
	before, after := classAt(l, i-1), classAt(l, i)
	if before == space || after == space {
		return false
	}
	isOperand := before == ordinary || before == closing || before == inner
	signed := classOf(l[i-1]) == binary && before == ordinary
	switch {
	case before == function:
		return after != opening && after != closing && after != punctuation && after != inner || isFraction(l[i])
	case tight || before == opening || after == closing || after == punctuation:
		return false
	case before == relation || after == relation:
		return before != after
	case before == binary || after == binary, before == punctuation, before == operator:
		return true
	case signed:
		return false
	case after == operator || after == function:
		return isOperand
	}
	return isFraction(l[i-1]) && isOperand && after != opening || isFraction(l[i]) && isOperand
}

func isFraction(n node) bool {
	_, ok := n.(fraction)
	return ok
}
