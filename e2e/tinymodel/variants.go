package tinymodel

import (
	_ "embed"
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
)

// Variants returns them all.
func Variants() []Variant {
	const placeholder = "{{- /* think */ -}}"
	full := strings.TrimSpace(template)
	thinking := strings.Replace(full, placeholder, "{{- if .Thinking }}<think>{{ .Thinking }}</think>{{ end }}", 1)
	return []Variant{
		{Name: Full, Template: thinking},
		{Name: Tools, Template: full},
		{Name: Plain, Template: "{{ range .Messages }}<|{{ .Role }}|>{{ .Content }}<|end|>{{ end }}<|assistant|><|answer:0|>"},
		{Name: Loose, Template: full, Parser: "qwen3"},
	}
}
