package importing

import (
	"regexp"

	"github.com/aloudchat/aloud/config"
	"github.com/aloudchat/aloud/mcpclient/others"
)

// What a person writes on a command line is held to the same rules as what is taken over. In all of it ${NAME} is a variable.

// SecretArguments tells whether a command line has secrets in it, which should rather be in variables.
func SecretArguments(args []string) bool {
	var texts []others.Text
	for _, arg := range args {
		texts = append(texts, written(arg))
	}
	return moves(func(m *mover) { m.arguments(texts) })
}

// SecretValue tells the same of a value. called is what it is called, "" when nothing is known.
func SecretValue(called, value string) bool {
	return moves(func(m *mover) { m.value(written(value), called, "value") })
}

// SecretHeader tells the same of the value of a header.
func SecretHeader(header, value string) bool {
	return moves(func(m *mover) { m.header(written(value), header) })
}

// moves tells whether anything would be moved out.
func moves(look func(*mover)) bool {
	nothing := func(string) (string, bool) { return "", false }
	v := newVariables(&config.Config{}, nothing, nil)
	look(&mover{variables: &v, server: "server"})
	return len(v.moved) > 0
}

// aVariable is one as the configuration has it, or what stands for the characters themselves.
var aVariable = regexp.MustCompile(`\$?\$\{(\w+)(:-([^}]*))?\}`)

// written takes a text apart as the configuration will.
func written(text string) (t others.Text) {
	done := 0
	for _, at := range aVariable.FindAllStringSubmatchIndex(text, -1) {
		t = append(t, others.Lit(text[done:at[0]])...)
		done = at[1]
		if text[at[0]:at[0]+2] == "$$" {
			t = append(t, others.Lit(text[at[0]+1:at[1]])...)
			continue
		}
		p := others.Part{Kind: others.Variable, Text: text[at[2]:at[3]], HasDefault: at[4] >= 0}
		if p.HasDefault {
			p.Default = text[at[6]:at[7]]
		}
		t = append(t, p)
	}
	return append(t, others.Lit(text[done:])...)
}
