// Package attach turns input into messages: it attaches the files that a message mentions as @todo.md or
// @main.go:10-40 and the resources that it mentions as @server:uri, and replaces a line "/server:prompt name=value"
// with the messages of that prompt. It also tells commands from messages.
//
// Content that the model cannot read is left out, with a notice. Texts of servers are not sanitized here: the caller
// must do that before showing them.
package attach

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/aloudchat/aloud/internal/quantity"
	"github.com/aloudchat/aloud/internal/sanitize"
	"github.com/aloudchat/aloud/mcpclient"
	"github.com/aloudchat/aloud/provider"
)

// Source is the set of servers, a *servers.Set.
type Source interface {
	Servers() []string
	Offering(ctx context.Context, server string) error
	Prompts() []mcpclient.Prompt
	Prompt(ctx context.Context, server, name string, arguments map[string]string) ([]mcpclient.PromptMessage, error)
	Resources() []mcpclient.Resource
	Read(ctx context.Context, server, uri string) (mcpclient.Contents, error)
}

// Reader reads the files, resources and prompts that inputs name.
type Reader struct {
	Source       Source                                      // may be nil
	Files        Files                                       // may be nil
	Allowed      []string                                    // full paths of files that you agreed to attach
	AttachLimits func(context.Context) provider.AttachLimits // see loop.Chat.AttachLimits
	Model        provider.Model                              // the server, which may list other models; may be nil

	measures bool // it asks for nothing, and does not read what it would have to ask for
}

// maxMentions is how many files and resources one message can mention.
const maxMentions = 20

// Messages returns the messages of a call, or without one the input as a message, as Fill and Question do.
func (r Reader) Messages(ctx context.Context, in Input, call *Call) (all []provider.Message, notes []string, _ error) {
	if call != nil {
		return r.Fill(ctx, *call)
	}
	m, notes, err := r.Question(ctx, in)
	if err != nil {
		return nil, nil, err
	}
	return []provider.Message{m}, notes, nil
}

// Question returns the input as a message with the files and resources that it mentions attached. The notes list
// omitted content, one sentence each. The error is an *Unasked for a file that you must agree to attach first.
func (r Reader) Question(ctx context.Context, in Input) (m provider.Message, notes []string, err error) {
	return r.attach(ctx, in.Said(), in.Mentions())
}

// attach attaches to a message what mentions name.
func (r Reader) attach(ctx context.Context, m provider.Message, mentions []Mention) (
	_ provider.Message, notes []string, err error) {
	found, notes, err := r.resolve(ctx, mentions)
	if err != nil || len(found)+len(m.Images) == 0 {
		return m, notes, err
	}
	limits := r.AttachLimits(ctx)
	if len(m.Images) > 0 && !limits.Vision {
		return m, nil, r.blind(ctx, limits.Model)
	}
	var attached []read
	for _, mention := range found {
		if f := mention.file; f.why != "" && !r.measures && !slices.Contains(r.Allowed, f.real) {
			return m, nil, &Unasked{f.real, f.why}
		}
		a, note, err := r.read(ctx, mention, limits)
		if err != nil {
			return m, nil, fmt.Errorf("cannot attach %s: %w", mention.written.Name(), err)
		}
		attached = append(attached, a)
		notes = append(notes, note...)
	}
	notes = append(notes, shorten(attached, limits.Room-m.Tokens())...)
	for _, a := range attached {
		m.Attached = append(m.Attached, a.Attachment)
		m.Images = append(m.Images, a.images...)
	}
	return m, notes, tooLarge(attached, m.Tokens(), limits.Room)
}

// tooLarge returns the error if the attachments of a message do not fit, or nil.
func tooLarge(attached []read, tokens, room int) error {
	if tokens <= room {
		return nil
	}
	less := "Attach less"
	var most read
	for _, a := range attached {
		if a.Tokens() > most.Tokens() {
			most = a
		}
	}
	if most.file != "" && most.Images == 0 {
		less = "Attach some lines, as in @" + sanitize.Line(most.file) + ":1-100"
	}
	return fmt.Errorf("the attachments have about %s tokens, but only about %s fit. %s, or enlarge the context window",
		quantity.Count(tokens), quantity.Count(room), less)
}

// read is a file or resource that was read.
type read struct {
	provider.Attachment
	images [][]byte
	file   string // its name without lines; "" for a resource, whose text may be truncated
}

func (r Reader) read(ctx context.Context, mention resolved, limits provider.AttachLimits) (
	_ read, notes []string, err error) {
	if f := mention.file; f.real != "" {
		a := read{Attachment: provider.Attachment{URI: f.name + f.lines}, file: f.name}
		if r.measures && f.why != "" {
			return a, nil, nil
		}
		var image []byte
		if a.Text, image, err = r.Files.Read(ctx, f.real, f.from, f.until); image != nil {
			a.images, a.Images = [][]byte{image}, 1
			if err = cmp.Or(err, check(image)); err == nil && !limits.Vision {
				err = r.blind(ctx, limits.Model)
			}
		}
		return a, nil, err
	}
	contents, err := r.Source.Read(ctx, mention.Server, mention.Resource)
	if err != nil {
		return read{}, nil, err
	}
	a := read{images: contents.Images}
	a.Server, a.URI, a.MIME, a.Text = mention.Server, mention.Resource, contents.MIME, contents.Text
	unseen := 0
	if !limits.Vision {
		unseen, a.images = len(a.images), nil
	}
	a.Images = len(a.images)
	unread := unreadable(unseen, contents.Other, limits.Model)
	switch {
	case unread == "":
		return a, nil, nil
	case a.Text != "" || a.Images > 0:
		return a, []string{fmt.Sprintf("Left out of %s: %s", mention.Name(), unread)}, nil
	case unseen > 0:
		unread += ". Choose a model with vision"
	}
	return a, nil, errors.New(unread)
}

// unreadable lists content that the model cannot read: images without vision, and data that is neither text nor an
// image. It returns "" for none.
func unreadable(images int, kinds []string, model string) string {
	const maxKinds = 3
	var parts []string
	if images > 0 {
		parts = append(parts, fmt.Sprintf("%s (%s has no vision)", quantity.Plural(images, "image"), model))
	}
	if len(kinds) > 0 {
		parts = append(parts, "unsupported data ("+strings.Join(kinds[:min(len(kinds), maxKinds)], "; ")+")")
	}
	return sanitize.Line(strings.Join(parts, " and "))
}

// shorten truncates the texts that are larger than their share of the room. Room that smaller texts do not need goes to
// the larger ones.
func shorten(all []read, room int) (notes []string) {
	var order []*read
	for i := range all {
		if all[i].file != "" {
			room -= all[i].Tokens()
		} else {
			order = append(order, &all[i])
		}
	}
	slices.SortStableFunc(order, func(a, b *read) int { return cmp.Compare(a.Tokens(), b.Tokens()) })
	for i, a := range order {
		before, share := a.Tokens(), max(room, 0)/(len(order)-i)
		if before > share {
			const around = 120 // tokens that introduce the text
			bytes := max(share-around-a.Images*provider.ImageTokens, 0) * 7 / 2
			a.Text, a.Cut = provider.Trim(a.Text, bytes)
		}
		room -= a.Tokens()
		if a.Cut {
			notes = append(notes, fmt.Sprintf("%s has about %s tokens, but only %s fit: parts of it are left out",
				sanitize.Line(a.Name()), quantity.Count(before), quantity.Count(a.Tokens())))
		}
	}
	return notes
}

// Fill returns the messages of a prompt, and notes as Question does. Text below the prompt's line becomes another
// message, read as by Question.
func (r Reader) Fill(ctx context.Context, call Call) (messages []provider.Message, notes []string, err error) {
	if missing := call.Missing(); len(missing) > 0 {
		return nil, nil, &CallError{fmt.Sprintf("prompt %[1]s requires %[2]q. Write %[1]s %[3]s=…",
			call.Name(), missing[0].Name, missing[0].Name)}
	}
	prompt, err := r.Source.Prompt(ctx, call.Prompt.Server, call.Prompt.Name, call.Arguments)
	if err != nil {
		return nil, nil, err
	}
	limits := r.AttachLimits(ctx)
	tokens, unseen := 0, 0
	var other []string
	for _, s := range prompt {
		other = append(other, s.Other...)
		m := provider.Message{Role: provider.RoleUser, Text: s.Text, Images: s.Images, From: call.Name()}
		if s.Role == "assistant" {
			m.Role = provider.RoleAssistant
		}
		if !limits.Vision || m.Role == provider.RoleAssistant { // model servers take images from users only
			unseen += len(m.Images)
			m.Images = nil
		}
		if m.Text == "" && len(m.Images) == 0 {
			continue
		}
		tokens += m.Tokens()
		messages = append(messages, m)
	}
	switch {
	case len(messages) == 0:
		return nil, nil, errors.New("the prompt has no content that " + limits.Model + " can read")
	case tokens > limits.Room:
		return nil, nil, fmt.Errorf("prompt %s has about %s tokens, but only about %s fit in the context window. "+
			"Enlarge the context window, or choose another model", call.Name(),
			quantity.Count(tokens), quantity.Count(limits.Room))
	}
	if unread := unreadable(unseen, other, limits.Model); unread != "" {
		notes = append(notes, "Left out of the prompt: "+unread)
	}
	if call.Rest.Text != "" {
		own, more, err := r.Question(ctx, call.Rest)
		if err != nil {
			return nil, nil, err
		}
		messages, notes = append(messages, own), append(notes, more...)
	}
	return messages, notes, nil
}
