package mcpclient

import (
	"log/slog"

	"github.com/aloudchat/aloud/mcpclient/conn"
	"github.com/aloudchat/aloud/secret"
)

// secrets hides the secrets in what a server says from the screen, the model, logs and sessions.
type secrets struct{ secret.Hider }

// secretsOf returns the secrets of the configuration and of the login.
func secretsOf(config Server) secrets {
	var tokens func() []string
	if way, ok := config.Login.(conn.Secretive); ok {
		tokens = way.Secrets
	}
	return secrets{secret.Hide(config.Secrets, tokens)}
}

// logOf returns the log of the wire to a server; nil means none.
func logOf(config Server) *conn.Log {
	return conn.NewLog(slog.Default(), config.Name, secretsOf(config).Hider)
}

func (s secrets) hideInResult(r Result) Result {
	r.Text, r.Sources, r.Odd = s.Text(r.Text), s.Texts(r.Sources), s.Text(r.Odd)
	r.Structured = s.JSON(r.Structured)
	return r
}

// hideInTools leaves the names alone: they identify the tools.
func (s secrets) hideInTools(tools []Tool) []Tool {
	for i := range tools {
		t := &tools[i]
		t.Title, t.Description = s.Text(t.Title), s.Text(t.Description)
		t.Schema = s.JSON(t.Schema)
	}
	return tools
}

// hideInPrompts leaves the names alone: they identify the prompts.
func (s secrets) hideInPrompts(prompts []Prompt) []Prompt {
	for i := range prompts {
		p := &prompts[i]
		p.Title, p.Description = s.Text(p.Title), s.Text(p.Description)
		for k := range p.Arguments {
			a := &p.Arguments[k]
			a.Title, a.Description = s.Text(a.Title), s.Text(a.Description)
		}
	}
	return prompts
}

// hideInResources leaves the addresses alone: they identify the resources.
func (s secrets) hideInResources(resources []Resource) []Resource {
	for i := range resources {
		r := &resources[i]
		r.Name, r.Title, r.Description = s.Text(r.Name), s.Text(r.Title), s.Text(r.Description)
	}
	return resources
}

// hideInProgress wraps progress, which may be nil.
func (s secrets) hideInProgress(progress func(Progress)) func(Progress) {
	if progress == nil || s.None() {
		return progress
	}
	return func(p Progress) {
		p.Message = s.Text(p.Message)
		progress(p)
	}
}
