package ui

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/aloudchat/aloud/mcpclient"
	"github.com/aloudchat/aloud/provider"
	"github.com/aloudchat/aloud/provider/loop"
	"github.com/aloudchat/aloud/provider/providertest"
	"github.com/aloudchat/aloud/provider/repair"
	"github.com/aloudchat/aloud/session/live"
	"github.com/aloudchat/aloud/ui/look"
	"github.com/aloudchat/aloud/ui/screen"
)

var update = flag.Bool("update", false, "write the golden screens anew")

// driver is the chat without a terminal: it passes messages to it, runs its commands and reads its View. It runs in a
// synctest bubble, where time passes only while all goroutines wait.
type driver struct {
	t    *testing.T
	ctx  context.Context
	m    *model
	msgs chan tea.Msg
}

// drive runs a story with the chat on a screen of a given size.
func drive(t *testing.T, width, height int, o Options, story func(d *driver)) {
	t.Helper()
	driveMade(t, width, height, func(*testing.T) Options { return o }, story)
}

// driveMade is drive with options that are made in the bubble.
func driveMade(t *testing.T, width, height int, o func(t *testing.T) Options, story func(d *driver)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		d := &driver{t: t, ctx: ctx, m: newModel(o(t)), msgs: make(chan tea.Msg, 1000)}
		d.send(tea.WindowSizeMsg{Width: width, Height: height})
		d.exec(d.m.Init())
		d.wait(100 * time.Millisecond)
		defer func() { // also if the story fails
			cancel()
			d.wait(10 * time.Second)
			if err := d.m.talk.chat.Close(); err != nil {
				t.Error(err)
			}
			time.Sleep(time.Hour) // timers expire
		}()
		story(d)
	})
}

// exec runs a command on its own goroutine, as the program does.
func (d *driver) exec(cmd tea.Cmd) {
	if cmd == nil {
		return
	}
	go func() {
		switch msg := cmd().(type) {
		case nil:
		case tea.BatchMsg:
			for _, c := range msg {
				d.exec(c)
			}
		default:
			if v := reflect.ValueOf(msg); v.Kind() == reflect.Slice &&
				v.Type().Elem() == reflect.TypeFor[tea.Cmd]() { // a sequence
				for i := range v.Len() {
					if msg := v.Index(i).Interface().(tea.Cmd)(); msg != nil {
						d.msgs <- msg
					}
				}
				return
			}
			d.msgs <- msg
		}
	}()
}

func (d *driver) send(msg tea.Msg) {
	if work, ok := msg.(screen.Work); ok {
		go work(d.ctx, func(msg tea.Msg) { d.msgs <- msg })
		return
	}
	_, cmd := d.m.Update(msg)
	d.exec(cmd)
}

// wait lets time pass.
func (d *driver) wait(pass time.Duration) { d.watch(pass, func(tea.Msg) {}) }

// watch lets time pass, calls look after each message, and returns the number of messages.
func (d *driver) watch(pass time.Duration, look func(msg tea.Msg)) int {
	end := time.After(pass)
	for n := 0; ; n++ {
		select {
		case msg := <-d.msgs:
			d.send(msg)
			look(msg)
		case <-end:
			synctest.Wait() // commands have finished, even those that send no message
			return n
		}
	}
}

// press presses keys by their names: "enter", "ctrl+c", "y". It returns d, as typeText does, so that a wait can follow
// on the same line.
func (d *driver) press(keys ...string) *driver {
	for _, name := range keys {
		d.send(keyPress(name))
	}
	d.wait(time.Millisecond)
	return d
}

// keyPress returns the press of a key by its name.
func keyPress(name string) tea.KeyPressMsg {
	named := map[string]rune{
		"enter": tea.KeyEnter, "esc": tea.KeyEscape, "tab": tea.KeyTab, "up": tea.KeyUp, "down": tea.KeyDown,
		"backspace": tea.KeyBackspace, "delete": tea.KeyDelete,
		"pgup": tea.KeyPgUp, "pgdown": tea.KeyPgDown, "home": tea.KeyHome, "end": tea.KeyEnd,
		"left": tea.KeyLeft, "right": tea.KeyRight, "f1": tea.KeyF1, "f2": tea.KeyF2,
	}
	k, rest := tea.KeyPressMsg{}, name
	for prefix, mod := range map[string]tea.KeyMod{"ctrl+": tea.ModCtrl, "alt+": tea.ModAlt, "shift+": tea.ModShift} {
		if after, held := strings.CutPrefix(rest, prefix); held {
			rest, k.Mod = after, mod
		}
	}
	if code, ok := named[rest]; ok {
		k.Code = code
		return k
	}
	if k.Code = []rune(rest)[0]; k.Mod == 0 {
		k.Text = rest
	}
	return k
}

// typeText types a text. A newline at its end means enter.
func (d *driver) typeText(text string) *driver {
	for _, r := range text {
		if r == '\n' {
			d.press("enter")
			continue
		}
		d.send(tea.KeyPressMsg{Code: r, Text: string(r)})
	}
	d.wait(time.Millisecond)
	return d
}

// clear clears the draft, and waits until the hint to quit has disappeared.
func (d *driver) clear() {
	d.press("ctrl+c").wait(5 * time.Second)
}

// screen returns the screen, without colours and blanks at the ends of lines.
func (d *driver) screen() string {
	rows := strings.Split(ansi.Strip(d.m.View().Content), "\n")
	for i, row := range rows {
		rows[i] = strings.TrimRight(row, " ")
	}
	return strings.Join(rows, "\n")
}

// until waits until the screen has a text.
func (d *driver) until(text string) {
	for !strings.Contains(d.screen(), text) {
		d.wait(time.Millisecond)
	}
}

// has reports whether the screen has a text, whose rows may leave out the margin.
func (d *driver) has(text string) bool {
	all := "\n" + d.screen()
	return strings.Contains(all, text) || strings.Contains(strings.ReplaceAll(all, "\n  ", "\n"), text)
}

func (d *driver) sees(texts ...string) {
	d.t.Helper()
	for _, text := range texts {
		if !d.has(text) {
			d.t.Fatalf("the screen does not show %q:\n%s", text, d.screen())
		}
	}
}

func (d *driver) seesNot(texts ...string) {
	d.t.Helper()
	for _, text := range texts {
		if d.has(text) {
			d.t.Fatalf("the screen shows %q:\n%s", text, d.screen())
		}
	}
}

// callRow returns the row of a tool call on a screen of that width.
func callRow(left, right string, width int) string {
	return left + strings.Repeat(" ", width-2*look.Margin(width)-ansi.StringWidth(left+right)) + right
}

// golden compares the screen with testdata.
func (d *driver) golden(name string) {
	d.t.Helper()
	file := filepath.Join("testdata", "screen", name+".golden")
	got := d.screen() + "\n"
	for _, picture := range spinner { // the picture of the spinner varies
		got = strings.ReplaceAll(got, picture, spinner[0])
	}
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			d.t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		d.t.Fatal(err)
	}
	if got != string(want) {
		d.t.Errorf("%s is not the screen; -update writes it anew. Got:\n%s\nWant:\n%s", file, got, want)
	}
}

// says is a model with these replies, which take a second per step.
func says(replies ...providertest.Reply) *providertest.Script {
	return &providertest.Script{Replies: replies}
}

// chunks returns a reply in pieces.
func chunks(every time.Duration, pieces ...string) providertest.Reply {
	var r providertest.Reply
	for _, p := range pieces {
		r = append(r, providertest.Step{Wait: every, Text: p})
	}
	return r
}

// calls returns a reply that calls a tool.
func calls(name, arguments string) providertest.Reply {
	return providertest.Reply{{Calls: []provider.Call{{ID: "call_" + name, Name: name,
		Arguments: json.RawMessage(arguments)}}}}
}

// toolbox is a set of tools that take a while.
type toolbox struct {
	tools  []mcpclient.Tool
	off    map[string]bool
	takes  time.Duration // duration of a call
	result mcpclient.Result
	answer func(ctx context.Context) (mcpclient.Result, error) // replaces these results, unless nil

	mu    sync.Mutex
	heard []string // the arguments of its calls
}

func newToolbox() *toolbox {
	return &toolbox{
		tools: []mcpclient.Tool{
			{Name: "files__read_file", Server: "files", BuiltIn: "files", ServerTool: "read_file",
				Description: "Reads a file.", Trusted: true, ReadOnly: true},
			{Name: "files__delete_file", Server: "files", BuiltIn: "files", ServerTool: "delete_file",
				Description: "Deletes a file.", Trusted: true, Destructive: true},
		},
		off: map[string]bool{}, takes: time.Second, result: mcpclient.Result{Text: "done"},
	}
}

func (d *toolbox) Tools() []mcpclient.Tool { return d.tools }

func (d *toolbox) AllTools() ([]mcpclient.Tool, []bool) {
	on := make([]bool, len(d.tools))
	for i, t := range d.tools {
		on[i] = !d.off[t.Name]
	}
	return d.tools, on
}

func (d *toolbox) Enable(server, tool string, on bool) {
	for _, t := range d.tools {
		if t.Server == server && t.ServerTool == tool {
			d.off[t.Name] = !on
		}
	}
}

func (d *toolbox) Call(
	ctx context.Context, call mcpclient.Call, _ func(mcpclient.Progress),
) (mcpclient.Result, error) {
	d.mu.Lock()
	d.heard = append(d.heard, string(call.Arguments))
	d.mu.Unlock()
	if d.answer != nil {
		return d.answer(ctx)
	}
	select {
	case <-time.After(d.takes):
		return d.result, nil
	case <-ctx.Done():
		return mcpclient.Result{}, errors.New("the call was stopped")
	}
}

// with returns the options of a chat with a model and a toolbox.
func with(model provider.Model) Options {
	tools := newToolbox()
	return Options{
		Parts: live.Parts{
			Chat: loop.Chat{Model: model, Name: "test:8b", Interactive: true, Tools: tools, Repair: repair.New()},
		},
		Tools:   tools,
		Version: "0.1.0",
		Config:  "~/.config/aloud/config.toml",
	}
}
