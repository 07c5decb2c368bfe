package loop

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/aloudchat/aloud/mcpclient"
	"github.com/aloudchat/aloud/provider"
)

// originOf trusts the hints of trusted servers only. For those, a tool that uses the network returns outside content.
func originOf(tool mcpclient.Tool) provider.Origin {
	switch {
	case tool.Server == "", tool.BuiltIn == "clock", tool.Name == readMore.Name: // the cut result has its own
		return ""
	case !tool.Trusted:
		return provider.OriginUnknown
	case tool.OpenWorld:
		return provider.OriginOutside
	}
	return provider.OriginPrivate
}

// sends returns why a call may leak data of the conversation, or "". A leak needs private data, outside content that
// may have manipulated the model, and a tool that sends data. A URL that you typed reveals nothing new.
func (r *round) sends(j *job) string {
	if j.tool.Trusted && !j.tool.OpenWorld || r.typed(j) {
		return ""
	}
	private, outside := false, false
	for _, m := range r.history.messages {
		switch {
		case m.Role == provider.RoleUser && len(m.Attached)+len(m.Images) > 0, m.From != "",
			m.Origin == provider.OriginPrivate:
			private = true
		case m.Origin == provider.OriginOutside:
			outside = true
		case m.Origin == provider.OriginUnknown:
			outside = true
			from, _ := r.tools.find(m.Tool)
			private = private || from.Server != j.Server // a server may get back its own data
		}
	}
	if !private || !outside {
		return ""
	}
	return "it may send data out, and this conversation has private data and outside content"
}

// typed reports whether a call of a trusted read-only tool sends only a URL that you typed.
func (r *round) typed(j *job) bool {
	var arguments map[string]any
	if !j.tool.Trusted || !j.tool.ReadOnly || json.Unmarshal(j.arguments, &arguments) != nil {
		return false
	}
	address, _ := arguments["url"].(string)
	delete(arguments, "url")
	for _, other := range arguments {
		switch other.(type) {
		case float64, bool, nil:
		default:
			return false
		}
	}
	return address != "" && slices.ContainsFunc(r.history.messages, func(m provider.Message) bool {
		return m.Role == provider.RoleUser && m.From == "" && mentions(m.Typed(), address)
	})
}

// mentions reports whether a text contains an address as a word, with or without "https://" and the final slash.
func mentions(text, address string) bool {
	bare := func(s string) string { return strings.TrimSuffix(strings.TrimPrefix(s, "https://"), "/") }
	address = bare(address)
	words := strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(" \t\r\n<>()[]{}\"'`", r) })
	return slices.ContainsFunc(words, func(word string) bool {
		return bare(word) == address || bare(strings.TrimRight(word, ".,;:!?")) == address
	})
}

// verdict returns the verdict of the policy on a call. If its server cautions against it, or it may leak data of the
// conversation, the verdict is to ask, and why is the reason.
func (r *round) verdict(j *job) (v mcpclient.Verdict, why string) {
	rules := r.chat.Policy
	v = rules.Check(j.tool, j.arguments)
	if v == mcpclient.VerdictDeny || rules.NeverAsks() {
		return v, ""
	}
	if c, ok := r.chat.Tools.(mcpclient.Cautions); ok {
		why = c.Caution(j.tool.Name, j.arguments)
	}
	if why == "" {
		why = r.sends(j)
	}
	if why != "" {
		return mcpclient.VerdictAsk, why
	}
	return v, ""
}
