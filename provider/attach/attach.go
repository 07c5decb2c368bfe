// Package attach makes messages of what servers offer: a question that mentions resources as @server:uri becomes one
// with them attached, and a line /server:prompt name=value becomes the messages of that prompt.
//
// The screen and the modes without one share it. What a model cannot take, since it is too large or of a kind that it
// does not read, is said in a sentence. Texts of servers pass through as they came: whoever shows them sanitises
// them.
package attach

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/aloudchat/aloud/mcpclient"
	"github.com/aloudchat/aloud/provider"
	"github.com/aloudchat/aloud/quantity"
	"github.com/aloudchat/aloud/sanitize"
)

// Source is the servers: *mcpclient.Set.
type Source interface {
	Servers() []string
	Offering(ctx context.Context, server string) error
	Prompts() []mcpclient.Prompt
	Prompt(ctx context.Context, server, name string, arguments map[string]string) ([]mcpclient.PromptMessage, error)
	Resources() []mcpclient.Resource
	Read(ctx context.Context, server, uri string) (mcpclient.Contents, error)
}

// Reader reads what questions mention, and the prompts that they ask for. Means says what the model can take; see
// loop.Chat.Means.
type Reader struct {
	Source Source
	Means  func(context.Context) provider.Means
}

// mostMentions are read for one question; a text with more of them is data.
const mostMentions = 20

// Question makes a message of what you ask, with the resources attached that it mentions; notes say in a sentence
// each what of them is left out. The error says in a sentence why there is no message.
func (r Reader) Question(ctx context.Context, in Input) (m provider.Message, notes []string, err error) {
	m = provider.Message{Role: provider.RoleUser, Text: in.Text, Foreign: in.Foreign}
	found, notes, err := r.resolve(ctx, in.Mentions())
	if err != nil || len(found) == 0 {
		return m, notes, err
	}
	means := r.Means(ctx)
	var attached []read
	for _, mention := range found {
		a, note, err := r.read(ctx, mention.Mention, means)
		if err != nil {
			return m, nil, fmt.Errorf("%s cannot be attached: %w", mention.written.Name(), err)
		}
		attached = append(attached, a)
		notes = append(notes, note...)
	}
	notes = append(notes, shorten(attached, means.Room-m.Tokens())...)
	for _, a := range attached {
		m.Attached = append(m.Attached, a.Attachment)
		m.Images = append(m.Images, a.images...)
	}
	if m.Tokens() > means.Room {
		return m, nil, fmt.Errorf("what is attached has about %s tokens, but there is room for %s: leave some of it out, or make the context larger",
			quantity.Count(m.Tokens()), quantity.Count(means.Room))
	}
	return m, notes, nil
}

// read is a resource that was read.
type read struct {
	provider.Attachment
	images [][]byte
}

func (r Reader) read(ctx context.Context, mention Mention, means provider.Means) (read, []string, error) {
	contents, err := r.Source.Read(ctx, mention.Server, mention.Resource)
	if err != nil {
		return read{}, nil, err
	}
	a := read{provider.Attachment{Server: mention.Server, URI: mention.Resource, MIME: contents.MIME, Text: contents.Text}, contents.Images}
	blind := 0
	if !means.Sees {
		blind, a.images = len(a.images), nil
	}
	a.Images = len(a.images)
	unread := leftOut(blind, contents.Other, means.Model)
	switch {
	case unread == "":
		return a, nil, nil
	case a.Text != "" || a.Images > 0:
		return a, []string{fmt.Sprintf("Of %s this is left out: %s.", mention.Name(), unread)}, nil
	case blind > 0:
		unread += "; a model with vision would"
	}
	return a, nil, errors.New("it is " + unread)
}

// leftOut says which images the model does not see, and which data is neither a text nor an image; "" for nothing.
func leftOut(images int, kinds []string, model string) string {
	const told = 3
	var parts []string
	if images > 0 {
		parts = append(parts, fmt.Sprintf("%s, which %s does not see", quantity.Plural(images, "image"), model))
	}
	if len(kinds) > 0 {
		parts = append(parts, "data that no model here reads ("+strings.Join(kinds[:min(len(kinds), told)], "; ")+")")
	}
	return sanitize.Line(strings.Join(parts, " and "))
}

// shorten cuts the texts that are too large for their share of the room. What the smaller ones do not need of theirs
// is for the larger.
func shorten(all []read, room int) (notes []string) {
	order := make([]*read, len(all))
	for i := range all {
		order[i] = &all[i]
	}
	slices.SortStableFunc(order, func(a, b *read) int { return cmp.Compare(a.Tokens(), b.Tokens()) })
	for i, a := range order {
		before, share := a.Tokens(), max(room, 0)/(len(order)-i)
		if before > share {
			const around = 120 // tokens of what stands around the text
			bytes := max(share-around-a.Images*provider.ImageTokens, 0) * 7 / 2
			a.Text, a.Cut = provider.Trim(a.Text, bytes)
		}
		room -= a.Tokens()
		if a.Cut {
			notes = append(notes, fmt.Sprintf("%s has about %s tokens, but there is room for %s of it: only parts are attached.",
				sanitize.Line(a.Name()), quantity.Count(before), quantity.Count(a.Tokens())))
		}
	}
	return notes
}

// Fill gets the messages of a prompt; notes say what of them is left out. What you wrote below the line becomes a
// message of its own, which Question reads.
func (r Reader) Fill(ctx context.Context, call Call) (messages []provider.Message, notes []string, err error) {
	if missing := call.Missing(); len(missing) > 0 {
		return nil, nil, &CallError{fmt.Sprintf("the prompt %s needs %q: write %s %s=…", call.Name(), missing[0].Name, call.Name(), missing[0].Name)}
	}
	said, err := r.Source.Prompt(ctx, call.Prompt.Server, call.Prompt.Name, call.Arguments)
	if err != nil {
		return nil, nil, err
	}
	means := r.Means(ctx)
	tokens, blind := 0, 0
	var unread []string
	for _, s := range said {
		unread = append(unread, s.Other...)
		m := provider.Message{Role: provider.RoleUser, Text: s.Text, Images: s.Images, From: call.Name()}
		if s.Role == "assistant" {
			m.Role = provider.RoleAssistant
		}
		if !means.Sees || m.Role == provider.RoleAssistant { // no server takes images that a model says
			blind += len(m.Images)
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
		return nil, nil, errors.New("the prompt is empty: there is nothing in it that " + means.Model + " reads")
	case tokens > means.Room:
		return nil, nil, fmt.Errorf("the prompt %s has about %s tokens, but there is room for %s: a larger context, or another model, has more",
			call.Name(), quantity.Count(tokens), quantity.Count(means.Room))
	}
	if unread := leftOut(blind, unread, means.Model); unread != "" {
		notes = append(notes, "Of the prompt this is left out: "+unread+".")
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
