package ui

import (
	"fmt"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/aloudchat/aloud/provider/attach"
	"github.com/aloudchat/aloud/spelling"
	"github.com/aloudchat/aloud/ui/composer"
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
		{"help", "", "keys and commands", false, func(m *model, _ string) tea.Cmd { return m.panels.help() }},
		{"model", "[name]", "choose the model", true, func(m *model, name string) tea.Cmd { return m.choice.named(m.ctx, name) }},
		{"tools", "", "see the tools, try them, switch them on and off", false, func(m *model, _ string) tea.Cmd { return m.panels.tools() }},
		{"servers", "", "see the servers, restart one, switch it off or log in", false, func(m *model, _ string) tea.Cmd { return m.panels.servers() }},
		{"roots", "[folder]", "list the folders that servers are told of; add or remove one", false, func(m *model, folder string) tea.Cmd { return m.panels.roots(folder) }},
		{"retry", "", "ask the last question again", true, retry},
		{"continue", "", "go on after a stop", true, goOn},
		{"clear", "", "begin a new conversation", true, clearAll},
		{"compact", "[undo]", "summarise older messages, to make room", true, compact},
		{"copy", "[all]", "copy the last answer, or everything", false, copyCommand},
		{"think", "auto|on|off", "let the model think before it answers", true, func(m *model, arg string) tea.Cmd { return m.talk.setThink(arg) }},
		{"system", "[text|-]", "show, set or remove your instructions to the model", true, func(m *model, arg string) tea.Cmd { return m.talk.setSystem(arg) }},
		{"status", "sentence|name", "how running tools are told", true, func(m *model, arg string) tea.Cmd { return m.talk.setStyle(arg) }},
		{"stats", "", "what the turns so far took, by model and tool", false, func(m *model, _ string) tea.Cmd { return m.panels.stats() }},
		{"quit", "", "leave", false, func(*model, string) tea.Cmd { return tea.Quit }},
	}
}

// offered is the table as the composer knows it.
func offered() []composer.Command {
	var all []composer.Command
	for _, c := range commands() {
		all = append(all, composer.Command{Name: c.name, Args: c.args, Help: c.help})
	}
	return all
}

// parseCommand takes "/name argument" apart. ok is false for what is no command: a path such as /etc/hosts, or several lines that begin so.
func parseCommand(in attach.Input) (name, arg string, ok bool) {
	if !in.Begins("/") {
		return "", "", false
	}
	name, arg, _ = strings.Cut(in.Text[1:], " ")
	if name == "" || strings.ContainsAny(name, "/\n\t") {
		return "", "", false
	}
	return strings.ToLower(name), strings.TrimSpace(arg), true
}

// noCommand says that there is no command of that name, and what was probably meant.
func noCommand(name, nearest string) string {
	if nearest == "" {
		return fmt.Sprintf("There is no /%s: / lists them all", name)
	}
	return fmt.Sprintf("There is no /%s: try /%s", name, nearest)
}

// findCommand returns the command of that name, or the name that was probably meant, if there is one.
func findCommand(name string) (c command, nearest string, ok bool) {
	all := commands()
	if i := slices.IndexFunc(all, func(c command) bool { return c.name == name }); i >= 0 {
		return all[i], "", true
	}
	best := 3 // with so many wrong letters it is another word
	for _, c := range all {
		d := spelling.Distance(name, c.name)
		if strings.HasPrefix(c.name, name) {
			d = 0
		}
		if d < best {
			best, nearest = d, c.name
		}
	}
	return command{}, nearest, false
}
