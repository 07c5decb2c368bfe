package main

import (
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/aloudchat/aloud/config"
	"github.com/aloudchat/aloud/mcpclient/others"
)

// longestName is what the name of a server may have.
const longestName = 32

// validName makes a name for a server of what another program calls it.
func validName(name string) string {
	var b strings.Builder
	for _, r := range name {
		letter := r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '_'
		switch {
		case b.Len() >= longestName:
		case letter:
			b.WriteRune(r)
		case b.Len() > 0 && !strings.HasSuffix(b.String(), "-"):
			b.WriteByte('-')
		}
	}
	if valid := strings.TrimRight(b.String(), "-"); valid != "" {
		return valid
	}
	return "server"
}

// freeName is a valid name that no server has yet, with a number if it must be.
func (i *importing) freeName(wanted string) string {
	name := validName(wanted)
	for n := 2; i.isTaken(name); n++ {
		number := fmt.Sprintf("-%d", n)
		base := validName(wanted)
		name = base[:min(len(base), longestName-len(number))] + number
	}
	return name
}

func (i *importing) isTaken(name string) bool {
	return slices.ContainsFunc(i.cfg.Servers, func(s config.Server) bool { return s.Name == name }) ||
		slices.ContainsFunc(i.entries, func(e config.Entry) bool { return e.Name == name })
}

// isThere tells whether a server that does the same is configured already, or was taken from another program.
func (i *importing) isThere(s others.Server) bool {
	return slices.ContainsFunc(i.taken, func(old others.Server) bool {
		return sameServer(s, resolved(old.Command), resolvedAll(old.Args), resolved(old.URL))
	}) || slices.ContainsFunc(i.cfg.Servers, func(old config.Server) bool {
		return sameServer(s, old.Command, old.Args, old.URL)
	})
}

// sameServer tells whether a server is what is configured with these words.
func sameServer(s others.Server, command string, args []string, url string) bool {
	return sameWord(resolved(s.Command), command) && slices.EqualFunc(resolvedAll(s.Args), args, sameWord) &&
		sameWord(strings.TrimRight(resolved(s.URL), "/"), strings.TrimRight(url, "/"))
}

// sameWord knows a word again in which a secret has become a variable that is not set.
func sameWord(theirs, ours string) bool {
	before, _, waits := strings.Cut(ours, "${")
	return theirs == ours || waits && strings.HasPrefix(theirs, before)
}

func resolvedAll(texts []others.Text) (words []string) {
	for _, t := range texts {
		words = append(words, resolved(t))
	}
	return words
}

// resolved puts variables into a text, as the configuration will.
func resolved(t others.Text) string {
	var b strings.Builder
	for _, p := range t {
		value, set := os.LookupEnv(p.Text)
		switch {
		case p.Kind == others.Literal:
			b.WriteString(p.Text)
		case p.Kind == others.Variable && p.HasDefault && value == "":
			b.WriteString(p.Default)
		case p.Kind == others.Variable && set:
			b.WriteString(value)
		default:
			return t.String() // so the configuration has it, too, while it waits for the variable
		}
	}
	return b.String()
}

// tellAllowed warns of calls that run without asking because a server of that name was there before.
func tellAllowed(out io.Writer, cfg *config.Config, name string) {
	var allowed []string
	for _, pattern := range cfg.Approval.Allow {
		if strings.HasPrefix(pattern, name+".") {
			allowed = append(allowed, fmt.Sprintf("%q", pattern))
		}
	}
	if allowed != nil {
		fmt.Fprintf(out, "Calls of %s that run without asking, by allow in [approval]: %s\n", name, strings.Join(allowed, ", "))
	}
}

// completeServers offers the names of the configured servers for the first word.
func completeServers(f *flags) cobra.CompletionFunc {
	return func(cmd *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
		cfg, err := loadConfig(cmd, *f)
		if err != nil || len(args) > 0 {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		var names []string
		for _, s := range cfg.Servers {
			names = append(names, s.Name)
		}
		return names, cobra.ShellCompDirectiveNoFileComp
	}
}
