package ui

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/aloudchat/aloud/provider"
	"github.com/aloudchat/aloud/ui/dialog"
)

// withoutServer returns options of a chat whose server is down, on a machine with one other server.
func withoutServer() Options {
	model := says(chunks(0, "Hello."))
	model.Down = &provider.Error{Kind: provider.KindUnavailable, Text: "cannot reach the Ollama server"}
	o := with(model)
	o.Around = Around{
		Demo: dialog.Place{Provider: "demo"}, File: "~/config.toml",
		Look: func(context.Context) []dialog.Place {
			models := []string{"one", "two", "three"}
			return []dialog.Place{{Provider: "openai", Address: "http://127.0.0.1:1234/v1", Models: models}}
		},
		Visit: func(_ context.Context, address string) (dialog.Place, error) {
			if address != "10.0.0.7" {
				return dialog.Place{}, errors.New("no server answers there")
			}
			return dialog.Place{Provider: "ollama", Address: "http://10.0.0.7:11434", Models: []string{"tiny"}}, nil
		},
	}
	return o
}

func TestLookForServersOnlyWhenChosen(t *testing.T) {
	o := withoutServer()
	looked := 0
	look := o.Around.Look
	o.Around.Look = func(ctx context.Context) []dialog.Place { looked++; return look(ctx) }
	drive(t, 80, 24, o, func(d *driver) {
		d.wait(second)
		d.sees("model   none", "› Look on this machine", "Another address", "Try the demo")
		if looked != 0 {
			t.Error("it looked before it was asked to")
		}
		d.press("enter").wait(second)
		d.sees("› http://127.0.0.1:1234/v1", "one and 2 more")
		d.press("enter").wait(second)
		d.sees("› For this chat", "Always", "writes it to ~/config.toml")
		d.press("down", "enter").wait(second)
		moved := d.m.models.moved
		if moved == nil || !moved.Keep || moved.Provider != "openai" || moved.Address != "http://127.0.0.1:1234/v1" {
			t.Errorf("moved to %+v", moved)
		}
	})
}

func TestConnectToTypedAddress(t *testing.T) {
	drive(t, 80, 24, withoutServer(), func(d *driver) {
		d.wait(second)
		d.press("down", "enter").wait(second)
		d.typeText("10.0.0.8").wait(second)
		d.sees("› 10.0.0.8", "connect")
		d.press("enter").wait(second)
		d.sees("No server answers there.")
		d.typeText("10.0.0.7").press("enter").wait(second)
		d.sees("Use http://10.0.0.7:11434", "tiny")
		d.press("up", "up", "enter").wait(second)
		if moved := d.m.models.moved; moved == nil || moved.Keep || moved.Provider != "ollama" {
			t.Errorf("moved to %+v", moved)
		}
	})
}

func TestListOfServersGoesBack(t *testing.T) {
	drive(t, 80, 24, withoutServer(), func(d *driver) {
		d.wait(second)
		for _, typed := range []string{"", "10.0.0", "10.0.0.7\n"} {
			d.press("down", "enter").wait(second)
			d.sees("Type an address")
			d.typeText(typed).wait(second)
			if typed == "10.0.0" {
				d.press("esc").wait(second) // clears it
				d.sees("Type an address")
			}
			d.press("esc").wait(second)
			d.sees("› Look on this machine")
		}
	})
}

func TestListOfServersFitsSmallScreens(t *testing.T) {
	for width, want := range map[int][]string{
		40: {"Type an address,", "http://192.168.1.20:11434\n", "enter to use · esc to go back\n"},
		20: {"Type an address,\n", "  enter to use · esc"},
	} {
		drive(t, width, width*3/8, withoutServer(), func(d *driver) {
			d.wait(second)
			d.press("down", "enter").wait(second)
			d.sees(want...)
		})
	}
}

func TestSearchForModelReplacesConnection(t *testing.T) {
	o := withoutServer()
	visit := o.Around.Visit
	o.Around.Visit = func(ctx context.Context, address string) (dialog.Place, error) {
		time.Sleep(2 * second)
		return visit(ctx, address)
	}
	drive(t, 80, 24, o, func(d *driver) {
		d.wait(second)
		d.press("down", "enter").wait(second)
		d.typeText("10.0.0.7\n/model other\n").wait(10 * second)
		d.sees("› Look on this machine")
		d.press("esc").wait(second)
		d.sees("› Ask anything")
	})
}

func TestDemoIsOfferedOnlyWithoutModel(t *testing.T) {
	o := withoutServer()
	model := says()
	model.Models = []provider.Info{{Name: "test:8b"}}
	o.Chat.Model = model
	drive(t, 80, 24, o, func(d *driver) {
		d.typeText("/model other\n").wait(second)
		d.sees("Model not installed", "Try again")
		d.seesNot("Try the demo")
	})
}

func TestModelsToDownloadFitMemory(t *testing.T) {
	for memory, want := range map[int64][]string{
		0: {"Download qwen3:8b"}, 2 << 30: {"Download qwen3:0.6b"}, 16 << 30: {"Download qwen3:8b", "2.5 GB · tools"},
		64 << 30: {"Download qwen3:30b", "Download qwen3:14b"},
	} {
		o := withoutServer()
		none := says()
		none.Down = &provider.Error{Kind: provider.KindMissing, Text: "no models installed"}
		o.Chat.Model, o.Chat.Name, o.Around.Memory = &closed{Script: none}, "", memory
		drive(t, 80, 24, o, func(d *driver) { d.sees(want...) })
	}
}
