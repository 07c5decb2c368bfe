package ui

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/aloudchat/aloud/internal/quantity"
	"github.com/aloudchat/aloud/internal/sanitize"
	"github.com/aloudchat/aloud/provider"
	"github.com/aloudchat/aloud/provider/event"
	"github.com/aloudchat/aloud/status"
	"github.com/aloudchat/aloud/ui/composer"
	"github.com/aloudchat/aloud/ui/dialog"
	"github.com/aloudchat/aloud/ui/look"
	"github.com/aloudchat/aloud/ui/screen"
)

// wait has what explains why a turn takes long.
type wait struct {
	state  status.State
	at     time.Time    // of the state
	last   event.Result // of the answer before
	prompt provider.Prompt
	model  provider.Model
	name   string // of the model
	think  provider.Think
	known  bool    // onGPU is known
	onGPU  float64 // share of the model
}

// wait explains the running turn.
func (t *talk) wait(state status.State) wait {
	chat := t.chat.Settings()
	return wait{state: state, at: time.Now(), last: t.last, prompt: chat.Prompt(t.chat.Conversation()),
		model: chat.Model, name: chat.Name, think: chat.Think}
}

// explain opens the help, or while a turn runs why it takes long. A key that follows puts both into the draft.
func explain(
	dialogs *dialog.Stack, keys keymap, t *talk, state status.State, k tea.KeyPressMsg, prompt *composer.Composer,
) tea.Cmd {
	if !t.busy() {
		return openHelp(dialogs, keys, k, prompt)
	}
	w := t.wait(state)
	d, change := dialog.NewWhy(w.rows(), typedAfter(k, prompt))
	dialogs.Open(d)
	memory, ok := w.model.(provider.Memory)
	if !ok {
		return nil
	}
	return screen.Go(func(ctx context.Context, send func(tea.Msg)) {
		w.onGPU, w.known = memory.OnGPU(ctx, w.name)
		send(change(w.rows()))
	})
}

// rows returns what is known, as pairs of a name and a text.
func (w wait) rows() [][2]string {
	var rows [][2]string
	add := func(name, text string) {
		if text != "" {
			rows = append(rows, [2]string{name, text})
		}
	}
	add("Now", w.state.Words())
	add("Left", w.left())
	add("Speed", w.speed())
	if w.known {
		add("GPU", fmt.Sprintf("%.0f%% of the model is in the memory of the GPU", 100*w.onGPU))
	}
	add("Prompt", w.filled())
	add("Faster", w.faster())
	return rows
}

// left returns how long the step is likely to take still.
func (w wait) left() string {
	expected := w.state.Estimate(w.at)
	if expected == 0 {
		return ""
	}
	left := expected - w.at.Sub(w.state.Since)
	text := "about " + quantity.Duration(left) + ", by earlier runs here"
	if w.state.Phase == status.Reading {
		text = look.Dotted(fmt.Sprintf("about %.0f%% to read", 100*left.Seconds()/expected.Seconds()), text)
	}
	return text
}

// speed compares the speed of writing with the last answer.
func (w wait) speed() string {
	if w.last.Timing.Answer <= 0 || w.last.Usage.AnswerTokens <= 0 {
		return ""
	}
	last := quantity.PerSecond(w.last.Usage.AnswerTokens, time.Duration(w.last.Timing.Answer)*time.Millisecond)
	writes := w.state.Phase == status.Thinking || w.state.Phase == status.Formulating
	// Later rounds begin with the tokens of earlier ones.
	if took := w.at.Sub(w.state.Since); writes && w.state.Tokens > 0 && took >= time.Second && w.state.Round == 0 {
		return "about " + quantity.PerSecond(w.state.Tokens, took) + " tokens per second, " + last + " in the last answer"
	}
	return last + " tokens per second in the last answer"
}

// filled returns what fills the prompt, the largest part first.
func (w wait) filled() string {
	parts, all := w.prompt[:], []string(nil)
	slices.SortStableFunc(parts, func(a, b provider.PromptPart) int { return b.Tokens - a.Tokens })
	for _, p := range parts {
		var of []string
		for _, server := range p.Of[:min(len(p.Of), 3)] {
			of = append(of, sanitize.Line(server.Name)+" "+quantity.Count(server.Tokens))
		}
		switch text := p.Name + " " + quantity.Count(p.Tokens); {
		case p.Tokens == 0:
		case len(of) > 1:
			all = append(all, text+" ("+strings.Join(of, ", ")+")")
		default:
			all = append(all, text)
		}
	}
	if all == nil {
		return ""
	}
	return look.Dotted(all...) + " (about, in tokens)"
}

// faster returns what would help, the most effective first, each on a line.
func (w wait) faster() string {
	var all []string
	if w.known && w.onGPU < 0.99 {
		all = append(all, "a smaller model or context that fits the GPU as a whole: /model")
	}
	if w.state.Phase == status.Thinking && w.think != provider.ThinkOff {
		all = append(all, "no thinking: /think off")
	}
	const many = 1000 // tokens
	if w.prompt[provider.PromptTools].Tokens > many {
		all = append(all, "fewer tools, which are read with every new prompt: /tools")
	}
	if w.prompt[provider.PromptMessages].Tokens+w.prompt[provider.PromptResults].Tokens > 4*many {
		all = append(all, "a summary of older messages: /compact")
	}
	if len(all) == 0 && w.state.Phase == status.Loading {
		all = append(all, "nothing: once loaded, the model stays in memory for a while")
	}
	return strings.Join(all, "\n")
}
