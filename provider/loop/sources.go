package loop

import (
	"encoding/json"
	"maps"
	"net/url"
	"slices"
	"strings"
)

// maxSources limits the sources of a turn, since a server may link to anything.
const maxSources = 200

// cite adds the sources of a call to those of the turn: the resources in its result, and the URLs in the arguments of a
// read-only tool.
func (t *turn) cite(j *job, resources []string) {
	if j.tool.ReadOnly {
		resources = append(slices.Clip(resources), addresses(j.arguments)...)
	}
	r := &t.result
	for _, uri := range resources {
		uri = strings.TrimSpace(strings.ToValidUTF8(uri, "\uFFFD"))
		if uri != "" && len(r.Sources) < maxSources && !slices.Contains(r.Sources, uri) {
			r.Sources = append(r.Sources, uri)
		}
	}
}

// addresses returns the values of an object that are URLs.
func addresses(object json.RawMessage) []string {
	var fields map[string]any
	if json.Unmarshal(object, &fields) != nil {
		return nil
	}
	var found []string
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		text, _ := fields[name].(string)
		if !strings.Contains(text, "://") || strings.ContainsAny(text, " \t") || len(text) > 2000 {
			continue
		}
		if u, err := url.Parse(text); err == nil && u.Scheme != "" {
			found = append(found, text)
		}
	}
	return found
}
