package ui

import (
	"testing"
	"time"

	"github.com/aloudchat/aloud/provider"
	"github.com/aloudchat/aloud/provider/providertest"
)

// counted is a reply for which the server counted the tokens of the prompt.
func counted(text string, prompt int) providertest.Reply {
	return providertest.Reply{
		{Wait: time.Second, Text: text}, {Usage: provider.Usage{PromptTokens: prompt, AnswerTokens: 20}},
	}
}

func TestFooterMarksAssumedContext(t *testing.T) {
	model := says(counted("Hello.", 480))
	model.Models = []provider.Info{{Name: "test:8b", Tools: true, Fixed: true}}
	drive(t, 100, 24, with(model), func(d *driver) {
		d.typeText("/tools\n")
		d.sees("of about 32k tokens")
		d.press("esc")
		d.typeText("Hi\n").wait(5 * time.Second)
		d.sees("context 500/about 32k")
	})
}
