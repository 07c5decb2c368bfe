package inbox

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/aloudchat/aloud/mcpclient"
	"github.com/aloudchat/aloud/provider"
	"github.com/aloudchat/aloud/provider/loop"
	"github.com/aloudchat/aloud/sanitize"
)

// What a server may have the model read and write at once.
const (
	usualTokens = 1024      // to write, where the server does not say how many
	mostTokens  = 8192      // to write
	mostText    = 256 << 10 // bytes to read: you could not decide about more
)

// Sample implements mcpclient.Host: it has the chat's model write something, when you or the configuration allow it.
func (d *Inbox) Sample(ctx context.Context, s mcpclient.Sampling) (mcpclient.Sampled, error) {
	chat, mode := d.modeOf(s.Server)
	if mode == mcpclient.SamplingDeny {
		d.tell("deny "+s.Server, 1, "The server %q wanted the model to write something, which its configuration does not allow.", s.Server)
		return mcpclient.Sampled{}, errors.New("the configuration does not allow this server to use the model")
	}
	switch {
	case chat == nil:
		d.tell("no chat "+s.Server, 1, "The server %q wanted the model to write something, and there is a model only in a chat: try it there.", s.Server)
		return mcpclient.Sampled{}, errors.New("there is no model here that could write")
	case mode == mcpclient.SamplingAsk && !d.person:
		d.tell("ask "+s.Server, 1, "The server %q wanted the model to write something, which you can allow only in the full-screen chat, so it was denied. "+
			`To allow it: sampling = "allow" under [mcp_servers.%s].`, s.Server, s.Server)
		return mcpclient.Sampled{}, errors.New("nobody is here to ask whether the model may write this")
	case chat.InUse() == "":
		return mcpclient.Sampled{}, errors.New("there is no model yet that could write: ask again later")
	}
	aside, err := readSampling(s)
	if err != nil {
		return mcpclient.Sampled{}, err
	}
	if aside.MaxTokens, err = d.admit(s.Server, aside.MaxTokens); err != nil {
		d.tell("limit "+s.Server, 1, "The server %q wants too much of the model: %v.", s.Server, err)
		return mcpclient.Sampled{}, err
	}
	q := Question{Kind: Permission, Server: s.Server, Sampling: s, Model: chat.InUse(), MaxTokens: aside.MaxTokens}
	if mode == mcpclient.SamplingAsk {
		if mode, err = d.permission(ctx, q); err != nil {
			return mcpclient.Sampled{}, err
		}
	}
	w, err := d.write(ctx, chat, s.Server, aside)
	if err != nil {
		return mcpclient.Sampled{}, err
	}
	if mode == mcpclient.SamplingAllow {
		d.tell("", 0, "%s had %s write something for it: %d tokens read and written.", s.Server, w.Model, w.Tokens)
	} else if err := d.review(ctx, q, w); err != nil {
		return mcpclient.Sampled{}, err
	}
	stop := "endTurn"
	if w.Cut {
		stop = "maxTokens"
	}
	return mcpclient.Sampled{Model: w.Model, Text: w.Text, Stop: stop}, nil
}

// modeOf is how the server's sampling is decided about, and the chat that serves it.
func (d *Inbox) modeOf(server string) (*loop.Chat, string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	mode := cmp.Or(d.modes[server], mcpclient.SamplingAsk)
	if mode == mcpclient.SamplingAsk && d.allowed[server] {
		mode = mcpclient.SamplingAllow
	}
	return d.chat, mode
}

// permission asks you whether the model may write, and returns the mode that holds from now on.
func (d *Inbox) permission(ctx context.Context, q Question) (string, error) {
	a, err := d.ask(ctx, &q)
	switch {
	case err != nil:
		return "", err
	case a.Action == mcpclient.Cancel:
		return "", errLeft
	case a.Action != mcpclient.Accept:
		return "", errors.New("the person does not want the model to write this")
	case !a.Session:
		return mcpclient.SamplingAsk, nil
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.allowed[q.Server] = true
	return mcpclient.SamplingAllow, nil
}

// review asks you whether what the model wrote may go out.
func (d *Inbox) review(ctx context.Context, q Question, w loop.Written) error {
	q.Kind, q.Model, q.Written = Review, w.Model, w.Text
	a, err := d.ask(ctx, &q)
	switch {
	case err != nil:
		return err
	case a.Action == mcpclient.Cancel:
		return errLeft
	case a.Action != mcpclient.Accept:
		return errors.New("the person does not want to send what the model wrote")
	}
	return nil
}

// errLeft is what a server is told whose question was dismissed: that is not a no.
var errLeft = errors.New("the person left the question unanswered")

// write has the model write, for one server after the other.
func (d *Inbox) write(ctx context.Context, chat *loop.Chat, server string, a loop.Aside) (loop.Written, error) {
	select {
	case d.writer <- struct{}{}:
		defer func() { <-d.writer }()
	case <-ctx.Done():
		return loop.Written{}, ctx.Err()
	}
	d.setWriting(server)
	defer d.setWriting("")
	w, err := chat.Write(ctx, a)
	tokens := w.Tokens
	if err != nil {
		tokens = a.MaxTokens // it is not known how many they were
	}
	d.spend(server, tokens)
	w.Text = seen(w.Text)
	return w, err
}

func (d *Inbox) setWriting(server string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.writing = server
	d.news()
}

// readSampling makes a request of what a server wants. Neighbours of one role are joined: templates of models want the roles to take turns.
func readSampling(s mcpclient.Sampling) (loop.Aside, error) {
	a := loop.Aside{MaxTokens: min(cmp.Or(max(s.MaxTokens, 0), usualTokens), mostTokens)}
	size := len(s.System)
	if s.System != "" {
		a.Messages = append(a.Messages, provider.Message{Role: provider.RoleSystem, Text: seen(s.System)})
	}
	said := false
	for _, m := range s.Messages {
		role := provider.RoleUser
		if m.Role == "assistant" {
			role = provider.RoleAssistant
		}
		text := seen(m.Text)
		for _, kind := range m.Other {
			text = strings.TrimSpace(text + fmt.Sprintf("\n(%s that you cannot read)", sanitize.Clip(sanitize.Line(kind), 20)))
		}
		size += len(text)
		said = said || text != "" || len(m.Images) > 0
		if last := len(a.Messages) - 1; last >= 0 && a.Messages[last].Role == role {
			before := &a.Messages[last]
			before.Text, before.Images = before.Text+"\n\n"+text, append(before.Images, m.Images...)
			continue
		}
		a.Messages = append(a.Messages, provider.Message{Role: role, Text: text, Images: append([][]byte(nil), m.Images...)})
		if size > mostText {
			break
		}
	}
	switch {
	case size > mostText:
		return a, fmt.Errorf("the text is longer than %d bytes: ask about less", mostText)
	case !said:
		return a, errors.New("there is nothing to write about: the messages are empty")
	}
	return a, nil
}

// seen is a text as you see it. The model and the server get no other, so that nothing is hidden from you in it.
func seen(text string) string { return sanitize.Text(text) }

// What one server may want of the model.
const (
	mostAMinute  = 10      // requests
	mostASession = 100_000 // tokens, read and written
)

// account is what one server has had of the model.
type account struct {
	asked  []time.Time // within the last minute
	tokens int
}

// admit tells how many of so many tokens the server may have written now. The error says why none.
func (d *Inbox) admit(server string, tokens int) (int, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	a := d.accounts[server]
	if a == nil {
		a = &account{}
		d.accounts[server] = a
	}
	now := time.Now()
	for len(a.asked) > 0 && now.Sub(a.asked[0]) >= time.Minute {
		a.asked = a.asked[1:]
	}
	left := mostASession - a.tokens
	switch {
	case left <= 0:
		return 0, fmt.Errorf("it has had the %d tokens that a server may have in a session", mostASession)
	case len(a.asked) >= mostAMinute:
		wait := time.Minute - now.Sub(a.asked[0])
		return 0, fmt.Errorf("it has asked %d times within a minute, which is the most; it may ask again in %ds", mostAMinute, int(wait.Seconds())+1)
	}
	a.asked = append(a.asked, now)
	return min(tokens, left), nil
}

func (d *Inbox) spend(server string, tokens int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.accounts[server].tokens += tokens
}
