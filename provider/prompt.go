package provider

import "fmt"

// PromptKind is a kind of what fills a prompt.
type PromptKind int

// The kinds, in the order of a request. PromptFree is the room that is left, which is no part of a Prompt.
const (
	PromptInstructions PromptKind = iota // aloud's and yours
	PromptTools
	PromptMessages // yours and the model's
	PromptResults  // of tools
	PromptAttachments
	PromptImages
	PromptFree
)

var promptNames = [...]string{"instructions", "tools", "messages", "results", "attachments", "images"}

// Prompt is what fills the prompt of the next request, by kind.
type Prompt [PromptFree]PromptPart

// PromptPart is a part of a prompt.
type PromptPart struct {
	Kind    PromptKind
	Name    string
	Tokens  int // estimated
	Note    string
	Of      []PromptPart // the servers of the tools, and the attachments
	Message int          // of an attachment: the index of its message
}

// PromptOf returns the prompt of a conversation, without tools.
func PromptOf(system Message, messages []Message) (p Prompt) {
	for kind, name := range promptNames {
		p[kind] = PromptPart{Kind: PromptKind(kind), Name: name}
	}
	for _, m := range ViewOf(system, messages).Sent {
		images, kind := ImageTokens*len(m.Images), PromptMessages
		switch m.Role {
		case RoleSystem:
			kind = PromptInstructions
		case RoleTool:
			kind = PromptResults
		}
		p[PromptImages].Tokens += images
		p[kind].Tokens += m.estimate() - images
	}
	short, summarised, bare := compactionOf(messages), 0, 0
	for i, m := range messages {
		switch {
		case short.covered.holds(i):
			summarised++
			p[PromptMessages].Note = fmt.Sprintf("%d summarised", summarised)
			continue
		case m.Role == RoleTool && short.bare.holds(i):
			bare++
			p[PromptResults].Note = fmt.Sprintf("%d left out to make room", bare)
		}
		for _, a := range m.Attached {
			if !short.drops(i, a) {
				p.attach(i, a)
			}
		}
	}
	return p
}

// attach counts an attachment of message i apart from the text and the images of the message.
func (p *Prompt) attach(i int, a Attachment) {
	part := PromptPart{Kind: PromptAttachments, Name: a.Name(), Tokens: a.Tokens(), Message: i}
	if a.Cut {
		part.Note = "parts of it are left out"
	}
	images, all := ImageTokens*a.Images, &p[PromptAttachments]
	all.Of, all.Tokens = append(all.Of, part), all.Tokens+part.Tokens
	p[PromptImages].Tokens -= images
	p[PromptMessages].Tokens -= part.Tokens - images
}

// Tokens returns the sum of the parts.
func (p Prompt) Tokens() (sum int) {
	for _, part := range p {
		sum += part.Tokens
	}
	return sum
}
