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
	"github.com/aloudchat/aloud/mcpclient/form"
	"github.com/aloudchat/aloud/provider/desk"
	"github.com/aloudchat/aloud/status"
)

// workbench is a toolbox with one tool, and what comes of its calls.
type workbench struct {
	*toolbox
	answer func(ctx context.Context, arguments string, progress func(mcpclient.Progress)) (mcpclient.Result, error)
	heard  []string // the arguments of its calls
}

func (w *workbench) Call(ctx context.Context, name string, arguments json.RawMessage, progress func(mcpclient.Progress)) (mcpclient.Result, error) {
	if name != w.tools[0].Name {
		return mcpclient.Result{}, fmt.Errorf("there is no tool %q", name)
	}
	w.heard = append(w.heard, string(arguments))
	return w.answer(ctx, string(arguments), progress)
}

// trying is a chat whose only tool has such a schema.
func trying(schema string) (Options, *workbench) {
	o := with(says())
	w := &workbench{toolbox: newToolbox()}
	w.tools = []mcpclient.Tool{{
		Name: "weather__get_forecast", Server: "weather", ServerTool: "get-forecast", Description: "Tells the weather of the next days.",
		Schema: json.RawMessage(schema), ReadOnly: true, OpenWorld: true,
	}}
	w.answer = func(context.Context, string, func(mcpclient.Progress)) (mcpclient.Result, error) {
		return mcpclient.Result{Text: "Sunny."}, nil
	}
	o.Tools = w
	return o, w
}

const forecast = `{"type":"object","required":["city","days"],"properties":{
	"city":  {"type":"string","description":"Where you are"},
	"days":  {"type":"integer","minimum":1,"maximum":7,"default":3},
	"units": {"type":"string","enum":["metric","imperial"]},
	"area":  {"type":"object","description":"As GeoJSON"}
}}`

func TestATriedToolComesAndGoes(t *testing.T) {
	o, w := trying(forecast)
	o.Board = &status.Board{}
	drive(t, 80, 30, o, func(d *driver) {
		offer := func(tools ...mcpclient.Tool) {
			w.tools = tools
			o.Board.Set(status.Server{Name: "weather", State: status.ServerReady})
			d.wait(10 * time.Millisecond)
		}
		tool := w.tools[0]
		d.typeText("/tools\n")
		d.press("down", "enter")
		d.typeText("Oslo")
		offer()
		d.sees("Its server does not offer it any more", "city *", "Oslo")
		offer(tool)
		d.seesNot("any more")
		d.sees("Oslo")
		tool.Schema = json.RawMessage(`{"type":"object","properties":{"city":{"type":"string"},"days":{"type":"integer"},"hours":{"type":"integer"}}}`)
		offer(tool)
		d.sees("It takes other arguments by now")
		d.seesNot("hours")
		d.press("esc", "enter", "enter")
		d.sees("city", "Oslo", "hours")
		d.seesNot("other arguments")
	})
}

func TestAToolIsTried(t *testing.T) {
	for _, width := range []int{40, 80} {
		o, w := trying(forecast)
		w.tools[0].Output = json.RawMessage(`{"type":"object","required":["degrees"]}`)
		w.answer = func(ctx context.Context, _ string, progress func(mcpclient.Progress)) (mcpclient.Result, error) {
			for i := range 4 {
				progress(mcpclient.Progress{Done: float64(i), Total: 4, Message: fmt.Sprint("asking station ", i)})
				time.Sleep(time.Second)
			}
			return mcpclient.Result{
				Text: "Sunny.\n[image: image/png, 12 kB]", Images: [][]byte{{1}}, Structured: json.RawMessage(`{"degrees":3,"wind":{"from":"west"}}`), Fits: true,
			}, nil
		}
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
			d.press("end", "enter")
			d.sees("Calling…")
			d.wait(2500 * time.Millisecond)
			d.sees("Calling… 2s", "50% · asking station 2")
			d.wait(2 * time.Second)
			d.golden(fmt.Sprintf("trial-result-%d", width))
			want := `{"city":"Bern","days":3,"units":"metric","area":{"at":[1]}}`
			if len(w.heard) != 1 || w.heard[0] != want {
				t.Errorf("the server heard %s, not %s", w.heard, want)
			}
			d.press("enter") // what was filled in is still there
			d.sees("Bern", "metric")
			d.press("home", "backspace", "end", "enter")
			d.wait(5 * time.Second)
			if len(w.heard) != 2 || !strings.Contains(w.heard[1], `"Ber"`) {
				t.Errorf("the server heard %s", w.heard)
			}
			d.press("esc")
			d.sees("1 tool on")
			d.press("esc")
			d.typeText("/tools\n") // and for as long as the chat goes on
			d.press("down", "enter")
			d.sees("Ber", "metric")
			d.press("esc", "esc")
			if n := len(d.m.talk.conv.Messages()); n != 0 {
				t.Errorf("the conversation has %d messages", n)
			}
		})
	}
}

func TestACallOfAPersonIsStopped(t *testing.T) {
	for want, unconfirmed := range map[string]error{
		"The server was told.":                                       nil,
		"before weather was asked.":                                  mcpclient.ErrUnasked,
		"weather did not confirm it and may still be working on it.": mcpclient.ErrUnconfirmed,
	} {
		o, w := trying(`{}`)
		w.answer = func(ctx context.Context, _ string, _ func(mcpclient.Progress)) (mcpclient.Result, error) {
			<-ctx.Done()
			time.Sleep(time.Second)
			return mcpclient.Result{}, errors.Join(ctx.Err(), unconfirmed)
		}
		drive(t, 120, 24, o, func(d *driver) {
			d.typeText("/tools\n")
			d.press("down", "enter", "enter") // there is nothing to fill in
			d.wait(2500 * time.Millisecond)
			d.sees("Calling… 2s", "esc stops it")
			d.press("esc")
			d.sees("Stopping…")
			d.wait(2 * time.Second)
			d.sees("Stopped", want)
			d.press("r")
			d.sees("Calling…")
			d.press("esc", "esc") // who does not want to wait for that goes back to the list
			d.sees("1 tool on")
			d.wait(2 * time.Second)
			d.sees("1 tool on")
		})
	}
}

func TestErrorsOfACallAreTold(t *testing.T) {
	o, w := trying(`{}`)
	drive(t, 80, 24, o, func(d *driver) {
		d.typeText("/tools\n")
		d.press("down", "enter")
		for _, c := range []struct {
			result mcpclient.Result
			err    error
			words  []string
		}{
			{err: errors.New("it is gone. " + strings.Repeat("gone ", 10<<20)), words: []string{"✗ No result", "It is gone."}},
			{err: errors.New("the server \x1b[31mis gone"), words: []string{"✗ No result", "The server [31mis gone."}},
			{result: mcpclient.Result{Text: "no such city", Failed: true}, words: []string{"✗ The tool says that it failed", "no such city"}},
			{result: mcpclient.Result{Text: `{"a":1}`, Structured: json.RawMessage(`{"a":1}`), Odd: `"b" is missing`},
				words: []string{"Structured content", `This is not what the tool announces: "b" is missing.`, `  "a": 1`}},
		} {
			w.answer = func(context.Context, string, func(mcpclient.Progress)) (mcpclient.Result, error) {
				return c.result, c.err
			}
			d.press("enter")
			d.wait(time.Second)
			d.sees(c.words...)
			d.press("enter")
		}
	})
}

func TestWhatMayDeleteSaysSoOnTheButton(t *testing.T) {
	o, w := trying(`{}`)
	w.tools[0].ReadOnly, w.tools[0].Destructive = false, true
	drive(t, 80, 24, o, func(d *driver) {
		d.typeText("/tools\n")
		d.press("down", "enter", "enter") // the second one is too quick for that
		d.sees("Call: may delete or overwrite")
		d.press("tab", "right", "enter")
		d.sees("1 tool on")
		if len(w.heard) > 0 {
			t.Errorf("the server heard %s", w.heard)
		}
		d.press(" ", "enter")
		d.sees("It is switched off")
	})
}

// TestHintsOfATriedToolAreThoseOfNow: a server that announces its tool anew may say less of it than before.
func TestHintsOfATriedToolAreThoseOfNow(t *testing.T) {
	o, w := trying(`{"type":"object","properties":{"city":{"type":"string"}}}`)
	o.Board = &status.Board{}
	drive(t, 80, 24, o, func(d *driver) {
		tool := w.tools[0]
		announce := func(readOnly, destructive bool) {
			tool.ReadOnly, tool.Destructive = readOnly, destructive
			w.tools = []mcpclient.Tool{tool}
			o.Board.Set(status.Server{Name: "weather", State: status.ServerReady})
			d.wait(10 * time.Millisecond)
		}
		d.typeText("/tools\n")
		d.press("down", "enter")
		d.typeText("Os")
		d.sees("says that it only reads", "Call     Back")
		announce(false, true)
		d.sees("may delete or overwrite", "Call: may delete or overwrite")
		d.seesNot("only reads")
		d.typeText("lo") // the cursor is where it was
		d.sees("Oslo")
		d.press("end")
		announce(false, false)
		d.sees("says that it deletes nothing", "Call     Back")
		d.press("end")
		announce(false, true)
		d.press("enter") // was meant for the other button
		if len(w.heard) > 0 {
			t.Errorf("the server heard %s", w.heard)
		}
		d.sees("Oslo", "Call: may delete or overwrite")
		d.press("esc", "esc")
		announce(true, false)
		d.typeText("/tools\n")
		d.press("down")
		announce(false, true) // the list follows, too
		d.press("enter")
		d.sees("Oslo", "Call: may delete or overwrite")
	})
}

func TestArgumentsAreWrittenAsJSON(t *testing.T) {
	o, w := trying(forecast)
	drive(t, 120, 30, o, func(d *driver) {
		d.typeText("/tools\n")
		d.press("down", "enter")
		d.typeText("Bern")
		d.press("ctrl+s")
		d.sees(`{"city":"Bern","days":3▏}`)
		d.press("ctrl+s")
		d.sees("› city *", "Bern", "area")
		d.press("ctrl+s")
		d.typeText(`,"days":"many"`)
		d.press("ctrl+s")
		d.sees(`The field "days" cannot hold its value: this is a value of another kind.`)
		d.press("tab", "enter") // but the server may be asked so
		d.wait(time.Second)
		d.sees("Sunny.")
		if want := `{"city":"Bern","days":3,"days":"many"}`; len(w.heard) != 1 || w.heard[0] != want {
			t.Errorf("the server heard %s, not %s", w.heard, want)
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
		d.typeText("/tools\n")
		d.press("down", "enter")
		for _, key := range []string{"tab", "tab", "tab", "ctrl+s", "tab", "ctrl+o"} {
			if seen := d.m.View().Content; strings.ContainsAny(seen, csi+reverse) {
				t.Errorf("before %s the terminal gets %q", key, seen)
			}
			d.press(key)
		}
	})
}

func TestWhatIsHalfWrittenStays(t *testing.T) {
	o, w := trying(forecast)
	drive(t, 120, 30, o, func(d *driver) {
		d.typeText("/tools\n")
		d.press("down", "enter", "tab", "backspace")
		d.typeText("12a")
		d.press("ctrl+s") // JSON could not say that
		d.sees("› days *", "12a▏", "this is no whole number", "ctrl+s as JSON")
		d.press("tab", "tab")
		d.typeText(`{"at": [1`)
		for _, leave := range []string{"esc", "ctrl+c"} {
			d.press(leave)
			d.sees("1 tool on")
			d.press("enter")
			d.sees("› city *", "12a", "this is no whole number", `{"at": [1`)
		}
		d.press("tab", "backspace", "backspace", "backspace")
		d.typeText("2")
		d.press("ctrl+s")
		d.sees("› area", "this JSON is not complete")
		d.typeText("]}")
		d.press("ctrl+s")
		d.sees(`{"days":2,"area":{"at":[1]}▏}`) // what is not written yet hinders nobody
		d.typeText(`,"units":`)
		d.press("esc")
		w.tools[0].Schema = json.RawMessage(`{"properties":{"city":{"type":"string"}}}`)
		d.press("enter")
		d.sees(`{"days":2,"area":{"at":[1]},"units":▏}`)
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
		d.typeText("/tools\n")
		d.press("down", "enter")
		d.sees("if a:↵    b    ▏")
		d.press("tab", "tab")
		d.send(tea.PasteMsg{Content: "  one\r\n\ttwo\r\n"})
		d.press("tab")
		d.send(tea.PasteMsg{Content: "{\r  \"code\": \"if x:    y\"\r}\r"})
		d.send(tea.PasteMsg{Content: strings.Repeat("x", form.LongestTyped)}) // half of it would be another value
		d.wait(time.Second)
		d.sees(`  one↵    two`, `{↵  "code": "if x:    y"↵}`, "A field takes 1 MB: nothing of what was pasted is in it")
		want := `{"code":"if a:\n    b\t","part":"  ","text":"  one\n\ttwo","more":{"code":"if x:    y"}}`
		d.press("ctrl+s")
		d.sees(want[:len(want)-1] + "▏}")
		d.press("ctrl+s")
		d.sees("› code", "if a:↵    b    ▏", "  one↵    two")
		for range 5 {
			d.press("tab")
		}
		d.press("shift+tab", "enter", "enter")
		d.wait(time.Second)
		if len(w.heard) != 1 || w.heard[0] != want {
			t.Errorf("the server heard %s, not %s", w.heard, want)
		}
	})
}

func TestKeysOfALineAreThoseOfAField(t *testing.T) {
	o, _ := trying(forecast)
	drive(t, 120, 30, o, func(d *driver) {
		d.typeText("/tools\n")
		d.press("down", "enter", "tab")
		d.typeText("14")
		for _, step := range []struct{ key, seen string }{
			{"home", "▏314"}, {"end", "314▏"}, {"ctrl+a", "▏314"}, {"ctrl+e", "314▏"}, {"end", "› Call"}, {"home", "› city"}, {"end", "› Call"},
		} {
			d.press(step.key)
			d.sees(step.seen)
		}
	})
}

func TestTheEqualCommand(t *testing.T) {
	o, w := trying(forecast)
	w.tools[0].ServerTool = "get forecast"
	drive(t, 120, 30, o, func(d *driver) {
		tr := newTrial(t.Context(), w, w.tools[0], map[string]draft{}, func() bool { return true })
		d.m.dialogs.while(func() tea.Cmd { d.m.dialogs.open(tr); return nil })
		d.typeText("Land's End")
		arguments, _ := tr.arguments()
		got := callCommand(w.tools[0], arguments)
		if want := `aloud mcp call weather 'get forecast' '{"city":"Land'\''s End","days":3}'`; got != want {
			t.Errorf("the command is %s, not %s", got, want)
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
	for name, schema := range map[string]string{
		"defaults": `{"properties":{"a":{"type":"array","items":{"enum":` + string(each) + `},"default":` + string(each) + `}}}`,
		"deep":     `{"properties":{"a":` + deep + `}}`, "huge": huge, "many": many + `"b":{}}}`,
		"recursive": `{"properties":{"a":{"$ref":"#/$defs/a"},"b":{"$ref":"#"}},"$defs":{"a":{"anyOf":[{"$ref":"#/$defs/a"},{"type":"null"}]}}}`,
		"false":     `{"properties":{"a":false,"b":true,"c":null,"d":7}}`,
		"options":   `{"properties":{"a":{"enum":[` + options + `]},"b":{"type":"array","items":{"enum":[` + options + `]}}}}`,
		"none":      `false`,
	} {
		o, w := trying(schema)
		size := 50 << 20
		if name != "options" {
			size = 1 << 10
		}
		structured := json.RawMessage(deep)
		if name == "none" {
			structured = json.RawMessage(`"` + strings.Repeat("ä", 25<<20) + `"`)
		}
		w.answer = func(context.Context, string, func(mcpclient.Progress)) (mcpclient.Result, error) {
			return mcpclient.Result{Text: strings.Repeat("all work and no play\n", size/21), Structured: structured}, nil
		}
		drive(t, 80, 24, o, func(d *driver) {
			d.typeText("/tools\n")
			d.press("down", "enter")
			d.sees("Tells the weather")
			d.press("end", "end", "enter") // of the text, if the cursor is in one, and of the form
			d.wait(time.Second)
			d.sees("✓ Done")
			if name == "none" {
				d.press("end")
				d.sees("… 52.4 MB more")
			}
			if name == "options" {
				d.press("end")
				d.sees("… 234 kB more")
				d.press("home")
				d.sees("52.4 MB · about 15M tokens", "all work and no play")
			}
		})
	}
}

func TestAQuestionOfACallThatIsTriedIsAsked(t *testing.T) {
	o, w := trying(`{}`)
	o.Desk = desk.New(true, nil)
	w.answer = func(ctx context.Context, _ string, _ func(mcpclient.Progress)) (mcpclient.Result, error) {
		return mcpclient.Result{Text: elicits("Who are you?", allKinds)(ctx, o.Desk)}, nil
	}
	drive(t, 80, 24, o, func(d *driver) {
		d.typeText("/tools\n")
		d.press("down", "enter", "enter")
		d.wait(time.Second)
		d.sees("Who are you?", "› Your name *")
		d.press("esc")
		d.wait(time.Second)
		d.sees("✓ Done", "cancel null")
	})
}

// TestAQuestionThatWaitedComesUpWhenACallBegins: until it is answered, the call's own question is not asked.
func TestAQuestionThatWaitedComesUpWhenACallBegins(t *testing.T) {
	o, w := trying(`{}`)
	o.Desk = desk.New(true, nil)
	w.answer = func(ctx context.Context, _ string, _ func(mcpclient.Progress)) (mcpclient.Result, error) {
		return mcpclient.Result{Text: elicits("Which town?", allKinds)(ctx, o.Desk)}, nil
	}
	drive(t, 80, 24, o, func(d *driver) {
		d.typeText("/tools\n")
		d.press("down", "enter")
		go elicits("Who are you?", allKinds)(d.m.ctx, o.Desk)
		d.wait(time.Second)
		d.sees("Tells the weather", "● files asks you: that opens when this is closed")
		d.press("enter", "x") // the letter is not meant for what comes up
		d.sees("Who are you?")
		d.seesNot("x▏")
		d.wait(time.Second)
		d.press("esc")
		d.wait(time.Second)
		d.sees("Which town?")
		d.press("esc")
		d.wait(time.Second)
		d.sees("✓ Done", "cancel null")
	})
}

// TestAQuestionOfACallWaitsForAnApproval that lies above the call, and is asked after it.
func TestAQuestionOfACallWaitsForAnApproval(t *testing.T) {
	o, w := trying(`{}`)
	o.Desk = desk.New(true, nil)
	call := calls("files__delete_file", "{}")
	call[0].Wait = 2 * time.Second
	o.Chat.Model = says(call, chunks(0, "Gone."))
	w.answer = func(ctx context.Context, _ string, _ func(mcpclient.Progress)) (mcpclient.Result, error) {
		time.Sleep(4 * time.Second)
		return mcpclient.Result{Text: elicits("Which town?", allKinds)(ctx, o.Desk)}, nil
	}
	drive(t, 80, 24, o, func(d *driver) {
		d.typeText("delete it\n/tools\n")
		d.press("down", "enter", "enter")
		d.wait(3 * time.Second)
		d.sees("May this run?")
		d.wait(2 * time.Second)
		d.sees("May this run?", "● files asks you: that opens when this is closed")
		d.press("n")
		d.wait(time.Second)
		d.sees("Which town?")
		d.press("esc")
		d.wait(time.Second)
		d.sees("✓ Done", "cancel null")
	})
}

func TestAToolIsTriedWhileATurnRuns(t *testing.T) {
	o, _ := trying(`{}`)
	o.Chat.Model = says(chunks(10*time.Second, "One."))
	drive(t, 80, 24, o, func(d *driver) {
		d.typeText("First?\n/tools\n")
		d.press("down", "enter", "enter")
		d.wait(time.Second)
		d.sees("✓ Done", "Sunny.")
		d.wait(20 * time.Second)
		d.press("esc", "esc")
		d.sees("One.")
	})
}
