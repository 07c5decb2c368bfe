package headless

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/aloudchat/aloud/mcpclient"
	"github.com/aloudchat/aloud/mcpclient/form"
	"github.com/aloudchat/aloud/provider/desk"
	"github.com/aloudchat/aloud/sanitize"
	"github.com/aloudchat/aloud/status"
)

// answerServers puts what servers ask to the person at the input, until nothing waits for an answer. hide takes away the line that moves.
func (l *lines) answerServers(ctx context.Context, hide func()) {
	if l.Desk == nil {
		return
	}
	for q := l.Desk.Now(); q != nil; q = l.Desk.Now() {
		hide()
		l.answerServer(ctx, q)
	}
}

// answerIdle puts what servers ask while no turn runs to the person, tells what became of it, and returns what is closed when there is something
// new; nil when none can ask.
func (l *lines) answerIdle(ctx context.Context) (changed <-chan struct{}) {
	if l.Desk == nil {
		return nil
	}
	ctx, done := l.stoppable(ctx)
	defer done()
	for {
		asked, changed := l.Desk.Asking()
		for _, text := range l.Desk.Notices() {
			l.tell(text)
		}
		if asked.Server == "" || asked.Model {
			return changed
		}
		l.prompted = false
		l.answerServers(ctx, func() {})
		if ctx.Err() != nil {
			return changed
		}
	}
}

// answerServer asks one question. It ends when the server does not wait any more.
func (l *lines) answerServer(ctx context.Context, q *desk.Question) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	go func() {
		defer cancel()
		select {
		case <-q.Over():
		case <-ctx.Done():
		}
	}()
	i := inquiry{lines: l, question: q, server: sanitize.Line(q.Server)}
	fmt.Fprintln(l.Stderr)
	switch q.Kind {
	case desk.Form:
		q.Answer(i.form(ctx))
	case desk.Page:
		i.page(ctx)
	default:
		q.Answer(i.sampling(ctx))
	}
	if q.TakenBack() {
		fmt.Fprintf(l.Stderr, "\n%s does not wait for your answer any more.\n", i.server)
	}
}

// inquiry is one question on its way to the person.
type inquiry struct {
	*lines
	question *desk.Question
	ready    time.Time // when a line can fill in a field: each decision has a time of its own
	server   string
}

// choose asks until one of the letters is answered, as it or as the word; "" when no answer will come.
func (i *inquiry) choose(ctx context.Context, prompt string, words ...string) string {
	var ready time.Time
	for {
		text, ok := i.typed(ctx, prompt, &ready)
		if !ok {
			return ""
		}
		for _, word := range words {
			if text = strings.ToLower(strings.TrimSpace(text)); text == word || text == word[:1] {
				return word
			}
		}
	}
}

// form asks for one field after the other.
func (i *inquiry) form(ctx context.Context) desk.Answer {
	f := i.question.Form
	fmt.Fprintf(i.Stderr, "The server %s asks: %s\n", i.server, quoted(i.question.Elicitation.Message))
	values := map[string]any{}
	if len(f.Fields) > 0 {
		fmt.Fprintln(i.Stderr, `Your answer goes to that server: no passwords or keys. An empty line takes what stands in [ ], - leaves a field out, . says no.`)
	}
	for _, field := range f.Fields {
		value, given, ok := i.field(ctx, field)
		if !ok {
			return i.decide(ctx, "")
		}
		if given {
			values[field.Name] = value
		}
	}
	a := i.decide(ctx, "Send it to "+i.server+"? [y]es, ", "yes")
	if a.Action == mcpclient.Accept {
		a.Content = values
	}
	return a
}

// field asks for one field until it has a value that fits, or is left out; ok is false when the person says no, or nothing.
func (i *inquiry) field(ctx context.Context, f form.Field) (value any, given, ok bool) {
	if f.Description != "" {
		fmt.Fprintf(i.Stderr, "  %s\n", sanitize.Line(f.Description))
	}
	for {
		text, ok := i.typed(ctx, fieldPrompt(f), &i.ready)
		switch {
		case !ok, strings.TrimSpace(text) == ".":
			return nil, false, false
		case strings.TrimSpace(text) == "-" && !f.Required:
			return nil, false, true
		case strings.TrimSpace(text) == "" && f.Default != nil:
			return f.Default, true, true
		}
		value, given, err := f.Read(text)
		if err == nil {
			return value, given, true
		}
		fmt.Fprintf(i.Stderr, "  %s\n", err)
	}
}

// fieldPrompt is "Size (required; Small, Medium, Large) [Medium]: ".
func fieldPrompt(f form.Field) string {
	var about []string
	if f.Required {
		about = append(about, "required")
	}
	switch f.Kind {
	case form.Boolean:
		about = append(about, "yes or no")
	case form.Choice, form.Choices:
		var titles []string
		for _, o := range f.Options {
			titles = append(titles, o.Title)
		}
		if f.Kind == form.Choices {
			about = append(about, "some of")
		}
		about = append(about, strings.Join(titles, ", "))
	case form.JSON:
		about = append(about, "JSON")
	}
	prompt := f.Title
	if len(about) > 0 {
		prompt += " (" + strings.Join(about, "; ") + ")"
	}
	if f.Default != nil {
		prompt += " [" + sanitize.Line(f.Typed(f.Default)) + "]"
	}
	return prompt + ": "
}

// page asks whether the person goes to a page, and opens it if so.
func (i *inquiry) page(ctx context.Context) {
	v := i.question.Visit
	fmt.Fprintf(i.Stderr, "The server %s sends you to a page: %s\n  %s\nThe page belongs to %s.\n", i.server, quoted(i.question.Elicitation.Message), v.Address, v.Host)
	if v.Looks != "" {
		fmt.Fprintf(i.Stderr, "Its host is written with letters that can look like others: %s is %s.\n", v.Looks, v.Host)
	}
	a := i.decide(ctx, "Open it in your browser? [y]es, ", "yes")
	i.question.Answer(a)
	if a.Action != mcpclient.Accept {
		return
	}
	if i.OpenPage == nil {
		fmt.Fprintln(i.Stderr, "Open the address by hand.")
	} else if err := i.OpenPage(v.Address); err != nil {
		fmt.Fprintf(i.Stderr, "%s\n", sanitize.Line(err.Error()))
	}
}

// sampling shows what the model would get, or what it wrote.
func (i *inquiry) sampling(ctx context.Context) desk.Answer {
	q := i.question
	if q.Kind == desk.Review {
		fmt.Fprintf(i.Stderr, "%s wrote for the server %s:\n  %s\n", sanitize.Line(q.Model), i.server, quoted(q.Written))
		return i.decide(ctx, "Send it to "+i.server+"? [y]es, ", "yes")
	}
	i.wanted()
	return i.decide(ctx, "Allow it? [y]es once, yes for this [s]ession, ", "yes", "session")
}

// wanted tells everything that the model would get.
func (i *inquiry) wanted() {
	q, s := i.question, i.question.Sampling
	fmt.Fprintf(i.Stderr, "The server %s wants %s to write up to %s tokens for it", i.server, sanitize.Line(q.Model), status.Count(q.MaxTokens))
	if len(s.Hints) > 0 {
		fmt.Fprintf(i.Stderr, " (it would like %s)", sanitize.Line(strings.Join(s.Hints, ", ")))
	}
	fmt.Fprintln(i.Stderr, ":")
	say := func(who, text string) {
		if text != "" {
			fmt.Fprintf(i.Stderr, "%s: %s\n", who, quoted(text))
		}
	}
	say("instructions", s.System)
	for _, m := range s.Messages {
		say(sanitize.Line(m.Role), m.Text)
		if n := len(m.Images); n > 0 {
			fmt.Fprintf(i.Stderr, "(images: %d)\n", n)
		}
		for _, kind := range m.Other {
			fmt.Fprintf(i.Stderr, "(with %s, which the model does not get)\n", sanitize.Line(kind))
		}
	}
	if len(s.Stop) > 0 {
		fmt.Fprintf(i.Stderr, "It ends before: %s\n", desk.Sequences(s.Stop))
	}
	fmt.Fprintln(i.Stderr, "What it writes goes to that server once you have seen it; for the session, at once.")
}

// decide asks with the ways to say yes, and adds those to say no.
func (i *inquiry) decide(ctx context.Context, prompt string, yes ...string) desk.Answer {
	prompt += "[n]o, [d]ecline whatever it asks, or [l]eave it unanswered: "
	switch i.choose(ctx, prompt, append(yes, "no", "decline", "leave")...) {
	case "yes":
		return desk.Answer{Action: mcpclient.Accept}
	case "session":
		return desk.Answer{Action: mcpclient.Accept, Session: true}
	case "no":
		return desk.Answer{Action: mcpclient.Decline}
	case "decline":
		return desk.Answer{Action: mcpclient.Decline, Session: true}
	}
	return desk.Answer{Action: mcpclient.Cancel}
}

// quoted is a text of somebody else: its lines after the first are indented, so that none of them looks like a word of ours.
func quoted(text string) string { return strings.ReplaceAll(sanitize.Text(text), "\n", "\n  ") }
