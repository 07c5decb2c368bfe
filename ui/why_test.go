package ui

import (
	"context"
	"testing"
	"time"

	"github.com/aloudchat/aloud/provider"
	"github.com/aloudchat/aloud/provider/providertest"
)

// halfLoaded is a model of which a part is in the memory of the GPU.
type halfLoaded struct{ *providertest.Script }

func (halfLoaded) LoadedContext(context.Context, string) int                 { return 8192 }
func (halfLoaded) OnGPU(context.Context, string) (share float64, known bool) { return 0.5, true }

func TestQuestionMarkExplainsWait(t *testing.T) {
	model := says(chunks(3*second, "Well, ", "it ", "is ", "so."), chunks(second, "Yes."))
	o := with(&halfLoaded{model})
	drive(t, 100, 24, o, func(d *driver) {
		d.press("?").wait(second)
		d.sees("Help")
		d.press("esc").typeText("why?\n").wait(2 * second)
		d.press("?").wait(second)
		d.sees("Why this takes long", "Now", "50% of the model", "instructions", "Faster", "/model")
		d.press("x").wait(second)
		d.sees("› ?x")
		d.seesNot("Why this takes long")
	})
}

func TestExplanationNamesPartsOfPrompt(t *testing.T) {
	o := with(says(chunks(100*time.Millisecond, "One ", "two."), chunks(3*second, "Three ", "four ", "five.")))
	drive(t, 100, 24, o, func(d *driver) {
		d.typeText("go\n").wait(20 * second)
		d.typeText("again\n").wait(4 * second)
		d.press("?").wait(second)
		d.sees("tools ", "messages ", "instructions ", "(about, in tokens)")
	})
}

func TestLargestPartOfPromptComesFirst(t *testing.T) {
	servers := []provider.PromptPart{{Name: "shop", Tokens: 400}, {Name: "files", Tokens: 300}}
	prompt := provider.Prompt{{Name: "instructions", Tokens: 140}, {Name: "tools", Tokens: 700, Of: servers},
		{Name: "messages", Tokens: 900}}
	want := "messages 900 · tools 700 (shop 400, files 300) · instructions 140 (about, in tokens)"
	if got := (wait{prompt: prompt}).filled(); got != want {
		t.Errorf("the prompt has %q, not %q", got, want)
	}
	if got := (wait{}).filled(); got != "" {
		t.Errorf("an empty prompt has %q", got)
	}
}
