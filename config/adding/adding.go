// Package adding makes an entry of the configuration out of what a person writes about a server on a command line: its name, then an address or a
// command, and what the flags say of it. The command line is that of aloud mcp add, which the hints speak of.
//
// Every error of this package says what is wrong, and has a method Hint() string that tells what to write instead. What may be a secret is refused
// where it would stand in the file, and never repeated.
package adding

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/aloudchat/aloud/config"
	"github.com/aloudchat/aloud/config/importing"
	"github.com/aloudchat/aloud/secret"
)

// Line is a command line as it was written.
type Line struct {
	Words []string // the name, and an address or, behind --, a command
	Dash  int      // how many of the words stand before --; -1: there is none

	Env, EnvVars, Headers []string // NAME=VALUE, NAME, "Name: value"
	BearerEnv             string   // the name of the variable with the token
	Transport, Cwd        string
	Disabled, Trusted     bool
	Startup               *time.Duration // nil: the default
}

// Entry is what the line says. A path in it is made absolute, since aloud may be started anywhere later.
func (l Line) Entry() (config.Entry, error) {
	e := config.Entry{
		EnvVars: l.EnvVars, Cwd: l.Cwd, Transport: l.Transport, BearerEnv: l.BearerEnv,
		Disabled: l.Disabled, Trusted: l.Trusted,
	}
	if err := l.words(&e); err != nil {
		return e, discreet(err)
	}
	if e.Cwd != "" {
		e.Cwd = strings.TrimSuffix(fromHere(e.Cwd+"/"), "/")
	}
	if l.Startup != nil {
		e.Startup = *l.Startup
	}
	return e, l.values(&e)
}

// Hint tells how to write a command whose own flags were taken for those of aloud, as it happens without -- before it. before are the words before
// them. It is "" when they begin no command.
func Hint(before []string) string {
	if len(before) < 2 || isAddress(before[1]) {
		return ""
	}
	return secret.Mask("a command comes after --, write: aloud mcp add " + before[0] + " -- " + strings.Join(before[1:], " ") + " …")
}

// mistake is what is wrong with a line, and what to write instead.
type mistake struct{ text, hint string }

func (m mistake) Error() string { return m.text }

// Hint tells what to write instead.
func (m mistake) Hint() string { return m.hint }

// discreet takes what may be a secret out of words that are repeated.
func discreet(err error) error {
	if m, ok := errors.AsType[mistake](err); ok {
		return mistake{secret.Mask(m.text), secret.Mask(m.hint)}
	}
	return err
}

// words reads the name, and what it is the name of.
func (l Line) words(e *config.Entry) (err error) {
	if err := l.complete(); err != nil {
		return err
	}
	e.Name = l.Words[0]
	if valid := importing.ValidName(e.Name); valid != e.Name {
		return mistake{
			fmt.Sprintf("the server's name %q must be letters, digits, - and _, at most %d", e.Name, config.LongestName),
			"take for example: " + valid,
		}
	}
	if l.Dash == 1 {
		e.Command, e.Args, err = commandOf(e.Name, l.Words[1:])
	} else {
		e.URL, err = addressOf(e.Name, l.Words[1:], l.Dash)
	}
	return err
}

// complete says which word is missing.
func (l Line) complete() error {
	switch {
	case l.Dash == 0 && len(l.Words) > 0:
		program := filepath.Base(l.Words[0])
		name := importing.ValidName(strings.TrimSuffix(program, filepath.Ext(program)))
		return mistake{"the server has no name; it comes before --", "write: aloud mcp add " + name + " -- " + strings.Join(l.Words, " ")}
	case len(l.Words) == 1 && isAddress(l.Words[0]):
		return mistake{fmt.Sprintf("%q has no name", l.Words[0]), "write: aloud mcp add " + nameOfHost(l.Words[0]) + " " + l.Words[0]}
	case len(l.Words) < 2:
		written := strings.Join(append([]string{"aloud mcp add"}, l.Words...), " ")
		return mistake{fmt.Sprintf("%q is not complete", written), "write: aloud mcp add name [address] [-- command]"}
	}
	return nil
}
