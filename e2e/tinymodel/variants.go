package tinymodel

import (
	_ "embed"
	"fmt"
	"strings"
)

//go:embed template.tmpl
var template string

// A Variant is a way in which a server is to use the model file: what a model can do is decided by its template and its parser.
type Variant struct {
	Name     string
	Template string
	Parser   string // one of the server's own; "": it reads tool calls by the template
}

// The names of the variants.
const (
	Full  = "tiny-full"  // thinks and calls tools
	Tools = "tiny-tools" // calls tools
	Plain = "tiny-plain" // neither; always says the first reply of the script "answer"
	Loose = "tiny-loose" // calls tools, and its server passes on calls of tools that do not exist, and breaks off at broken ones
	Raw   = "tiny-raw"   // is offered tools, but writes its calls in another form than its server knows: they come as text
)

// The places in the template that the variants and the scripts fill.
const (
	thinkPlace = "{{- /* think */ -}}"
	heardPlace = "{{- /* heard */ -}}"
	callTag    = "<tool_call>"
)

// Variants returns them all.
func Variants() []Variant {
	tools := strings.Replace(strings.TrimSpace(template), heardPlace, heardTemplate(), 1)
	thinking := strings.Replace(tools, thinkPlace, "{{- if .Thinking }}<think>{{ .Thinking }}</think>{{ end }}", 1)
	return []Variant{
		{Name: Full, Template: thinking},
		{Name: Tools, Template: tools},
		{Name: Plain, Template: "{{ range .Messages }}<|{{ .Role }}|>{{ .Content }}<|end|>{{ end }}<|assistant|><|answer:0|>"},
		{Name: Loose, Template: tools, Parser: "qwen3"},
		{Name: Raw, Template: strings.Replace(tools, callTag, "<|call|>", 1)},
	}
}

// heard is what aloud itself says to the model, by how it begins, and the script that it begins. Where none is named it is that of the script
// that was playing, with "/again" behind its name.
var heard = []struct{ words, script string }{
	{"You are now running the tool", "status"},
	{"Stop using tools:", "last"},
	{"Summarise our conversation", "summary"},
	{"Nothing of your reply arrived.", ""},
	{"Your answer was empty.", ""},
	{"Your last reply broke off", ""},
	{"Your last tool call could not be read", ""},
	{"You have thought long enough.", ""},
}

// heardTemplate looks for them at $tail, in what seems to be a message of the user. A sentence may also be asked for in a tool's place.
func heardTemplate() string {
	var b strings.Builder
	for _, h := range heard {
		begins := fmt.Sprintf("%q", h.script)
		if h.script == "" { // what stands in the same message comes first: the server joins messages of one role
			begins = `printf "%s/again" (or $named $before)`
		}
		from := `eq $role "user"`
		if h.script == "status" {
			from = "true"
		}
		fmt.Fprintf(&b, "{{- if and (%[4]s) (ge (len $tail) %[1]d) (eq (slice $tail 0 %[1]d) %[2]q) }}{{ $script = %[3]s }}{{ $named = $script }}{{ $steps = \"\" }}{{ end }}\n",
			len(h.words), h.words, begins, from)
	}
	return b.String()
}
