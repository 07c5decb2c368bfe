package importing

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/aloudchat/aloud/mcpclient/others"
)

// inputs is what the values of one file ask for.
type inputs struct {
	known  map[string]others.Input
	given  map[string]answer // what was answered
	opened map[string]string // id → variable, of the server at hand
	ask    func(others.Input) (string, bool)
}

type answer struct {
	text string
	ok   bool
}

// answer asks once for each thing.
func (i *inputs) answer(in others.Input) answer {
	if a, asked := i.given[in.ID]; asked {
		return a
	}
	text, ok := i.ask(in)
	i.given[in.ID] = answer{text, ok}
	return i.given[in.ID]
}

// filled puts in what a person was asked for, and a variable of the server's own where nobody answered.
func (m *mover) filled(t others.Text) (out others.Text) {
	for _, p := range t {
		if p.Kind != others.Ask {
			out = append(out, p)
			continue
		}
		in, known := m.known[p.Text]
		a := answer{}
		if known {
			a = m.answer(in)
		}
		switch {
		case a.ok && in.Password:
			out = append(out, others.Var(m.hold(ofServer(others.VariableName(in.ID), m.server), m.server, a.text))...)
		case a.ok:
			out = append(out, others.Lit(a.text)...)
		default:
			out = append(out, m.left(p.Text, in))
		}
	}
	return out
}

// left is the variable of what stays to be answered.
func (m *mover) left(id string, in others.Input) others.Part {
	variable, again := m.opened[id]
	if !again {
		variable = m.open(others.VariableName(id), m.server)
		m.opened[id] = variable
		m.remarks = append(m.remarks, fmt.Sprintf("%s is asked for there (%q): set it yourself", variable, cmp.Or(in.Description, id)))
	}
	simple := in.Default != "" && !in.Password && !strings.ContainsAny(in.Default, "${}")
	fallback := ""
	if simple {
		fallback = in.Default
	}
	return others.Part{Kind: others.Variable, Text: variable, Default: fallback, HasDefault: simple}
}
