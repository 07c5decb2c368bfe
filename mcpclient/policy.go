package mcpclient

import (
	"encoding/json"
	"fmt"
	"slices"
	"sync"
)

// Approval is the rule for calls that match no pattern.
type Approval string

// The modes, as in the configuration file.
const (
	ApprovalAuto Approval = "auto" // read-only tools of trusted servers run, others need approval; also the zero value
	ApprovalAsk  Approval = "ask"
	ApprovalAll  Approval = "all" // no call asks
)

// Verdict is the decision about a call.
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
	allow []pattern // of the configuration, then those that Allow added
}

// NewPolicy returns a policy. A pattern is a glob for "server.tool", where * matches any characters, ? matches one,
// and \ escapes the next one. "(host)" or "(host:port)" at the end, also globs, limits it to calls that go there. In
// allow, " #" and a fingerprint at the end limits it to the tool as it was then. deny overrides allow and every mode.
// remember stores a pattern for later sessions; it may be nil.
func NewPolicy(mode Approval, allow, deny []string, remember func(pattern string) error) *Policy {
	return &Policy{mode: mode, allow: compileAll(allow), deny: compileAll(deny), remember: remember}
}

// Check decides about a call. In ApprovalAuto it trusts the hints of trusted servers only. A read-only tool that uses
// the network needs approval too, because fetched text may tell the model to send data elsewhere.
func (p *Policy) Check(t Tool, arguments json.RawMessage) Verdict {
	p.mu.Lock()
	allow := p.allow
	p.mu.Unlock()
	runs := p.mode == ApprovalAll || p.mode != ApprovalAsk && t.Trusted && t.ReadOnly && !t.OpenWorld
	if len(p.deny) > 0 || !runs && len(allow) > 0 { // parsing a call is slow
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

// NeverAsks reports whether every call runs without asking, except denied ones.
func (p *Policy) NeverAsks() bool { return p.mode == ApprovalAll }

// Pattern returns the pattern that Allow would add: "server.tool", with the host if the tool reads from a URL:
// "fetch.fetch(example.com)". It matches no other tool.
func (p *Policy) Pattern(t Tool, arguments json.RawMessage) string {
	s := subjectOf(t, arguments)
	name := escapePattern(s.name)
	if s.byHost {
		return name + "(" + escapePattern(s.target.texts()[0]) + ")"
	}
	return name
}

// HostOf returns the host that Pattern is limited to, or "".
func HostOf(t Tool, arguments json.RawMessage) string {
	if s := subjectOf(t, arguments); s.byHost {
		return s.target.texts()[0]
	}
	return ""
}

// Allow lets calls like this one run in this session, unless the tool changes. With always it also stores the pattern
// for later sessions. After an error the calls still run in this session.
func (p *Policy) Allow(t Tool, arguments json.RawMessage, always bool) error {
	pattern := p.Pattern(t, arguments)
	if seen := FingerprintOf(t); seen != "" {
		pattern += " #" + string(seen)
	}
	return p.add(pattern, always)
}

// AllowServer lets all calls of a server run, in this session and later ones. After an error they still run in this
// session.
func (p *Policy) AllowServer(server string) error { return p.add(escapePattern(server)+".*", true) }

// add adds a pattern to allow.
func (p *Policy) add(pattern string, always bool) error {
	p.mu.Lock()
	p.allow = append(p.allow, compile(pattern))
	p.mu.Unlock()
	if !always || p.remember == nil {
		return nil
	}
	if err := p.remember(pattern); err != nil {
		return fmt.Errorf("cannot store %q: %w", pattern, err)
	}
	return nil
}

// Changed returns what has changed about a tool since a call like this one was allowed: "hints", "description",
// "arguments". It is empty if the tool is the same, or if no such call was allowed.
func (p *Policy) Changed(t Tool, arguments json.RawMessage) []string {
	s := subjectOf(t, arguments)
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, old := range slices.Backward(p.allow) {
		before := old.seen
		if old.seen = s.seen; before != "" && s.isAllowed([]pattern{old}) {
			return s.seen.Differences(before)
		}
	}
	return nil
}

// subject is a call that is matched against patterns.
type subject struct {
	name   string // "server.tool"
	seen   Fingerprint
	toHost bool // the call has a URL
	byHost bool // the tool only reads from a URL, so its calls are allowed by host
	target target
}

func subjectOf(t Tool, arguments json.RawMessage) subject {
	s := subject{name: t.Server + "." + t.ServerTool, seen: FingerprintOf(t)}
	// Maps, because struct fields would also match "URL", which is another argument.
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
		s.toHost, s.byHost = called, t.ReadOnly && t.OpenWorld
		if err := json.Unmarshal(raw, &text); called && err != nil { // a list of addresses
			s.target = unclearTarget(string(raw))
		} else {
			s.target = targetOf(text)
		}
	}
	return s
}

func (s subject) isAllowed(patterns []pattern) bool {
	return slices.ContainsFunc(patterns, func(p pattern) bool {
		return p.name.matches(s.name) && (p.seen == "" || p.seen == s.seen) &&
			(p.host == nil || s.byHost && p.host.matches(s.target))
	})
}

// isDenied reports whether a pattern in deny matches. It also matches calls that do more than read from a host, and any
// port.
func (s subject) isDenied(patterns []pattern) bool {
	return slices.ContainsFunc(patterns, func(p pattern) bool {
		return p.name.matches(s.name) && (p.host == nil || s.toHost && p.host.matchesAnyPort(s.target))
	})
}
