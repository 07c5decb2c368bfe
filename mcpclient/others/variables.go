package others

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// scope is what the values of one file mean.
type scope struct {
	place   Place
	dollar  bool   // $NAME is a variable, too
	percent bool   // and so is %NAME%
	shell   bool   // $(command) would be run by the program that the file is of
	lenient bool   // a variable that is not set is empty for the program that the file is of
	project string // the folder that a project file is in; "" for a person's own file
}

// reader takes the values of one server apart and collects what there is to say of them.
type reader struct {
	scope
	server  string
	remarks []string
}

func (r *reader) remark(format string, args ...any) {
	s := fmt.Sprintf(format, args...)
	if !slices.Contains(r.remarks, s) {
		r.remarks = append(r.remarks, s)
	}
}

// text takes a value apart. what names it in remarks, and in the variable that stands for what a command would have said.
func (r *reader) text(what, s string) Text {
	if r.percent {
		s = percents.ReplaceAllString(s, "$${$1}")
	}
	if r.shell && runs(s) {
		before, after := aroundCommand(s)
		name := VariableName(r.server + " " + what)
		r.remark("%s is what a command would say, which is not run: set %s yourself", what, name)
		return append(append(r.words(nil, before), Var(name)...), r.words(nil, after)...)
	}
	return r.words(nil, s)
}

// percents are variables as Windows writes them.
var percents = regexp.MustCompile(`%([A-Za-z_][A-Za-z0-9_]*)%`)

// words takes apart what no command says, and puts it behind a text.
func (r *reader) words(t Text, s string) Text {
	done := 0 // how much of s is in the text
	for i := strings.IndexByte(s, '$'); i >= 0; i = after(s, '$', max(i+1, done)) {
		inside, rest, ok := braces(s[i:])
		_, escaped, twice := braces(s[i+1:])
		switch n := variableLength(s[i+1:]); {
		case ok:
			t = r.placeholder(t.literal(s[done:i]), inside)
			done = len(s) - len(rest)
		case twice: // $${ stands for ${ itself
			t = t.literal(s[done:i]).literal(s[i+1 : len(s)-len(escaped)])
			done = len(s) - len(escaped)
		case r.dollar && n > 0:
			t = append(t.literal(s[done:i]), Part{Kind: Variable, Text: s[i+1 : i+1+n]})
			done = i + 1 + n
		}
	}
	return t.literal(s[done:])
}

// after is where a character stands next, from a place on; -1: nowhere.
func after(s string, c byte, from int) int {
	if n := strings.IndexByte(s[from:], c); n >= 0 {
		return from + n
	}
	return -1
}

// aroundCommand is what stands before and after the only command of a value; nothing, when there is more than one or it does not end.
func aroundCommand(s string) (before, after string) {
	start := strings.IndexAny(s, "$`")
	for start >= 0 && !runs(s[start:min(start+2, len(s))]) {
		next := strings.IndexAny(s[start+1:], "$`")
		if next < 0 {
			return "", ""
		}
		start += 1 + next
	}
	end, deep := -1, 0
	for i := start + 1; i < len(s) && end < 0; i++ {
		switch {
		case s[start] == '`' && s[i] == '`':
			end = i + 1
		case s[start] == '$' && s[i] == '(':
			deep++
		case s[start] == '$' && s[i] == ')':
			if deep--; deep == 0 {
				end = i + 1
			}
		}
	}
	if end < 0 || runs(s[end:]) {
		return "", ""
	}
	return s[:start], s[end:]
}

// literal puts characters behind the text.
func (t Text) literal(s string) Text {
	switch {
	case s == "":
		return t
	case len(t) > 0 && t[len(t)-1].Kind == Literal:
		t[len(t)-1].Text += s
		return t
	}
	return append(t, Part{Kind: Literal, Text: s})
}

// runs tells whether a shell would run a command to find the value out.
func runs(s string) bool { return strings.Contains(s, "$(") || strings.Contains(s, "`") }

// braces parts "${inside}rest", also when there are braces inside.
func braces(s string) (inside, rest string, ok bool) {
	if !strings.HasPrefix(s, "${") {
		return "", "", false
	}
	const longest = 256
	deep := 0
	for i := 1; i < min(len(s), longest); i++ {
		switch s[i] {
		case '{':
			deep++
		case '}':
			deep--
			if deep == 0 {
				return s[2:i], s[i+1:], true
			}
		}
	}
	return "", "", false
}

func variableLength(s string) int {
	n := 0
	for n < len(s) && (IsVariable(s[n:n+1]) || n > 0 && s[n] >= '0' && s[n] <= '9') {
		n++
	}
	return n
}

// placeholder puts what ${inside} stands for behind the text. One that is not known becomes a variable of the server's own, which a person can set:
// one that others use may be set to something that is not for this server.
func (r *reader) placeholder(t Text, inside string) Text {
	switch inside {
	case "workspaceFolder", "workspaceRoot":
		if r.project == "" {
			r.remark("${%s} became \".\", the folder that aloud is started in", inside)
			return t.literal(".")
		}
		return t.literal(r.project)
	case "workspaceFolderBasename":
		if r.project != "" {
			return t.literal(base(r.project))
		}
	case "userHome":
		if r.place.Home != "" {
			return t.literal(r.place.Home)
		}
	case "pathSeparator", "/":
		if r.place.GOOS == "windows" {
			return t.literal(`\`)
		}
		return t.literal("/")
	}
	if id, ok := strings.CutPrefix(inside, "input:"); ok && id != "" {
		return append(t, Part{Kind: Ask, Text: id})
	}
	if p, ok := r.variable(inside); ok {
		r.noteUnset(p)
		return append(t, p)
	}
	name := VariableName(r.server + " " + cmp.Or(inside, "value"))
	r.remark("what ${%s} stands for is not known here: set %s yourself", inside, name)
	return append(t, Part{Kind: Variable, Text: name})
}

// noteUnset remarks that a variable was as good as empty. Here the server waits for it: a key that is missing is told better by us than by a server
// that gets an empty one.
func (r *reader) noteUnset(p Part) {
	if !r.lenient || p.HasDefault {
		return
	}
	if _, set := r.place.Env(p.Text); !set {
		r.remark("%s is not set, which counts as empty there and not here: write ${%s:-} if it may be", p.Text, p.Text)
	}
}

// variable reads NAME, env:NAME and env://NAME, with a default in any of the ways that shells know.
func (r *reader) variable(inside string) (p Part, ok bool) {
	for _, prefix := range []string{"env://", "env:"} {
		if rest, cut := strings.CutPrefix(inside, prefix); cut {
			inside = rest
			break
		}
	}
	n := variableLength(inside)
	p, rest := Part{Kind: Variable, Text: inside[:n]}, inside[n:]
	if n == 0 || slices.Contains([]string{"workspaceFolderBasename", "userHome"}, inside) {
		return p, false
	}
	for _, sign := range []string{":-", ":=", "-", "="} {
		if fallback, cut := strings.CutPrefix(rest, sign); cut {
			p.Default, p.HasDefault, rest = fallback, true, ""
			break
		}
	}
	if strings.HasPrefix(rest, ":?") || strings.HasPrefix(rest, "?") { // what to say when it is not set: aloud says it in its own words
		rest = ""
	}
	if strings.ContainsAny(p.Default, "${}") {
		r.remark("the default of %s is left out: it names another variable", p.Text)
		p.Default, p.HasDefault = "", false
	}
	return p, rest == ""
}

// base is the last part of a path of any system.
func base(path string) string {
	path = strings.TrimRight(path, `/\`)
	return path[strings.LastIndexAny(path, `/\`)+1:]
}
