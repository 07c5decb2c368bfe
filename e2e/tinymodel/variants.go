package tinymodel

import (
	_ "embed"
	"fmt"
	"strings"
)

//go:embed template.tmpl
var template string

// A Variant is a model with its own template and parser, which decide its capabilities.
type Variant struct {
	Name     string
	Template string
	Parser   string // a parser of the server, or "" to parse tool calls by the template
}

// The names of the variants.
const (
	Full  = "tiny-full"  // thinks and calls tools
	Tools = "tiny-tools" // calls tools
	Plain = "tiny-plain" // neither; always plays the first step of the script "answer"
	Loose = "tiny-loose" // calls tools; its server accepts unknown tools and fails at broken calls
	Raw   = "tiny-raw"   // writes calls in a form that its server does not know, so they come as text
)

// The parts of the template that are replaced.
const (
	thinkMark       = "{{- /* think */ -}}"
	instructionMark = "{{- /* instructions */ -}}"
	callTag         = "<tool_call>"
)

// Variants returns all variants.
func Variants() []Variant {
	tools := strings.Replace(strings.TrimSpace(template), instructionMark, instructionTemplate(), 1)
	thinking := strings.Replace(tools, thinkMark, "{{- if .Thinking }}<think>{{ .Thinking }}</think>{{ end }}", 1)
	return []Variant{
		{Name: Full, Template: thinking},
		{Name: Tools, Template: tools},
		{Name: Plain,
			Template: "{{ range .Messages }}<|{{ .Role }}|>{{ .Content }}<|end|>{{ end }}<|assistant|><|answer:0|>"},
		{Name: Loose, Template: tools, Parser: "qwen3"},
		{Name: Raw, Template: strings.Replace(tools, callTag, "<|call|>", 1)},
	}
}

// instructions has the beginnings of aloud's own messages and the scripts that they start. Without a script it is the
// current one with the suffix "/again".
var instructions = []struct{ prefix, script string }{
	{"You are now running the tool", "status"},
	{"Stop using tools:", "last"},
	{"Summarise our conversation", "summary"},
	{"Your reply did not arrive.", ""},
	{"Your answer was empty.", ""},
	{"Your last reply broke off", ""},
	{"Your last tool call could not be read", ""},
	{"You have thought long enough.", ""},
}

// instructionTemplate returns the part of the template that looks for the instructions at $tail in messages of the
// user. The request for a sentence may also be in a tool message.
func instructionTemplate() string {
	var b strings.Builder
	for _, h := range instructions {
		begins := fmt.Sprintf("%q", h.script)
		if h.script == "" { // a name in the same message comes first: the server joins messages of a role
			begins = `printf "%s/again" (or $named $before)`
		}
		from := `eq $role "user"`
		if h.script == "status" {
			from = "true"
		}
		fmt.Fprintf(&b, "{{- if and (%[4]s) (ge (len $tail) %[1]d) (eq (slice $tail 0 %[1]d) %[2]q) }}"+
			"{{ $script = %[3]s }}{{ $named = $script }}{{ $steps = \"\" }}{{ end }}\n",
			len(h.prefix), h.prefix, begins, from)
	}
	return b.String()
}
