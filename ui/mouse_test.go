package ui

import (
	"encoding/base64"
	"fmt"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	uv "github.com/charmbracelet/ultraviolet"

	"github.com/aloudchat/aloud/provider"
)

// The mouse as a terminal reports it, at a cell counted from 0.
func press(x, y int) string   { return fmt.Sprintf("\x1b[<0;%d;%dM", x+1, y+1) }
func drag(x, y int) string    { return fmt.Sprintf("\x1b[<32;%d;%dM", x+1, y+1) }
func release(x, y int) string { return fmt.Sprintf("\x1b[<0;%d;%dm", x+1, y+1) }

// reversed returns the reversed text of the screen.
func (t *terminal) reversed() string {
	t.raw.mu.Lock()
	defer t.raw.mu.Unlock()
	var b strings.Builder
	for y := range t.emu.Height() {
		for x := range t.emu.Width() {
			if c := t.emu.CellAt(x, y); c != nil && c.Style.Attrs&uv.AttrReverse != 0 {
				b.WriteString(c.Content)
			}
		}
	}
	return b.String()
}

// clipboard returns the text that was copied last.
func (t *terminal) clipboard() string {
	_, last, _ := strings.Cut(t.raw.String()[max(0, strings.LastIndex(t.raw.String(), "\x1b]52;c;")):], "\x1b]52;c;")
	last, _, _ = strings.Cut(last, "\a")
	text, err := base64.StdEncoding.DecodeString(last)
	if err != nil {
		t.t.Error(err)
	}
	return string(text)
}

// place returns the cell where a text is.
func (t *terminal) place(text string) (x, y int) {
	for y, row := range strings.Split(t.screen(), "\n") {
		if before, _, ok := strings.Cut(row, text); ok {
			return len([]rune(before)), y
		}
	}
	t.t.Errorf("the screen does not show %q:\n%s", text, t.screen())
	return 0, 0
}

func TestDraggingSelectsAndCopies(t *testing.T) {
	program(t, 60, 26, turns(2), func(term *terminal) {
		x, y := term.place("question 1")
		toX, toY := term.place("Answer 1.")
		term.types(press(x, y) + drag(x+3, y) + drag(toX+5, toY))
		if got := term.reversed(); got != "question 1Thought · Hm.Answer" {
			t.Errorf("%q is reversed", got)
		}
		term.types(release(toX+5, toY)).wait(time.Second)
		if got := term.clipboard(); got != "question 1\n\nThought · Hm.\n\nAnswer" {
			t.Errorf("%q was copied", got)
		}
		term.sees("Copied 5 lines")
		term.types("x") // a key ends the selection
		if got := term.reversed(); got != "" {
			t.Errorf("%q is still reversed", got)
		}
		x, y = term.place("apple of 1")
		term.types(press(x+1, y) + release(x+1, y) + press(x+1, y) + release(x+1, y)).wait(time.Second)
		if got := term.clipboard(); got != "apple" {
			t.Errorf("a double click copied %q", got)
		}
		term.types(press(x+1, y) + release(x+1, y)).wait(time.Second) // the third click came too late
		if got := term.reversed(); got != "" {
			t.Errorf("one click selects %q", got)
		}
		for range 3 {
			term.types(press(x+1, y) + release(x+1, y))
		}
		term.wait(time.Second)
		if got := term.clipboard(); got != "The apple of 1." {
			t.Errorf("a triple click copied %q", got)
		}
		term.types(ctrlC + "/quit" + enter).wait(time.Second)
	})
}

// Held at the first row, the mouse scrolls until the button is released or there is no more text.
func TestDraggingBeyondTheScreenScrolls(t *testing.T) {
	program(t, 60, 20, turns(5), func(term *terminal) {
		x, y := term.place("The apple of 4")
		term.types(press(x, y) + drag(x, y-2) + drag(x, 0)).wait(10 * time.Second)
		term.sees("▌ question 0")
		before := term.bytes()
		term.wait(time.Minute)
		if term.bytes() != before {
			t.Error("something is drawn at the end of the text")
		}
		term.types(drag(x, 19)).wait(time.Second)
		term.types(release(x, 19)).wait(10 * time.Second)
		at := term.screen()
		term.wait(10 * time.Second)
		if term.screen() != at {
			t.Error("it scrolls after the release")
		}
		if got := term.clipboard(); !strings.HasPrefix(got, "\n") && !strings.Contains(got, "question") {
			t.Errorf("%q was copied", got)
		}
		term.types("/quit" + enter).wait(time.Second)
	})
}

func TestMouseSelectsNothingBehindDialog(t *testing.T) {
	drive(t, 60, 20, turns(2), func(d *driver) {
		d.press("?")
		d.send(tea.MouseClickMsg{Button: tea.MouseLeft, X: 5, Y: 1})
		d.send(tea.MouseMotionMsg{Button: tea.MouseLeft, X: 9, Y: 2})
		d.send(tea.MouseReleaseMsg{Button: tea.MouseLeft, X: 9, Y: 2})
		d.wait(time.Second)
		d.seesNot("Copied")
		d.press("esc")
		d.send(tea.MouseClickMsg{Button: tea.MouseRight, X: 5, Y: 1})
		d.send(tea.MouseMotionMsg{Button: tea.MouseRight, X: 9, Y: 2})
		d.send(tea.MouseReleaseMsg{Button: tea.MouseRight, X: 9, Y: 2})
		d.wait(time.Second)
		d.seesNot("Copied")
	})
}

func TestMouseLeftToTheTerminal(t *testing.T) {
	for _, off := range []bool{false, true} {
		o := with(says())
		o.NoMouse = off
		program(t, 60, 20, o, func(term *terminal) {
			if asks := strings.Contains(term.raw.String(), "\x1b[?1002h"); asks == off {
				t.Errorf("with NoMouse %t, the terminal is asked for the mouse: %t", off, asks)
			}
			term.types("/quit" + enter).wait(time.Second)
		})
	}
}

func TestWheelScrollsTheListInFront(t *testing.T) {
	o, m := someModels()
	for i := range 100 {
		m.Models = append(m.Models, provider.Info{Name: fmt.Sprint("small:", i)})
	}
	o.Conversation = turns(9).Conversation
	drive(t, 60, 20, o, func(d *driver) {
		behind := d.screen()
		d.typeText("/model\n").wait(second)
		for range 10 {
			d.send(tea.MouseWheelMsg{Button: tea.MouseWheelDown})
		}
		d.sees("› ", "small:26")
		d.press("home")
		for range 20 {
			d.send(tea.MouseWheelMsg{Button: tea.MouseWheelUp})
		}
		d.sees("qwen3:8b")
		d.typeText("coder")
		d.sees("qwen3-coder:30b")
		for range 20 { // nothing is out of view
			d.send(tea.MouseWheelMsg{Button: tea.MouseWheelUp})
		}
		d.press("esc", "esc").wait(second)
		if d.screen() == behind {
			t.Error("the wheel does not scroll the conversation behind a short list")
		}
	})
	o, _ = troubled()
	drive(t, 80, 10, o, func(d *driver) {
		d.typeText("/servers\n")
		d.press("down", "enter")
		before := d.screen()
		d.send(tea.MouseWheelMsg{Button: tea.MouseWheelDown})
		if d.screen() == before {
			t.Errorf("the wheel does not scroll the details:\n%s", before)
		}
	})
}
