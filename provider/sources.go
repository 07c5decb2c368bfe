package provider

import (
	"encoding/json"
	"maps"
	"net/url"
	"slices"
	"strings"
)

// mostSources bounds how many sources a turn names: a server may link to anything.
const mostSources = 200

// cite adds what a call read to the sources of the turn: the resources that its result links to or holds, and the addresses that a reading
// tool was asked to read.
func (t *turn) cite(j *job, linked []string) {
	for _, uri := range linked {
		t.citeOne(uri)
	}
	if j.tool.ReadOnly {
		for _, uri := range addresses(j.arguments) {
			t.citeOne(uri)
		}
	}
}

func (t *turn) citeOne(uri string) {
	uri = strings.TrimSpace(valid(uri))
	if uri != "" && len(t.result.Sources) < mostSources && !slices.Contains(t.result.Sources, uri) {
		t.result.Sources = append(t.result.Sources, uri)
	}
}

// addresses are the values of an object that are whole URIs.
func addresses(object json.RawMessage) []string {
	var fields map[string]any
	if json.Unmarshal(object, &fields) != nil {
		return nil
	}
	var found []string
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		if text, ok := fields[name].(string); ok && isAddress(text) {
			found = append(found, text)
		}
	}
	return found
}

func isAddress(text string) bool {
	if len(text) > 2000 || !strings.Contains(text, "://") || strings.ContainsAny(text, " \n\t") {
		return false
	}
	u, err := url.Parse(text)
	return err == nil && u.Scheme != "" && (u.Host != "" || u.Path != "")
}
