package mcpclient

import (
	"encoding/json"
	"errors"
	"strings"
)

// secrets hides values of the configuration in what servers say, before anybody else hears it: the screen, the model, logs and sessions.
type secrets struct {
	replacer *strings.Replacer // nil: there are none
	tokens   func() []string   // of a login, as they are now; nil: there is none
}

func newSecrets(values []string) secrets {
	if len(values) == 0 {
		return secrets{}
	}
	var pairs []string
	for _, v := range values {
		pairs = append(pairs, v, "•••")
	}
	return secrets{replacer: strings.NewReplacer(pairs...)}
}

// secretsOf are the values of the configuration, and what a login has.
func secretsOf(config Server) secrets {
	s := newSecrets(config.Secrets)
	if login, ok := config.Login.(Secretive); ok {
		s.tokens = login.Secrets
	}
	return s
}

func (s secrets) none() bool { return s.replacer == nil && s.tokens == nil }

func (s secrets) hide(text string) string {
	if s.replacer != nil {
		text = s.replacer.Replace(text)
	}
	if s.tokens != nil {
		for _, token := range s.tokens() {
			text = strings.ReplaceAll(text, token, "•••")
		}
	}
	return text
}

// hideInJSON leaves a value alone that would not be JSON any more.
func (s secrets) hideInJSON(raw json.RawMessage) json.RawMessage {
	if s.none() {
		return raw
	}
	if hidden := s.hide(string(raw)); json.Valid([]byte(hidden)) {
		return json.RawMessage(hidden)
	}
	return raw
}

func (s secrets) hideInResult(r Result) Result {
	r.Text, r.Sources = s.hide(r.Text), s.hideAll(r.Sources)
	return r
}

// hideInTools leaves the names alone: they are what the server knows its tools by.
func (s secrets) hideInTools(tools []Tool) []Tool {
	for i := range tools {
		t := &tools[i]
		t.Title, t.Description = s.hide(t.Title), s.hide(t.Description)
		t.Schema = s.hideInJSON(t.Schema)
	}
	return tools
}

// hideInProgress returns progress, which may be nil, hearing of no secrets.
func (s secrets) hideInProgress(progress func(Progress)) func(Progress) {
	if progress == nil || s.none() {
		return progress
	}
	return func(p Progress) {
		p.Message = s.hide(p.Message)
		progress(p)
	}
}

// hideIn leaves an error as it is unless there is something to hide in it: then only its text is left.
func (s secrets) hideIn(err error) error {
	if err == nil || s.hide(err.Error()) == err.Error() {
		return err
	}
	return errors.New(s.hide(err.Error()))
}

func (s secrets) hideAll(lines []string) []string {
	if s.none() {
		return lines
	}
	hidden := make([]string, len(lines))
	for i, line := range lines {
		hidden[i] = s.hide(line)
	}
	return hidden
}
