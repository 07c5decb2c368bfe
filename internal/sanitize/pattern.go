package sanitize

import (
	"regexp"
	"sync"
)

// Pattern returns a function that returns a compiled regular expression. It compiles the expression when first called,
// because most runs of the program use few of them and compiling all takes milliseconds.
func Pattern(expression string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expression) })
}
