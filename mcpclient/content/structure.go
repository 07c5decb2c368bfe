package content

import (
	"encoding/json"
	"fmt"
	"math/big"
	"slices"
	"strings"

	"github.com/aloudchat/aloud/sanitize"
	"github.com/aloudchat/aloud/schema"
	"github.com/aloudchat/aloud/secret"
	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"
	"golang.org/x/text/language"
	"golang.org/x/text/message"
)

// What of structured content is looked at, and told.
const (
	largestChecked = 1 << 20 // bytes
	lookedFaults   = 200
	toldFaults     = 3
	longestFault   = 120 // bytes, and as many of the place
	toldNames      = 20  // of properties that are too many; fewer of them fit
)

// fit holds structured content against the schema that its tool announced. odd says in a few safe words what does not fit, with the place of each as a
// JSON pointer, and without the secrets; "" when all does. It is not known where there is no schema, or one that nobody understands, and where all of it would take too long.
func fit(content, announced json.RawMessage, secrets secret.Hider) (odd string, known bool) {
	if len(content) > largestChecked {
		return "", false
	}
	compiled := schema.CompileSmall(announced)
	value, ok := schema.Decode(content)
	if compiled == nil || !ok {
		return "", false
	}
	compiled.Begin()
	err := compiled.Validate(compiled.Root, value)
	switch {
	case err == nil:
		return "", true
	case !schema.Understood(err):
		return "", false
	}
	all := schema.Faults(err)
	var said []string
	for _, f := range all[:min(len(all), lookedFaults)] {
		said = append(said, misfit(f, secrets))
	}
	slices.Sort(said)
	said = slices.Compact(said)
	if more := max(len(said)-toldFaults, 0) + max(len(all)-lookedFaults, 0); more > 0 {
		said = append(said[:min(len(said), toldFaults)], fmt.Sprintf("and %d more", more))
	}
	return strings.Join(said, "; "), true
}

// misfit says of one place what does not fit there: `/days/0/low: got string, want number`. What is wrong with the whole has no place. Names come from
// outside, and are cut only when there are no secrets in them any more.
func misfit(f schema.Fault, secrets secret.Hider) string {
	words := sanitize.Clip(secrets.Beginning(reason(f.What, secrets), longestFault), longestFault)
	if len(f.Where) == 0 {
		return sanitize.Line(words)
	}
	const between = "\x00"
	escape := strings.NewReplacer("~", "~0", "/", "~1", between, "/")
	place := escape.Replace(between + secrets.Beginning(strings.Join(f.Where, between), longestFault))
	return sanitize.Line(sanitize.Clip(place, longestFault) + ": " + words)
}

// reason says what is wrong in the words of the library, save that the value stays unsaid, which may be secret in any form.
func reason(what jsonschema.ErrorKind, secrets secret.Hider) string {
	switch what := what.(type) {
	case *kind.Pattern:
		return "does not match pattern '" + what.Want + "'"
	case *kind.Format:
		return "is not valid " + what.Want
	case *kind.Minimum:
		return "must be at least " + number(what.Want)
	case *kind.Maximum:
		return "must be at most " + number(what.Want)
	case *kind.ExclusiveMinimum:
		return "must be more than " + number(what.Want)
	case *kind.ExclusiveMaximum:
		return "must be less than " + number(what.Want)
	case *kind.MultipleOf:
		return "must be a multiple of " + number(what.Want)
	case *kind.PropertyNames:
		return "has a property whose name is not allowed"
	case *kind.AdditionalProperties:
		names := slices.Sorted(slices.Values(what.Properties))
		return inWords(&kind.AdditionalProperties{Properties: secrets.Texts(names[:min(len(names), toldNames)])})
	}
	return inWords(what)
}

func inWords(what jsonschema.ErrorKind) string {
	return what.LocalizedString(message.NewPrinter(language.English))
}

func number(n *big.Rat) string {
	f, _ := n.Float64()
	return fmt.Sprint(f)
}
