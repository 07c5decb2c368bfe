// Package importing plans how servers of other programs come into aloud's configuration: which of them are new, what they are called here, which
// of their values are secret and become variables, and what only a person can answer. A plan can be shown, and then be written.
//
// Making a plan starts no server, runs no command and writes nothing.
package importing

import (
	"fmt"
	"slices"
	"strings"

	"github.com/aloudchat/aloud/config"
	"github.com/aloudchat/aloud/mcpclient/others"
	"github.com/aloudchat/aloud/sanitize"
	"github.com/aloudchat/aloud/secret"
)

// Options say what a plan is made with.
type Options struct {
	Config *config.Config // what is configured already
	Place  others.Place   // where the files were found; its Env has the variables that are set

	// Ask asks a person for what the values of a file need, each thing once and only if a new server needs it, and only for the person's own files
	// and those that somebody named. ok is false when it stays open. nil: nobody can be asked.
	Ask func(file string, in others.Input) (answer string, ok bool)

	ShowSecrets bool // show the values that were moved out; only then a person is asked for secrets, as there is no other place for them
	OwnOnly     bool // leave the files of the current project out that nobody named: others may have written them
	Width       int  // in which sentences are broken; 0: they are not
}

// Plan is what is to be written, and what there is to say of it.
type Plan struct {
	options   Options
	variables variables
	servers   []server
	known     []words  // those, and what was there already
	found     []string // a line for each file
	notes     []string // what was left out or changed
}

// server is one that is to be written.
type server struct {
	entry  config.Entry
	theirs others.Server // what it was made of
	file   others.Source
}

// strange tells that others may have written what the server does, and nobody named the file.
func (s server) strange() bool { return strange(s.file) }

func strange(s others.Source) bool { return s.Project != "" && !s.Named }

// Make plans to take over what is new in the sources, in their order.
func Make(sources []others.Source, o Options) *Plan {
	p := &Plan{options: o, variables: newVariables(o.Config, o.Place.Env, sources)}
	for _, s := range sources {
		p.take(s)
	}
	return p
}

// Own is how many servers are to be written that are the person's own, or of files that somebody named.
func (p *Plan) Own() (n int) {
	for _, s := range p.servers {
		if !s.strange() {
			n++
		}
	}
	return n
}

// Strange are the names of those of the current project, whose files others may have written. Each is for a person to decide.
func (p *Plan) Strange() (names []string) {
	for _, s := range p.servers {
		if s.strange() {
			names = append(names, s.entry.Name)
		}
	}
	return names
}

// Drop takes a server out of the plan.
func (p *Plan) Drop(name string) {
	p.servers = slices.DeleteFunc(p.servers, func(s server) bool { return s.entry.Name == name })
}

// DropOwn leaves those that Strange names.
func (p *Plan) DropOwn() {
	p.servers = slices.DeleteFunc(p.servers, func(s server) bool { return !s.strange() })
}

// Write adds the servers of the plan to the configuration file, and returns how many they are.
func (p *Plan) Write() (int, error) {
	var entries []config.Entry
	for _, s := range p.servers {
		entries = append(entries, s.entry)
	}
	if entries == nil {
		return 0, nil
	}
	return len(entries), config.AddServers(p.options.Config.Path, p.options.Place.Env, entries...)
}

// take plans for the servers of a file that are not there yet.
func (p *Plan) take(s others.Source) {
	short := p.options.Place.Short(s.File)
	line := sanitize.Line(s.Program) + ", " + short + ": "
	if s.Err != nil {
		p.found = append(p.found, line+"left out")
		p.notes = append(p.notes, short+strings.TrimPrefix(sanitize.Line(s.Err.Error()), fmt.Sprintf("%q", s.File)))
		return
	}
	if len(s.Servers)+len(s.Left) == 0 {
		return
	}
	m := &mover{variables: &p.variables, strange: strange(s), inputs: p.inputs(s)}
	var there []string
	held := 0 // back, because others may have written them
	for _, theirs := range s.Servers {
		switch {
		case p.isThere(theirs):
			there = append(there, sanitize.Line(theirs.Name))
		case p.options.OwnOnly && strange(s):
			held++
		default:
			p.add(m, theirs, s)
		}
	}
	line += count(len(s.Servers) + len(s.Left))
	if there != nil {
		line += ", there already: " + strings.Join(there, ", ")
	}
	p.found = append(p.found, line)
	if held > 0 {
		p.notes = append(p.notes, fmt.Sprintf("%s is of the project here, and others may have written it. Name it to take it over: aloud mcp import %s", short, short))
		return
	}
	for _, left := range s.Left {
		p.notes = append(p.notes, fmt.Sprintf("%s is left out: %s", sanitize.Line(left.Name), sanitize.Line(left.Why)))
	}
}

// add plans for one server.
func (p *Plan) add(m *mover, theirs others.Server, from others.Source) {
	name := p.freeName(theirs.Name)
	entry := m.entry(theirs, name, p.whence(from))
	if err := entry.Check(p.options.Place.Env); err != nil {
		p.notes = append(p.notes, fmt.Sprintf("%s is left out: %s", sanitize.Line(theirs.Name), sanitize.Line(err.Error())))
		return
	}
	p.servers = append(p.servers, server{entry, theirs, from})
	p.known = append(p.known, p.wordsOf(theirs))
	switch {
	case name == theirs.Name:
	case ValidName(theirs.Name) == theirs.Name:
		p.notes = append(p.notes, fmt.Sprintf("%s: it is called %q there, which another server is called here", name, theirs.Name))
	default:
		p.notes = append(p.notes, fmt.Sprintf("%s: it is called %q there", name, sanitize.Line(theirs.Name)))
	}
	for _, remark := range m.remarks {
		p.notes = append(p.notes, name+": "+sanitize.Line(remark))
	}
	if secrets := p.given(theirs); (from.Project != "" || from.Named) && secrets != nil {
		p.notes = append(p.notes, fmt.Sprintf("%s is given what you have in %s: look whether it should", name, strings.Join(secrets, ", ")))
	}
}

// given are the variables with secrets that are set and that a server gets. Whoever wrote it chose them.
func (p *Plan) given(s others.Server) (names []string) {
	for _, name := range s.Variables() {
		if value, set := p.options.Place.Env(name); set && secret.MayBe(name, value) && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// whence is where a server comes from, for the comment in the file. That it is of a project, which others may have written, stays to be seen.
func (p *Plan) whence(s others.Source) string {
	if s.Project != "" {
		return s.Program + " in " + p.options.Place.FromHome(s.Project)
	}
	return s.Program
}

// inputs prepares what the values of a file ask for.
func (p *Plan) inputs(s others.Source) inputs {
	all := inputs{known: map[string]others.Input{}, given: map[string]answer{}}
	file := sanitize.Line(s.Program) + ", " + p.options.Place.Short(s.File)
	for _, in := range s.Inputs {
		all.known[in.ID] = in
	}
	all.ask = func(in others.Input) (string, bool) {
		if p.options.Ask == nil || in.Unknown || in.Password && !p.options.ShowSecrets || strange(s) {
			return "", false // nobody answers a stranger before it is known what for
		}
		return p.options.Ask(file, in)
	}
	return all
}

func count(n int) string {
	if n == 1 {
		return "1 server"
	}
	return fmt.Sprintf("%d servers", n)
}
