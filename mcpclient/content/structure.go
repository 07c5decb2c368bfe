package content

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/aloudchat/aloud/sanitize"
	"github.com/aloudchat/aloud/schema"
	"golang.org/x/text/language"
	"golang.org/x/text/message"
)

// What of structured content is looked at, and told.
const (
	largestChecked = 1 << 20 // bytes
	lookedFaults   = 200
	toldFaults     = 3
	longestFault   = 120 // bytes, and as many of the place
)

// fit holds structured content against the schema that its tool announced. odd says in a few safe words what does not fit, with the place of each as a
// JSON pointer; "" when all does. It is not known where there is no schema, or one that nobody understands, and where all of it would take too long.
func fit(content, announced json.RawMessage) (odd string, known bool) {
	if len(content) > largestChecked {
		return "", false
	}
	compiled := schema.Compile(announced)
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
		said = append(said, misfit(f))
	}
	slices.Sort(said)
	said = slices.Compact(said)
	if more := max(len(said)-toldFaults, 0) + max(len(all)-lookedFaults, 0); more > 0 {
		said = append(said[:min(len(said), toldFaults)], fmt.Sprintf("and %d more", more))
	}
	return strings.Join(said, ", "), true
}

// misfit says of one place what does not fit there: `/days/0/low: got string, want number`. What is wrong with the whole has no place.
func misfit(f schema.Fault) string {
	reason := sanitize.Clip(f.What.LocalizedString(message.NewPrinter(language.English)), longestFault)
	place := ""
	for _, step := range f.Where {
		place += "/" + strings.NewReplacer("~", "~0", "/", "~1").Replace(step)
	}
	if place != "" {
		reason = sanitize.Clip(place, longestFault) + ": " + reason
	}
	return sanitize.Line(reason)
}
