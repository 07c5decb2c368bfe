package attach

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/aloudchat/aloud/internal/sanitize"
	"github.com/aloudchat/aloud/mcpclient"
)

// Call is a call of a prompt.
type Call struct {
	Prompt    mcpclient.Prompt
	Arguments map[string]string
	Rest      Input // text below the prompt's line
}

// CallError reports a prompt that does not exist or wrong arguments.
type CallError struct{ text string }

func (e *CallError) Error() string { return e.text }

// Name returns the name of the prompt, as in Name.
func (c Call) Name() string { return Name(c.Prompt) }

// Name returns the name of a prompt as you type it: "/server:prompt".
func Name(p mcpclient.Prompt) string { return "/" + p.Server + ":" + p.Name }

// Missing returns the required arguments that are not given yet.
func (c Call) Missing() []mcpclient.PromptArgument {
	var missing []mcpclient.PromptArgument
	for _, a := range c.Prompt.Arguments {
		if _, known := c.Arguments[a.Name]; a.Required && !known {
			missing = append(missing, a)
		}
	}
	return missing
}

// Parse reads a line "/server:prompt name=value name='more words'" and the text below it. ok is false if the line calls
// none of the prompts. The error is a *CallError. The name of a prompt's only argument can be omitted.
func Parse(in Input, prompts []mcpclient.Prompt) (call Call, ok bool, err error) {
	if !in.Begins("/") {
		return Call{}, false, nil
	}
	line, _, _ := strings.Cut(in.Text, "\n")
	rest := in.Part(len(line), len(in.Text)).Trim()
	arguments := ""
	for _, p := range prompts {
		name := Name(p)
		behind, fits := strings.CutPrefix(line, name)
		longest := !ok || len(name) > len(call.Name()) // names may contain spaces
		if fits && (behind == "" || behind[0] == ' ') && longest {
			call, ok, arguments = Call{Prompt: p, Rest: rest}, true, strings.TrimSpace(behind)
		}
	}
	if !ok {
		return Call{}, false, nil
	}
	if len(in.Part(0, len(line)).Images) > 0 {
		return call, true, &CallError{"an image is no argument of " + call.Name() + ". Move it to a line below"}
	}
	call.Arguments, err = readArguments(arguments, call.Prompt)
	return call, true, err
}

func readArguments(text string, p mcpclient.Prompt) (map[string]string, error) {
	known := map[string]string{}
	isKnown := func(name string) bool {
		return slices.ContainsFunc(p.Arguments, func(a mcpclient.PromptArgument) bool { return a.Name == name })
	}
	for text != "" {
		name, value, ok := strings.Cut(text, "=")
		if !ok || !isKnown(name) {
			if len(p.Arguments) == 1 && len(known) == 0 {
				if value, rest := unquote(text); rest == "" {
					text = value
				}
				known[p.Arguments[0].Name] = text
				return known, nil
			}
			return known, wrongArgument(text, p)
		}
		known[name], text = unquote(value)
	}
	return known, nil
}

// unquote returns the first value of a text, which may be quoted, and the rest of the text.
func unquote(text string) (value, rest string) {
	if text != "" && (text[0] == '"' || text[0] == '\'') {
		if end := strings.IndexByte(text[1:], text[0]); end >= 0 {
			return text[1 : 1+end], strings.TrimSpace(text[2+end:])
		}
	}
	value, rest, _ = strings.Cut(text, " ")
	return value, strings.TrimSpace(rest)
}

func wrongArgument(text string, p mcpclient.Prompt) error {
	word, _, _ := strings.Cut(text, " ")
	word, _, _ = strings.Cut(word, "=")
	if len(p.Arguments) == 0 {
		return &CallError{fmt.Sprintf("prompt %s takes no arguments, but got %q", Name(p), sanitize.Line(word))}
	}
	usage := []string{Name(p)}
	for _, a := range p.Arguments {
		usage = append(usage, a.Name+"=…")
	}
	return &CallError{fmt.Sprintf("prompt %s has no argument %q. Usage: %s",
		Name(p), sanitize.Line(word), strings.Join(usage, " "))}
}

// Find is like Parse, but first waits for the server that the input names to be ready. It returns nil if there is no
// such server. If the server has no such prompt, the error is a *CallError.
func (r Reader) Find(ctx context.Context, in Input) (*Call, error) {
	line, _, _ := strings.Cut(in.Text, "\n")
	server, name, ok := strings.Cut(strings.TrimPrefix(line, "/"), ":")
	if r.Source == nil || !ok || !in.Begins("/") || server == "" || name == "" || name[0] == ' ' {
		return nil, nil
	}
	switch err := r.Source.Offering(ctx, server); {
	case errors.Is(err, mcpclient.ErrNoServer):
		return nil, nil
	case err != nil:
		return nil, err
	}
	prompts := r.Source.Prompts()
	if call, ok, err := Parse(in, prompts); ok {
		return &call, err
	}
	var names []string
	for _, p := range prompts {
		if p.Server == server {
			names = append(names, p.Name)
		}
	}
	name, _, _ = strings.Cut(name, " ")
	text := fmt.Sprintf("server %q has no prompt %q", server, sanitize.Line(name))
	if len(names) > 0 {
		text += ". Its prompts: " + strings.Join(names[:min(len(names), 10)], ", ")
	}
	return nil, &CallError{text}
}
