package math

import (
	"strings"
	"unicode/utf8"
)

// command returns what a command without its backslash stands for, with its arguments.
func (p *parser) command(name string) node {
	if name == "" {
		return p.fail()
	}
	if a, ok := symbol(name); ok && isLetter(name[0]) || ok && strings.Contains("{}%$#&_|", name) {
		return a
	}
	if n, ok := find(spaces, name); ok {
		return atom{space, strings.Repeat(" ", int(n[0]-'0'))}
	}
	if mark, ok := find(accents, name); ok {
		return p.accent(mark)
	}
	switch name {
	case " ":
		return atom{space, " "}
	case "frac", "dfrac", "tfrac", "cfrac":
		over := p.argument()
		return fraction{over, p.argument(), true}
	case "binom", "dbinom", "tbinom":
		over := p.argument()
		return fenced{"(", ")", fraction{over, p.argument(), false}}
	case "boxed":
		return fenced{"[", "]", p.argument()}
	case "sqrt":
		return p.root()
	case "left":
		open := p.delimiter()
		body := p.list()
		if !p.take(`\right`) {
			return p.fail()
		}
		return fenced{open, p.delimiter(), body}
	case "text", "textrm", "textbf", "textit", "texttt", "textsf", "mbox":
		return atom{ordinary, p.text()}
	case "mathrm", "mathbf", "mathit", "mathsf", "mathtt", "mathfrak", "boldsymbol", "bm", "mathop", "mathbin":
		return p.argument()
	case "operatorname":
		p.take("*")
		return atom{function, p.text()}
	case "mathbb":
		return p.alphabet(double)
	case "mathcal", "mathscr":
		return p.alphabet(script)
	case "overset", "stackrel":
		super := list{p.argument()}
		return scripts{p.argument(), nil, super, true}
	case "underset":
		sub := list{p.argument()}
		return scripts{p.argument(), sub, nil, true}
	case "pmod":
		return list{atom{space, " "}, fenced{"(", ")", list{atom{function, "mod"}, p.argument()}}}
	case "tag":
		return list{atom{space, "    "}, atom{ordinary, "(" + p.text() + ")"}}
	case "not":
		return p.not()
	case "begin":
		return p.environment()
	}
	return p.fail()
}

// accent puts a mark on a single character.
func (p *parser) accent(mark string) node {
	a, ok := only(p.argument()).(atom)
	if !ok || utf8.RuneCountInString(a.text) != 1 {
		return p.fail()
	}
	return atom{a.class, a.text + mark}
}

func (p *parser) not() node {
	a, ok := p.argument().(atom)
	switch {
	case !ok || a.class != relation:
		return p.fail()
	case a.text == "=":
		return atom{relation, "≠"}
	case a.text == "∈":
		return atom{relation, "∉"}
	}
	return atom{relation, a.text + "\u0338"}
}

func (p *parser) alphabet(table string) node {
	text, ok := translate(table, p.text())
	if !ok {
		return p.fail()
	}
	return atom{ordinary, text}
}

func (p *parser) root() node {
	var index string
	if p.take("[") {
		var ok bool
		end := strings.IndexByte(p.rest, ']')
		if end < 0 {
			return p.fail()
		}
		index, ok = translate(raised, strings.TrimSpace(p.rest[:end]))
		if !ok {
			return p.fail()
		}
		p.rest = p.rest[end+1:]
	}
	return root{index, p.argument()}
}

// delimiter returns the bracket after \left or \right: "" for none.
func (p *parser) delimiter() string {
	token := p.next()
	switch {
	case token == ".":
		return ""
	case token != "" && strings.Contains("()[]|/", token):
		return token
	}
	if a, ok := symbol(strings.TrimPrefix(token, `\`)); ok && len(token) > 1 && strings.Contains("{}|‖⌊⌋⌈⌉⟨⟩", a.text) {
		return a.text
	}
	p.fail()
	return ""
}

// environment returns what is between \begin and \end.
func (p *parser) environment() node {
	name := p.text()
	form, ok := find(environments, strings.TrimSuffix(name, "*"))
	if !ok {
		return p.fail()
	}
	parts := strings.Split(form, ",")
	open, end, align := parts[0], parts[1], parts[2]
	if name == "array" {
		align = p.text()
	}
	if align == "" || strings.Trim(align, "lcr") != "" {
		return p.fail()
	}
	body := p.grid(align)
	if !p.take(`\end`) || p.text() != name {
		return p.fail()
	}
	if open+end == "" {
		return body
	}
	return fenced{open, end, body}
}
