package importing

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"github.com/aloudchat/aloud/config"
	"github.com/aloudchat/aloud/mcpclient/others"
	"github.com/aloudchat/aloud/sanitize"
)

// Show says what was found, what would be written, what was left out and what is to be done. Secrets are shown only if the options say so.
func (p *Plan) Show(w io.Writer) {
	if len(p.found) == 0 {
		fmt.Fprintln(w, p.wrapped("No MCP servers of other programs were found. These are known: "+strings.Join(Programs(), ", ")+".", 0))
		fmt.Fprintln(w, p.wrapped("Name a file to read another one: aloud mcp import ./mcp.json", 0))
		return
	}
	for _, line := range p.found {
		fmt.Fprintln(w, p.wrapped(line, 0))
	}
	p.showServers(w)
	if p.notes != nil {
		fmt.Fprintln(w, "\nLeft out or changed:")
		for _, note := range p.notes {
			fmt.Fprintln(w, p.wrapped(note, 2))
		}
	}
	p.showVariables(w)
	for _, s := range p.servers {
		if told := Allowed(p.options.Config, s.entry.Name); told != "" {
			fmt.Fprintln(w, p.wrapped(told, 0))
		}
	}
}

// showServers shows the tables as they would be in the file, those that others may have written apart.
func (p *Plan) showServers(w io.Writer) {
	if len(p.servers) == 0 {
		fmt.Fprintln(w, "There is nothing to add.")
		return
	}
	show := func(title string, strange bool) {
		for _, s := range p.servers {
			if s.strange() == strange {
				fmt.Fprint(w, title+"\n"+sanitize.Text(s.entry.String()))
				title = ""
			}
		}
	}
	file := p.options.Place.Short(p.options.Config.Path)
	show("\n"+p.wrapped("To be added to "+file+":", 0)+"\n", false)
	show("\n"+p.wrapped("Of the project in this folder, which may come from others; each is asked for:", 0)+"\n", true)
}

// showVariables says which variables must be set, with their values only when that was asked for.
func (p *Plan) showVariables(w io.Writer) {
	var unset []string
	for name, servers := range p.variables.needed {
		used := slices.ContainsFunc(p.servers, func(s server) bool { return slices.Contains(servers, s.entry.Name) })
		if value, _ := p.options.Place.Env(name); used && value == "" {
			unset = append(unset, name)
		}
	}
	if unset == nil {
		return
	}
	slices.Sort(unset)
	fmt.Fprintln(w, "\n"+p.wrapped("Set these variables where you start aloud; secrets stay out of the file:", 0))
	var hidden []string // whose values stand in the files
	for _, name := range unset {
		value, known := p.variables.moved[name]
		shown := "…"
		if p.options.ShowSecrets && known && sanitize.Text(value) == value && !strings.Contains(value, "\n") {
			shown = quoted(p.options.Place.GOOS, value)
		}
		if known && shown == "…" {
			hidden = append(hidden, name)
		}
		fmt.Fprintf(w, "  %s  # %s\n", export(p.options.Place.GOOS, name, shown), strings.Join(p.variables.needed[name], ", "))
	}
	whose := "Their values"
	if len(hidden) < len(unset) {
		whose = "The values of " + strings.Join(hidden, ", ")
	}
	if hidden != nil && !p.options.ShowSecrets {
		fmt.Fprintln(w, p.wrapped(whose+" are in the files above; --show-secrets prints them.", 0))
	}
}

// Programs are the words by which the programs are known on a command line.
func Programs() (keys []string) {
	for _, p := range others.Programs() {
		keys = append(keys, p.Key)
	}
	return keys
}

// Allowed warns of calls that run without asking because a server of that name was there before, or because a pattern means all servers. It is
// "" when there are none.
func Allowed(cfg *config.Config, name string) string {
	var patterns []string
	for _, pattern := range cfg.Approval.Allow {
		if reaches(pattern, name+".") {
			patterns = append(patterns, fmt.Sprintf("%q", pattern))
		}
	}
	if patterns == nil {
		return ""
	}
	return fmt.Sprintf("Calls of %s that run without asking, by allow in [approval]: %s", sanitize.Line(name), strings.Join(patterns, ", "))
}

// reaches tells whether a pattern may match something that begins with these words. Behind the first star anything may follow.
func reaches(pattern, words string) bool {
	for pattern != "" && words != "" && pattern[0] != '*' {
		if pattern[0] == '\\' && len(pattern) > 1 {
			pattern = pattern[1:]
		} else if pattern[0] == '?' {
			pattern = words[:1] + pattern[1:]
		}
		if pattern[0] != words[0] {
			return false
		}
		pattern, words = pattern[1:], words[1:]
	}
	return pattern != ""
}

func export(goos, name, value string) string {
	if goos == "windows" {
		return "$env:" + name + " = " + value
	}
	return "export " + name + "=" + value
}

// quoted is a value that a shell takes as it is.
func quoted(goos, value string) string {
	if goos == "windows" {
		return "'" + strings.ReplaceAll(value, "'", "''") + "'"
	}
	return "'" + strings.ReplaceAll(value, "'", `'\''`) + "'"
}

// wrapped is a sentence that begins so far in. On a terminal it is broken between words, and goes on as far in again.
func (p *Plan) wrapped(s string, by int) string {
	const narrowest = 20
	if p.options.Width < narrowest {
		return strings.Repeat(" ", by) + s
	}
	lines := strings.Split(ansi.Wrap(s, p.options.Width-2*by, ""), "\n")
	return strings.Repeat(" ", by) + strings.Join(lines, "\n"+strings.Repeat(" ", 2*by))
}
