package importing

import (
	"fmt"
	"slices"
	"strings"

	"github.com/aloudchat/aloud/config"
	"github.com/aloudchat/aloud/mcpclient/others"
)

// variables finds names for the variables that secrets move into. A name means one value: what is set for one server must not reach another.
type variables struct {
	env     func(string) (string, bool)
	foreign map[string]bool     // names that somebody else put something into: other programs, and the configuration as it is
	moved   map[string]string   // variable → the value it must have
	held    map[string]string   // that value → the variable
	needed  map[string][]string // variable → the servers that need it, also if it was there before
}

func newVariables(cfg *config.Config, env func(string) (string, bool), sources []others.Source) variables {
	v := variables{env: env, foreign: map[string]bool{}, moved: map[string]string{}, held: map[string]string{}, needed: map[string][]string{}}
	for _, name := range cfg.Variables() {
		v.foreign[name] = true
	}
	for _, s := range sources {
		for _, theirs := range s.Servers {
			for _, name := range theirs.Variables() {
				v.foreign[name] = true
			}
		}
	}
	return v
}

// hold finds a name for a value: the one that is wanted, unless that has another value, here, for another server or in the environment.
func (v *variables) hold(wanted, server, value string) string {
	if name, ok := v.held[value]; ok {
		return name
	}
	name := free(wanted, server, func(name string) bool {
		if before, ok := v.moved[name]; ok {
			return before != value
		}
		if before, _ := v.env(name); before != "" {
			return before != value
		}
		return v.foreign[name]
	})
	v.moved[name], v.held[value] = value, name
	return name
}

// open finds a name for a value that a person has to set: one that is the server's own and has no value yet.
func (v *variables) open(wanted, server string) string {
	name := free(ofServer(wanted, server), server, func(name string) bool {
		_, moved := v.moved[name]
		set, _ := v.env(name)
		return moved || set != "" || v.foreign[name]
	})
	v.foreign[name] = true
	return name
}

// need notes that a server needs a variable.
func (v *variables) need(variable, server string) {
	if !slices.Contains(v.needed[variable], server) {
		v.needed[variable] = append(v.needed[variable], server)
	}
}

// free is the wanted name, one with the server's own in front, or that with a number, whichever is not taken.
func free(wanted, server string, taken func(string) bool) string {
	if !others.IsVariable(wanted) {
		wanted = others.VariableName(wanted)
	}
	own := ofServer(wanted, server)
	name := wanted
	if taken(name) {
		name = own
	}
	for n := 2; taken(name); n++ {
		name = fmt.Sprintf("%s_%d", own, n)
	}
	return name
}

// ofServer is the name of a variable that begins with the server's.
func ofServer(name, server string) string {
	if strings.HasPrefix(name, others.VariableName(server)+"_") {
		return name
	}
	return others.VariableName(server + " " + name)
}
