package ui

import (
	"strings"

	tea "charm.land/bubbletea/v2"
)

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

func (c *completion) move(by int) { c.at = (c.at + by + len(c.fits)) % len(c.fits) }

// chosen is the text of the chosen command, ready for its argument.
func (c *completion) chosen() string {
	cmd := c.fits[c.at]
	if cmd.args != "" {
		return "/" + cmd.name + " "
	}
	return "/" + cmd.name
}

// usage is how the arguments of the command that is being typed are written, or "".
func (c *completion) usage() string {
	name, _, typed := strings.Cut(c.draft, " ")
	if name, slash := strings.CutPrefix(name, "/"); slash && typed {
		if cmd, _, ok := findCommand(strings.ToLower(name)); ok && cmd.args != "" {
			return "/" + cmd.name + " " + cmd.args
		}
	}
	return ""
}

// key takes the keys of the open list; draft is what the composer should hold then, and submit tells to send it.
func (c *completion) key(k tea.KeyPressMsg) (draft string, submit, known bool) {
	draft = c.draft
	switch k.String() {
	case "up":
		c.move(-1)
	case "down":
		c.move(1)
	case "esc":
		c.fits = nil // until the draft changes
	case "tab":
		draft = c.chosen()
	case "enter":
		return c.chosen(), true, true
	default:
		return "", false, false
	}
	return draft, false, true
}

// roomy is from which width on the list tells arguments, too.
const roomy = 60

// view draws at most height rows around the chosen one.
func (c *completion) view(width, height int, st *look) []string {
	list := picker{fixed: true, at: c.at}
	for _, cmd := range c.fits {
		label := "/" + cmd.name
		if cmd.args != "" && width >= roomy {
			label += " " + cmd.args
		}
		list.rows = append(list.rows, row{label: label, detail: cmd.help})
	}
	return list.list(width, height, st)
}
