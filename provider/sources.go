package provider

import (
	"encoding/json"
	"maps"
	"net/url"
	"slices"
	"strings"

	"github.com/aloudchat/aloud/mcpclient"
)

// mostSources bounds how many sources a turn names: a server may link to anything.
const mostSources = 200

// Cite adds what a call read to the sources of the turn: the resources that its result links to or holds, and the addresses that a reading
// tool was asked to read.
func (r *Result) Cite(tool mcpclient.Tool, arguments json.RawMessage, resources []string) {
	for _, uri := range resources {
		r.citeOne(uri)
	}
	if tool.ReadOnly {
		for _, uri := range addresses(arguments) {
			r.citeOne(uri)
		}
	}
}

func (r *Result) citeOne(uri string) {
	uri = strings.TrimSpace(strings.ToValidUTF8(uri, "\uFFFD"))
	if uri != "" && len(r.Sources) < mostSources && !slices.Contains(r.Sources, uri) {
		r.Sources = append(r.Sources, uri)
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
	u, err := url.Parse(text)
	return err == nil && u.Scheme != "" && len(text) <= 2000 && strings.Contains(text, "://") && !strings.ContainsAny(text, " \t")
}
