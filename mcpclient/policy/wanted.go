package policy

import "slices"

// Wanted says which of a server's tools are offered, by the names that the server gives them: those that fit a glob of enabled, all when there is
// none, without those that fit one of disabled.
func Wanted(enabled, disabled []string) func(tool string) bool {
	yes, no := parseAll(enabled), parseAll(disabled)
	return func(tool string) bool {
		fits := func(g glob) bool { return g.matches(tool) }
		return (len(yes) == 0 || slices.ContainsFunc(yes, fits)) && !slices.ContainsFunc(no, fits)
	}
}

func parseAll(globs []string) []glob {
	parsed := make([]glob, len(globs))
	for i, g := range globs {
		parsed[i] = parseGlob(g)
	}
	return parsed
}
