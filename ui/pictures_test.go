package ui

import (
	"bytes"
	"context"
	"image"
	"image/color"
	"image/png"
	"slices"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"

	"github.com/aloudchat/aloud/mcpclient"
	"github.com/aloudchat/aloud/provider"
)

// photo returns a PNG of one colour.
func photo(t *testing.T, width, height int) []byte {
	t.Helper()
	img := image.NewPaletted(image.Rect(0, 0, width, height), color.Palette{color.NRGBA{200, 100, 0, 255}})
	var b bytes.Buffer
	if err := png.Encode(&b, img); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// preview is rows of a picture as the screen shows them.
func preview(indent string, width, rows int) string {
	return strings.Repeat("\n"+indent+strings.Repeat("▀", width), rows)
}

// drawing returns the options of a chat in which a tool returns images.
func drawing(images ...[]byte) Options {
	o := with(says(calls("files__read_file", `{"path":"chart.png"}`), chunks(0, "There it is.")))
	o.Tools.(*toolbox).result = mcpclient.Result{Text: "[image: image/png, 9 kB]", Images: images}
	return o
}

func TestToolImageIsShown(t *testing.T) {
	drive(t, 80, 30, drawing(photo(t, 640, 480)), func(d *driver) {
		d.typeText("Draw it.\n").wait(5 * time.Second)
		d.sees("✓ Read File     chart.png  ",
			"\n    PNG image · 640×480 · 136 bytes"+preview("    ", 32, 12)+"\n\n  There it is.")
	})
}

func TestAttachedImageIsShown(t *testing.T) {
	for _, test := range []struct {
		width, height, cells, rows int
	}{{80, 40, 32, 12}, {40, 24, 19, 7}} {
		offers := gallery{newFair(), [][]byte{photo(t, 640, 480)}}
		model := says(chunks(0, "A colour."))
		model.Models = []provider.Info{{Name: "test:8b", Vision: true, Context: 8192}}
		o := at(offers.fair, model)
		o.Offers = offers
		drive(t, test.width, test.height, o, func(d *driver) {
			d.typeText("see @all:demo://note.txt ok\n").wait(5 * time.Second)
			d.sees(" · 640×480 · ", preview("  ", test.cells, test.rows)+"\n\n", "A colour.")
		})
	}
}

// gallery has images instead of texts.
type gallery struct {
	*fair
	images [][]byte
}

func (g gallery) Read(context.Context, string, string) (mcpclient.Contents, error) {
	return mcpclient.Contents{MIME: "image/png", Images: g.images}, nil
}

func TestImageWithoutColoursIsOneRow(t *testing.T) {
	drive(t, 80, 30, drawing(photo(t, 640, 480)), func(d *driver) {
		d.send(tea.ColorProfileMsg{Profile: colorprofile.ASCII})
		d.typeText("Draw it.\n").wait(5 * time.Second)
		d.sees("\n    PNG image · 640×480 · ")
		d.seesNot("▀")
	})
}

func TestHostileImagesAreOneRow(t *testing.T) {
	good := photo(t, 640, 480)
	huge := bytes.Clone(good)
	copy(huge[16:24], "\x00\x01\x00\x00\x00\x01\x00\x00") // 65536×65536 pixels; its checksum is wrong too
	for name, data := range map[string][]byte{
		"no image": []byte("\x1b[31mred"), "truncated": good[:len(good)-20], "huge": huge, "empty": {},
	} {
		drive(t, 80, 24, drawing(data), func(d *driver) {
			d.typeText("Draw it.\n").wait(5 * time.Second)
			if !d.has(" · cannot be shown\n\n  There it is.") || d.has("▀") {
				t.Errorf("%s:\n%s", name, d.screen())
			}
		})
	}
	drive(t, 80, 80, drawing(slices.Repeat([][]byte{good}, 1000)...), func(d *driver) {
		d.typeText("Draw it.\n").wait(5 * time.Second)
		d.sees("There it is.")
		if n := strings.Count(d.screen(), "▀"); n != 4*12*32 {
			t.Errorf("%d cells of pictures", n)
		}
	})
}

func TestResumedImagesAreShown(t *testing.T) {
	o := with(says())
	o.Conversation = provider.Conversation{}.With(
		provider.Message{Role: provider.RoleUser, Text: "See it."},
		provider.Message{Role: provider.RoleAssistant, Calls: []provider.Call{{ID: "1", Name: "a__draw", Title: "Draw"}}},
		provider.Message{Role: provider.RoleTool, CallID: "1", Text: "ok", Images: [][]byte{photo(t, 20, 20)}},
		provider.Message{Role: provider.RoleUser, Text: "As the prompt says.", From: "/a:b",
			Images: [][]byte{photo(t, 10, 4), photo(t, 10, 4)}},
		provider.Message{Role: provider.RoleAssistant, Text: "I see."},
	)
	drive(t, 80, 40, o, func(d *driver) {
		d.sees("✓ Draw\n    PNG image · 20×20 · ", preview("    ", 20, 10)+"\n\n",
			"▌ As the prompt says.\n    PNG image · 10×4 · ", preview("    ", 10, 2)+"\n    PNG image")
	})
}

// The rows of a picture are there before it is decoded, so that nothing moves.
func TestNothingMovesWhenPictureIsDecoded(t *testing.T) {
	drive(t, 80, 30, drawing(photo(t, 640, 480)), func(d *driver) {
		d.typeText("Draw it.\n")
		before, where := "", -1
		d.watch(5*time.Second, func(tea.Msg) {
			now := strings.Index(d.screen(), "PNG image")
			if where >= 0 && now != where && !strings.Contains(before, "▀") {
				t.Errorf("the caption moved from %d to %d:\n%s\n%s", where, now, before, d.screen())
			}
			before, where = d.screen(), now
		})
		d.sees("▀")
	})
}

func TestEachPictureComesIntoView(t *testing.T) {
	var c provider.Conversation
	for range 30 {
		c = c.With(provider.Message{Role: provider.RoleUser, Text: "See it.", Images: [][]byte{photo(t, 640, 480)}},
			provider.Message{Role: provider.RoleAssistant, Text: strings.Repeat("I see.\n\n", 10)})
	}
	o := with(says())
	o.Conversation = c
	drive(t, 80, 24, o, func(d *driver) {
		for range 40 {
			d.wait(time.Second)
			if rows := strings.Split(d.screen(), "PNG image"); len(rows) == 2 && !strings.Contains(rows[1], "▀") &&
				strings.Count(rows[1], "\n") > 8 {
				t.Fatalf("the picture is not shown:\n%s", d.screen())
			}
			d.press("pgup")
		}
		d.press("home").wait(time.Second)
		d.sees("▌ See it.\n    PNG image", preview("    ", 32, 12))
	})
}

// A picture that was never in view leaves no empty rows in the text that is printed at the end.
func TestUndecodedPicturesAtExit(t *testing.T) {
	o := with(says())
	o.Conversation = provider.Conversation{}.With(
		provider.Message{Role: provider.RoleUser, Text: "One.", Images: [][]byte{photo(t, 640, 480)}},
		provider.Message{Role: provider.RoleAssistant, Text: strings.Repeat("I see.\n\n", 40)},
		provider.Message{Role: provider.RoleUser, Text: "Two.", Images: [][]byte{photo(t, 640, 480)}})
	drive(t, 80, 24, o, func(d *driver) {
		var out bytes.Buffer
		if err := d.m.transcript.Dump(&out, 0); err != nil {
			t.Fatal(err)
		}
		first, last, _ := strings.Cut(out.String(), "I see.")
		if n := strings.Count(first, "\n"); n != 3 || strings.Contains(first, "▀") || strings.Contains(first, "shown") ||
			!strings.Contains(last, "▀") {
			t.Errorf("%d rows: %q", n, first)
		}
	})
}

func TestAllPicturesInViewAreShown(t *testing.T) {
	var c provider.Conversation
	for range 30 {
		c = c.With(provider.Message{Role: provider.RoleUser, Text: "See it.",
			Images: [][]byte{photo(t, 8, 4), photo(t, 8, 2)}})
	}
	o := with(says())
	o.Conversation = c
	drive(t, 80, 40, o, func(d *driver) {
		d.wait(time.Second)
		for range 5 {
			d.press("pgup").wait(time.Second)
			pictures := strings.Split(d.screen(), "PNG image")
			for i, below := range pictures[1 : len(pictures)-1] { // the last one may be out of view
				if !strings.Contains(below, "▀") {
					t.Fatalf("picture %d is not shown:\n%s", i, d.screen())
				}
			}
		}
	})
}
