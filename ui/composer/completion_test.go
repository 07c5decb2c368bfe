package composer

import (
	"strings"
	"testing"
)

// someCommands are commands of a chat.
func someCommands() []Command {
	return []Command{{"help", "", "keys and commands"}, {"model", "[name]", "choose the model"}, {"status", "sentence|name", "how running tools are told"}}
}

func FuzzCompletion(f *testing.F) {
	for _, seed := range []string{"/help", "/", "/mo", "/é", "/model x", "//", "/\n"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		c := completion{commands: someCommands()}
		c.follow(text, text)
		for _, fit := range c.fits {
			if !strings.HasPrefix(fit.insert, strings.ToLower(text)) {
				t.Errorf("%q is completed to %q", text, fit.insert)
			}
		}
	})
}

func TestUsage(t *testing.T) {
	for draft, want := range map[string]string{
		"/status ": "/status sentence|name", "/Model qw": "/model [name]", "/status": "", "/help ": "", "/nothing ": "", "say /status ": "",
	} {
		c := completion{commands: someCommands()}
		c.follow(draft, draft)
		if got := c.Usage(); got != want {
			t.Errorf("the usage for %q is %q, not %q", draft, got, want)
		}
	}
}
