package ui

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/aloudchat/aloud/mcpclient"
	"github.com/aloudchat/aloud/mcpclient/elicit"
	"github.com/aloudchat/aloud/provider/inbox"
)

// trying is a chat whose only tool has such a schema.
func trying(schema string) (Options, *toolbox) {
	o := with(says())
	w := o.Tools.(*toolbox)
	w.result, w.takes = mcpclient.Result{Text: "Sunny."}, 0
	w.tools = []mcpclient.Tool{{
		Name: "weather__get_forecast", Server: "weather", ServerTool: "get-forecast", Description: "Tells the weather of the next days.",
		Schema: json.RawMessage(schema), ReadOnly: true, OpenWorld: true,
	}}
	return o, w
}

// try opens the form of the only tool.
func (d *driver) try() {
	d.typeText("/tools\n")
	d.press("down", "enter")
}

const forecast = `{"type":"object","required":["city","days"],"properties":{
	"city":  {"type":"string","description":"Where you are"},
	"days":  {"type":"integer","minimum":1,"maximum":7,"default":3},
	"units": {"type":"string","enum":["metric","imperial"]},
	"area":  {"type":"object","description":"As GeoJSON"}
}}`

func TestAToolIsTried(t *testing.T) {
	for _, width := range []int{40, 80, 200} {
		o, w := trying(forecast)
		w.takes = 3 * time.Second
		w.result = mcpclient.Result{Text: "Sunny.\n[image: image/png, 12 kB]", Images: [][]byte{{1}}}
		drive(t, width, 24, o, func(d *driver) {
			d.typeText("/tools\n")
			d.sees("enter try")
			d.press("down", "enter")
			d.golden(fmt.Sprintf("trial-%d", width))
			d.press("end", "enter")
			d.sees("this has to be filled in", "› city *")
			d.typeText("Bern")
			d.press("tab", "tab", "right", "tab")
			d.typeText(`{"at": x`)
			d.sees("this is no JSON from character 8")
			d.press("backspace")
			d.typeText("[1]")
			d.sees("this JSON is not complete")
			d.typeText("}")
			d.seesNot("JSON is not")
			d.press("end", "enter").wait(2 * time.Second)
			d.sees("◌ Get Forecast", "Using Get Forecast… · 2s")
			d.wait(2 * time.Second)
			d.golden(fmt.Sprintf("trial-result-%d", width))
			want := `{"area":{"at":[1]},"city":"Bern","days":3,"units":"metric"}`
			if len(w.heard) != 1 || w.heard[0] != want {
				t.Errorf("the server heard %s, not %s", w.heard, want)
			}
			d.typeText("/tools\n") // what was filled in is still there
			d.press("down", "enter")
			d.sees("Bern", "metric")
			d.press("end", "right", "enter")
			d.sees("1 tool on")
			if n := len(d.m.talk.conv.Messages()); n != 0 {
				t.Errorf("the conversation has %d messages", n)
			}
		})
	}
}

func TestHowATriedCallEnds(t *testing.T) {
	for _, c := range []struct {
		result mcpclient.Result
		err    error
		words  []string
	}{
		{err: errors.New("it is gone. " + strings.Repeat("gone\n", 10<<20)), words: []string{"  gone\n", "more lines (ctrl+o)"}},
		{err: errors.New("the server \x1b[31mis gone"), words: []string{"✗ Get Forecast", "The server [31mis gone."}},
		{result: mcpclient.Result{Text: "no such city", Failed: true}, words: []string{"✗ Get Forecast", "no such city"}},
		{result: mcpclient.Result{Text: `{"a":1}`, Structured: json.RawMessage(`{"a":1}`), Odd: `"b" is missing`},
			words: []string{"✓ Get Forecast", `This is not what the tool announces: "b" is missing.`, `{"a":1}`}},
	} {
		o, w := trying(`{}`)
		w.result, w.err = c.result, c.err
		drive(t, 80, 24, o, func(d *driver) {
			d.try()
			d.press("tab", "enter").wait(time.Second)
			d.sees(c.words...)
		})
	}
}

func TestATriedToolThatChangesSomethingAsks(t *testing.T) {
	o, w := trying(`{"properties":{"city":{"type":"string"}}}`)
	w.tools[0].ReadOnly, w.tools[0].Destructive = false, true
	drive(t, 80, 24, o, func(d *driver) {
		d.try()
		d.sees("may delete or overwrite")
		d.typeText("Bern")
		for _, no := range []string{"n", "esc", "s", "ctrl+c"} {
			d.press("end", "enter")
			d.sees("May this run?", "may delete or overwrite", `"city": "Bern"`, "y once · n no")
			d.press(no)
			if no == "s" { // it is no answer to this question
				d.sees("May this run?")
				d.press("n")
			}
			d.sees("Bern", "› Call")
		}
		if len(w.heard) > 0 {
			t.Errorf("the server heard %s", w.heard)
		}
		d.press("end", "enter")
		d.press("y").wait(time.Second)
		d.sees("✓ Get Forecast", "Sunny.")
	})
}

func TestATriedToolRunsOnceAndIsStopped(t *testing.T) {
	o, w := trying(`{}`)
	w.takes = time.Minute
	drive(t, 80, 24, o, func(d *driver) {
		d.try()
		d.press("tab")
		enter := tea.KeyPressMsg{Code: tea.KeyEnter}
		d.send(enter)
		d.send(enter)
		d.wait(2500 * time.Millisecond)
		if len(w.heard) != 1 {
			t.Errorf("the server heard %d calls", len(w.heard))
		}
		d.sees("Using Get Forecast… · 2s", "esc to stop")
		d.press("esc").wait(time.Second)
		d.sees("– Get Forecast · stopped · tried by you", "The call was stopped.")
		d.seesNot("◌")
	})
}

func TestNoToolIsTriedWhileATurnRuns(t *testing.T) {
	o, w := trying(`{}`)
	o.Chat.Model = says(chunks(10*time.Second, "One."))
	drive(t, 80, 24, o, func(d *driver) {
		d.typeText("First?\n/tools\n")
		d.press("down", "enter")
		d.sees("try the tool when it is done")
		d.wait(20 * time.Second)
		d.sees("One.")
		if len(w.heard) > 0 {
			t.Errorf("the server heard %s", w.heard)
		}
	})
}

func TestArgumentsShowNothingThatATerminalObeys(t *testing.T) {
	const csi, reverse = "\u009b", "\u202e"
	o, _ := trying(`{"required":["to` + csi + `2J"],"properties":{
		"to` + csi + `2J": {"enum":["a` + reverse + `b"],"default":"a` + reverse + `b"},
		"note": {"type":"string","default":"c` + csi + reverse + `d"},
		"area": {"default":{"e` + csi + `":"` + reverse + `"}}
	}}`)
	drive(t, 120, 30, o, func(d *driver) {
		d.try()
		for _, key := range []string{"tab", "tab", "tab", "enter", "ctrl+o"} {
			if seen := d.m.View().Content; strings.ContainsAny(seen, csi+reverse) {
				t.Errorf("before %s the terminal gets %q", key, seen)
			}
			d.press(key)
		}
	})
}

func TestBlanksOfAValueStay(t *testing.T) {
	o, w := trying(`{"properties":{
		"code": {"type":"string","default":"if a:\n    b\t"},
		"part": {"type":"string","default":"  "},
		"text": {"type":"string"},
		"more": {"type":"object"}
	}}`)
	drive(t, 120, 30, o, func(d *driver) {
		d.try()
		d.sees("if a:↵    b    ▏")
		d.press("tab", "tab")
		d.send(tea.PasteMsg{Content: "  one\r\n\ttwo\r\n"})
		d.press("tab")
		d.send(tea.PasteMsg{Content: "{\r  \"code\": \"if x:    y\"\r}\r"})
		d.send(tea.PasteMsg{Content: strings.Repeat("x", elicit.LongestTyped)}) // half of it would be another value
		d.wait(time.Second)
		d.sees(`  one↵    two`, `{↵  "code": "if x:    y"↵}`, "A field takes 1 MB: nothing of what was pasted is in it")
		want := `{"code":"if a:\n    b\t","more":{"code":"if x:    y"},"part":"  ","text":"  one\n\ttwo"}`
		d.press("end", "end", "enter").wait(time.Second)
		if len(w.heard) != 1 || w.heard[0] != want {
			t.Errorf("the server heard %s, not %s", w.heard, want)
		}
	})
}

func TestToolsThatAreTooMuch(t *testing.T) {
	deep := strings.Repeat(`{"a":`, 50_000) + "1" + strings.Repeat("}", 50_000)
	huge := `{"properties":{` + strings.Repeat(`"a":{"description":"word"},`, 50_000) + `"b":{}}}`
	many := `{"properties":{`
	for i := range 300 {
		many += fmt.Sprintf(`"field %d":{},`, i)
	}
	options := strings.Repeat(`"one",`, 9_999) + `"two"`
	each, _ := json.Marshal(slices.Collect(func(yield func(int) bool) {
		for i := 0; i < 10_000 && yield(i); i++ {
		}
	}))
	for _, schema := range map[string]string{
		"defaults": `{"properties":{"a":{"type":"array","items":{"enum":` + string(each) + `},"default":` + string(each) + `}}}`,
		"deep":     `{"properties":{"a":` + deep + `}}`, "huge": huge, "many": many + `"b":{}}}`,
		"recursive": `{"properties":{"a":{"$ref":"#/$defs/a"},"b":{"$ref":"#"}},"$defs":{"a":{"anyOf":[{"$ref":"#/$defs/a"},{"type":"null"}]}}}`,
		"false":     `{"properties":{"a":false,"b":true,"c":null,"d":7}}`,
		"options":   `{"properties":{"a":{"enum":[` + options + `]},"b":{"type":"array","items":{"enum":[` + options + `]}}}}`,
		"none":      `false`,
	} {
		o, w := trying(schema)
		w.result.Text = strings.Repeat("all work and no play\n", 1<<20)
		drive(t, 80, 24, o, func(d *driver) {
			d.try()
			d.sees("Tells the weather")
			d.press("end", "end", "enter") // of the text, if the cursor is in one, and of the form
			d.wait(time.Second)
			d.sees("all work and no play", "more lines (ctrl+o)")
		})
	}
}

func TestAQuestionOfACallThatIsTriedIsAsked(t *testing.T) {
	o, w := trying(`{}`)
	o.Inbox = inbox.New(true, nil)
	w.answer = func(ctx context.Context) (mcpclient.Result, error) {
		return mcpclient.Result{Text: elicits("Who are you?", allKinds)(ctx, o.Inbox)}, nil
	}
	drive(t, 80, 24, o, func(d *driver) {
		d.try()
		d.press("tab", "enter").wait(time.Second)
		d.sees("Who are you?", "› Your name *")
		d.press("esc").wait(time.Second)
		d.sees("✓ Get Forecast", "cancel null")
	})
}
