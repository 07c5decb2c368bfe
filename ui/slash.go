package ui

import (
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"
)

// command is one slash command.
type command struct {
	name string
	args string // how its arguments are shown, or ""
	help string
	// between: it changes what turns have in common, so it waits for the running one.
	between bool
	run     func(m *model, arg string) tea.Cmd
}

// commands is the one table of slash commands, in the order of /help.
func commands() []command {
	return []command{
		{"help", "", "keys and commands", false, showHelp},
		{"model", "[name]", "choose the model", true, chooseModel},
		{"tools", "", "see the tools, switch them on and off", false, showTools},
		{"servers", "", "see the servers, and why one failed", false, showServers},
		{"retry", "", "ask the last question again", true, retry},
		{"continue", "", "go on after a stop", true, goOn},
		{"clear", "", "begin a new conversation", true, clearAll},
		{"copy", "[all]", "copy the last answer, or everything", false, copyCommand},
		{"think", "auto|on|off", "let the model think before it answers", true, setThink},
		{"system", "[text|-]", "show, set or remove your instructions to the model", true, setSystem},
		{"status", "sentence|name", "how running tools are told", true, setStatus},
		{"quit", "", "leave", false, func(*model, string) tea.Cmd { return tea.Quit }},
	}
}

// parseCommand takes "/name argument" apart. ok is false for what is no command: a path such as /etc/hosts, or several lines that begin so.
func parseCommand(text string) (name, arg string, ok bool) {
	rest, ok := strings.CutPrefix(text, "/")
	if !ok {
		return "", "", false
	}
	name, arg, _ = strings.Cut(rest, " ")
	if name == "" || strings.ContainsAny(name, "/\n\t") {
		return "", "", false
	}
	return strings.ToLower(name), strings.TrimSpace(arg), true
}

// findCommand returns the command of that name, or the name that comes nearest.
func findCommand(name string) (c command, nearest string, ok bool) {
	all := commands()
	if i := slices.IndexFunc(all, func(c command) bool { return c.name == name }); i >= 0 {
		return all[i], "", true
	}
	best := 1 << 30
	for _, c := range all {
		d := distance(name, c.name)
		if strings.HasPrefix(c.name, name) {
			d = 0
		}
		if d < best {
			best, nearest = d, c.name
		}
	}
	return command{}, nearest, false
}

// distance counts the letters that have to be inserted, removed or replaced to make b of a.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := 1
			if a[i] == b[j] {
				cost = 0
			}
			diagonal, row[j+1] = row[j+1], min(row[j]+1, row[j+1]+1, diagonal+cost)
		}
	}
	return row[len(b)]
}

// completion is the list of commands that fit what is being typed.
type completion struct {
	fits  []command
	at    int
	draft string // what fits was made for
}

// follow brings the list up to date with the draft.
func (c *completion) follow(draft string) {
	if draft == c.draft {
		return
	}
	*c = completion{draft: draft}
	typed, ok := strings.CutPrefix(draft, "/")
	if !ok || strings.ContainsAny(typed, " \n") {
		return
	}
	for _, cmd := range commands() {
		if strings.HasPrefix(cmd.name, strings.ToLower(typed)) {
			c.fits = append(c.fits, cmd)
		}
	}
}

func (c *completion) open() bool { return len(c.fits) > 0 }

// hide closes the list until the draft changes.
func (c *completion) hide() { c.fits = nil }

func (c *completion) move(by int) { c.at = (c.at + by + len(c.fits)) % len(c.fits) }

// chosen is the text of the chosen command, ready for its argument.
func (c *completion) chosen() string {
	cmd := c.fits[c.at]
	if cmd.args != "" {
		return "/" + cmd.name + " "
	}
	return "/" + cmd.name
}

// view draws at most height rows around the chosen one.
func (c *completion) view(width, height int, st *look) []string {
	list := picker{fixed: true, at: c.at}
	for _, cmd := range c.fits {
		label := "/" + cmd.name
		if cmd.args != "" {
			label += " " + cmd.args
		}
		list.rows = append(list.rows, row{label: label, detail: cmd.help})
	}
	return list.list(width, height, st)
}
