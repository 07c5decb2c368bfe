package loop

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/aloudchat/aloud/mcpclient"
	"github.com/aloudchat/aloud/provider"
)

// originOf believes the hints of trusted servers only, as policy does. A trusted server declares what a tool gives public by saying that it reaches
// out.
func originOf(tool mcpclient.Tool) provider.Origin {
	switch {
	case tool.Server == "", tool.BuiltIn == "clock":
		return ""
	case !tool.Trusted:
		return provider.OriginUnknown
	case tool.OpenWorld:
		return provider.OriginOutside
	}
	return provider.OriginPrivate
}

// sends says why a call may carry off what the conversation knows, "" if it cannot. That takes three things: private data, outside content that
// may have talked the model into it, and a way out. An address that the user typed carries nothing new.
func (r *round) sends(j *job) string {
	if j.tool.Trusted && !j.tool.OpenWorld || r.typed(j) {
		return ""
	}
	private, outside := false, false
	for _, m := range r.history.messages {
		switch {
		case len(m.Attached) > 0, m.From != "", m.Origin == provider.OriginPrivate:
			private = true
		case m.Origin == provider.OriginOutside:
			outside = true
		case m.Origin == provider.OriginUnknown:
			outside = true
			private = private || !r.tools.belongs(m.Tool, j.Server) // what a server gave it may have back
		}
	}
	if !private || !outside {
		return ""
	}
	return "it reaches out, and this conversation has taken in private data and outside content"
}

// typed reports whether all that a call sends is an address that the user typed: a trusted tool that only reads, with no other text.
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

// mentions reports whether an address stands in a text by itself, with or without its scheme and the slash at its end.
func mentions(text, address string) bool {
	bare := func(s string) string { return strings.TrimSuffix(strings.TrimPrefix(s, "https://"), "/") }
	address = bare(address)
	words := strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(" \t\r\n<>()[]{}\"'`", r) })
	return slices.ContainsFunc(words, func(word string) bool {
		return bare(word) == address || bare(strings.TrimRight(word, ".,;:!?")) == address
	})
}

// verdict is what the policy says of a call. If its server warns of it, or it may carry off what the conversation knows, it asks although it was
// allowed, and why is the reason.
func (r *round) verdict(j *job) (v mcpclient.Verdict, why string) {
	rules := r.chat.Policy
	v = rules.Check(j.tool, j.arguments)
	if v == mcpclient.VerdictDeny || rules.NeverAsks() {
		return v, ""
	}
	if c, ok := r.chat.Tools.(Cautions); ok {
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
