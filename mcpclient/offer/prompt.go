package offer

import (
	"encoding/json"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/aloudchat/aloud/mcpclient/content"
	"github.com/aloudchat/aloud/sanitize"
)

// What is kept of an offer.
const (
	maxItems     = 10_000 // of one page
	maxArguments = 50     // of one prompt
	LongestName  = 200    // bytes of a name that people see or type
	longestTitle = 200
	longestAbout = 2000 // bytes of a description
)

// Prompt is one prompt of one server.
type Prompt struct {
	Server      string
	Name        string
	Title       string
	Description string
	Arguments   []PromptArgument // not to be changed
}

// PromptArgument is one argument of a Prompt. All are text.
type PromptArgument struct {
	Name        string
	Title       string
	Description string
	Required    bool
}

// Prompts reads a page of prompts/list. Prompts that nobody could ask for are left out. unread are those over the number that any page may have.
func Prompts(page json.RawMessage, server string) (all []Prompt, unread int) {
	list, unread := content.Items(page, "prompts", maxItems)
	for _, raw := range list {
		if p, ok := readPrompt(raw, server); ok {
			all = append(all, p)
		}
	}
	return all, unread
}

func readPrompt(raw json.RawMessage, server string) (Prompt, bool) {
	var r struct {
		Name        string            `json:"name"`
		Title       string            `json:"title"`
		Description string            `json:"description"`
		Arguments   []json.RawMessage `json:"arguments"`
	}
	_ = json.Unmarshal(raw, &r) // a field of the wrong type is as if it were missing
	p := Prompt{Server: server, Name: r.Name, Title: sanitize.Clip(r.Title, longestTitle), Description: sanitize.Clip(r.Description, longestAbout)}
	for _, argument := range r.Arguments[:min(len(r.Arguments), maxArguments)] {
		var a struct {
			Name        string `json:"name"`
			Title       string `json:"title"`
			Description string `json:"description"`
			Required    bool   `json:"required"`
		}
		_ = json.Unmarshal(argument, &a)
		if typeable(a.Name) {
			p.Arguments = append(p.Arguments, PromptArgument{a.Name, sanitize.Clip(a.Title, longestTitle), sanitize.Clip(a.Description, longestAbout), a.Required})
		}
	}
	return p, typeable(p.Name)
}

// typeable tells whether people can write a name on a line, and see what they write.
func typeable(name string) bool {
	return name != "" && len(name) <= LongestName && utf8.ValidString(name) && strings.TrimSpace(name) == name &&
		!strings.ContainsFunc(name, func(r rune) bool { return r != ' ' && !unicode.IsGraphic(r) })
}
