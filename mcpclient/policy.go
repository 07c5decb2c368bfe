package mcpclient

import (
	"encoding/json"
	"fmt"
	"slices"
	"sync"
)

// Approval is the general rule for calls that no pattern names.
type Approval string

// The modes, as they are written in the configuration.
const (
	ApprovalAuto Approval = "auto" // trusted read-only tools run, others ask; the zero value means it too
	ApprovalAsk  Approval = "ask"
	ApprovalAll  Approval = "all" // none asks
)

// Verdict is the judgement of a call.
type Verdict int

// The verdicts. After VerdictAsk the call runs if you approve it.
const (
	VerdictAsk Verdict = iota
	VerdictRun
	VerdictDeny
)

// Policy decides which calls run without asking. Safe for concurrent use.
type Policy struct {
	mode     Approval
	deny     []pattern
	remember func(string) error

	mu    sync.Mutex
	allow []pattern // of the configuration and what people granted since
}

// NewPolicy makes a policy. A pattern is a glob over "server.tool", where * stands for any characters, ? for one, and \ takes the next one literally;
// "(host)" or "(host:port)" at the end narrows it to the calls that go there, in globs, too. deny wins over allow and over every mode.
// In allow a " #" and the fingerprint of a tool at the end narrows it to that tool as it was then, which is how Allow stores one.
// remember stores a pattern for good ("always"); nil keeps it for this session only.
func NewPolicy(mode Approval, allow, deny []string, remember func(pattern string) error) *Policy {
	return &Policy{mode: mode, allow: compileAll(allow), deny: compileAll(deny), remember: remember}
}

// Check judges one call. In ApprovalAuto it believes the hints of trusted servers only. A tool that reaches out asks even when it only reads: what it
// fetched may talk the model into sending what it knows to another place.
func (p *Policy) Check(t Tool, arguments json.RawMessage) Verdict {
	p.mu.Lock()
	allow := p.allow
	p.mu.Unlock()
	runs := p.mode == ApprovalAll || p.mode != ApprovalAsk && t.Trusted && t.ReadOnly && !t.OpenWorld
	if len(p.deny) > 0 || !runs && len(allow) > 0 { // to look at a call costs more than all else here
		s := subjectOf(t, arguments)
		if s.isDenied(p.deny) {
			return VerdictDeny
		}
		runs = runs || s.isAllowed(allow)
	}
	if runs {
		return VerdictRun
	}
	return VerdictAsk
}

// NeverAsks reports whether everything that is not denied runs.
func (p *Policy) NeverAsks() bool { return p.mode == ApprovalAll }

// Pattern is what Allow would allow with this call: "server.tool", for a tool that fetches from a URL with the host in it,
// "fetch.fetch(example.com)". It matches this tool only, whatever characters a server put into its name.
func (p *Policy) Pattern(t Tool, arguments json.RawMessage) string {
	s := subjectOf(t, arguments)
	name := escapePattern(s.name)
	if s.byHost {
		return name + "(" + escapePattern(s.target.texts()[0]) + ")"
	}
	return name
}

// Allow lets calls like this one run from now on, for as long as the tool stays what it is; always also stores that for good. If storing fails,
// the error says so, and the calls still run in this session.
func (p *Policy) Allow(t Tool, arguments json.RawMessage, always bool) error {
	pattern := p.Pattern(t, arguments)
	if seen := seenOf(t); seen != "" {
		pattern += " #" + string(seen)
	}
	p.mu.Lock()
	p.allow = append(p.allow, compile(pattern))
	p.mu.Unlock()
	if !always || p.remember == nil {
		return nil
	}
	if err := p.remember(pattern); err != nil {
		return fmt.Errorf("%q could not be stored: %w", pattern, err)
	}
	return nil
}

// Changed names what has changed of a tool since a call like this one was allowed: "hints", "description", "arguments".
// It is empty if none was, or the tool is still the same.
func (p *Policy) Changed(t Tool, arguments json.RawMessage) []string {
	s := subjectOf(t, arguments)
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, old := range slices.Backward(p.allow) {
		before := old.seen
		if old.seen = s.seen; before != "" && s.isAllowed([]pattern{old}) {
			return s.seen.differences(before)
		}
	}
	return nil
}

// subject is what patterns are held against.
type subject struct {
	name   string // "server.tool"
	seen   seen
	toHost bool // the call has a URL
	byHost bool // and all it does is read there: it is allowed by host
	target target
}

func subjectOf(t Tool, arguments json.RawMessage) subject {
	s := subject{name: t.Server + "." + t.ServerTool, seen: seenOf(t)}
	// Maps, not structs: struct fields would also take "URL", which is another argument to the server.
	var schema struct {
		Properties map[string]json.RawMessage `json:"properties"`
	}
	_ = json.Unmarshal(t.Schema, &schema)
	var given map[string]json.RawMessage
	_ = json.Unmarshal(arguments, &given)
	raw, called := given["url"]
	called = called && string(raw) != "null"
	_, declared := schema.Properties["url"]
	if called || declared {
		var text string
		_ = json.Unmarshal(raw, &text)
		s.toHost, s.byHost = called, t.ReadOnly && t.OpenWorld
		s.target = targetOf(text)
	}
	return s
}

func (s subject) isAllowed(patterns []pattern) bool {
	return slices.ContainsFunc(patterns, func(p pattern) bool {
		return p.name.matches(s.name) && (p.seen == "" || p.seen == s.seen) && (p.host == nil || s.byHost && p.host.matches(s.target))
	})
}

// isDenied is wider: whatever a call does at a denied host, and at which port.
func (s subject) isDenied(patterns []pattern) bool {
	return slices.ContainsFunc(patterns, func(p pattern) bool {
		return p.name.matches(s.name) && (p.host == nil || s.toHost && p.host.matchesAnyPort(s.target))
	})
}
