package live

import (
	"slices"

	"github.com/aloudchat/aloud/internal/sanitize"
	"github.com/aloudchat/aloud/provider"
	"github.com/aloudchat/aloud/session"
)

// Choice is how a chat finds a model if it must not be a certain one, and what its conversation used before.
type Choice struct {
	Others      []string     // for provider.Choose
	Named, From string       // the model that --model or ALOUD_MODEL names, and which of the two; "" for none
	Provider    string       // in use
	Before      session.Used // by the resumed conversation; the zero value for a new one
}

// Change reports in a sentence or two that a resumed conversation continues with another model or provider, and why.
// It returns "" if there is nothing to report.
func (c Choice) Change(model string) string {
	if c.Before.Model == "" {
		return ""
	}
	was, now := short(c.Before.Model), short(model)
	text, named := "", c.From != "" && provider.SameModel(c.Named, model)
	if c.From != "" && !named {
		text = c.From + " names " + short(c.Named) + ", which is not available. "
	}
	switch {
	case c.Elsewhere():
		was, now = was+" of provider "+short(c.Before.Provider), now+" of provider "+short(c.Provider)
	case provider.SameModel(c.Before.Model, model) && text == "":
		return ""
	case provider.SameModel(c.Before.Model, model):
		return text + "This conversation continues with " + now + "."
	case !named:
		was += ", which is not available"
	}
	if named {
		now += ", as " + c.From + " says"
	}
	return text + "This conversation was with " + was + ". It continues with " + now + "."
}

// ForNew returns the choice for a new conversation after this one.
func (c Choice) ForNew() Choice {
	if i := slices.Index(c.Others, c.Before.Model); i >= 0 && !c.Elsewhere() {
		c.Others = slices.Delete(slices.Clone(c.Others), i, i+1) // only one: the file may name the same
	}
	c.Before = session.Used{}
	return c
}

// Elsewhere reports whether the conversation was with another provider, which has other models.
func (c Choice) Elsewhere() bool { return c.Before.Provider != "" && c.Before.Provider != c.Provider }

// short returns a name from a file or a server as a short and safe text.
func short(name string) string {
	const cells = 80
	return sanitize.CutEnd(sanitize.Line(name), cells)
}
