package servers

import (
	"github.com/aloudchat/aloud/internal/secret"
	"github.com/aloudchat/aloud/mcpclient"
)

// secrets hides configured secrets and tokens in the texts of a server.
type secrets struct{ secret.Hider }

func (s secrets) hideInResult(r mcpclient.Result) mcpclient.Result {
	r.Text, r.Sources, r.Odd = s.Text(r.Text), s.Texts(r.Sources), s.Text(r.Odd)
	r.Structured = s.JSON(r.Structured)
	return r
}

// hideInTools does not change names, which identify the tools.
func (s secrets) hideInTools(tools []mcpclient.Tool) []mcpclient.Tool {
	for i := range tools {
		t := &tools[i]
		t.Title, t.Description = s.Text(t.Title), s.Text(t.Description)
		t.Schema = s.JSON(t.Schema)
	}
	return tools
}

// hideInPrompts does not change names, which identify the prompts.
func (s secrets) hideInPrompts(prompts []mcpclient.Prompt) []mcpclient.Prompt {
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

// hideInResources does not change addresses, which identify the resources.
func (s secrets) hideInResources(resources []mcpclient.Resource) []mcpclient.Resource {
	for i := range resources {
		r := &resources[i]
		r.Name, r.Title, r.Description = s.Text(r.Name), s.Text(r.Title), s.Text(r.Description)
	}
	return resources
}

// hideInProgress wraps progress, which may be nil.
func (s secrets) hideInProgress(progress func(mcpclient.Progress)) func(mcpclient.Progress) {
	if progress == nil || s.IsEmpty() {
		return progress
	}
	return func(p mcpclient.Progress) {
		p.Message = s.Text(p.Message)
		progress(p)
	}
}
