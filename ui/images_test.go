package ui

import (
	"bytes"
	"image"
	"image/png"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/aloudchat/aloud/provider"
	"github.com/aloudchat/aloud/provider/providertest"
)

// paint writes an image, and returns its path and data.
func paint(t *testing.T) (file string, data []byte) {
	t.Helper()
	var b bytes.Buffer
	if err := png.Encode(&b, image.NewGray(image.Rect(0, 0, 2, 2))); err != nil {
		t.Fatal(err)
	}
	file = filepath.Join(t.TempDir(), "a.png")
	if err := os.WriteFile(file, b.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	return file, b.Bytes()
}

// drop pastes the name of a file, as a terminal does.
func (d *driver) drop(file string) {
	d.send(tea.PasteMsg{Content: `"` + file + `"`})
	d.until("[image ")
}

// seeing is a model that cannot see images, beside one that can.
func seeing(replies ...providertest.Reply) *providertest.Script {
	model := says(replies...)
	model.Models = []provider.Info{
		{Name: "test:8b", Known: true, Context: 8192}, {Name: "far:cloud", Known: true, Vision: true, Remote: true},
		{Name: "sees:4b", Known: true, Vision: true, Context: 8192},
	}
	return model
}

func TestImageForModelThatCannotSee(t *testing.T) {
	file, data := paint(t)
	model := seeing(chunks(0, "A cat."))
	drive(t, 80, 24, with(model), func(d *driver) {
		d.drop(file)
		d.typeText("what is it?\n").wait(2 * second)
		d.sees("The model test:8b cannot see images. Choose sees:4b, which can.", "Models", "sees:4b")
		d.press("down", "down", "enter").wait(second)
		d.sees("› [image 1: a.png", "sees:4b")
		d.press("enter").wait(second)
		d.sees("▌ [image 1: a.png", "what is it?", "PNG image · 2×2", "A cat.")
		asked := model.Requests()
		if len(asked) != 1 || asked[0].Model != "sees:4b" {
			t.Fatalf("asked %+v", asked)
		}
		question := asked[0].Messages[len(asked[0].Messages)-1]
		if len(question.Images) != 1 || !bytes.Equal(question.Images[0], data) ||
			!strings.HasPrefix(question.Text, "[image 1: a.png ") {
			t.Errorf("sent %+v", question)
		}
	})
}

func TestMentionedImage(t *testing.T) {
	_, data := paint(t)
	model := seeing(chunks(0, "A cat."))
	o, _ := inFolder(t, model, map[string]string{"a.png": string(data)})
	drive(t, 80, 24, o, func(d *driver) {
		d.typeText("what is @a.png ").wait(100 * time.Millisecond)
		d.sees("! Cannot attach @a.png: the model test:8b cannot see images. Choose sees:4b")
		d.press("enter").wait(2 * second)
		d.sees("Models", "sees:4b")
		d.press("down", "down", "enter").wait(second)
		d.sees("› what is @a.png")
		d.press("enter").wait(second)
		d.sees("▌ what is @a.png", "PNG image · 2×2", "A cat.")
		asked := model.Requests()
		if last := asked[0].Messages[len(asked[0].Messages)-1]; len(last.Images) != 1 || !bytes.Equal(last.Images[0], data) {
			t.Errorf("sent %+v", last)
		}
	})
}

func TestTooManyDroppedImagesArePasted(t *testing.T) {
	file, _ := paint(t)
	drive(t, 80, 24, with(seeing()), func(d *driver) {
		d.send(tea.PasteMsg{Content: strings.Repeat(`"`+file+`" `, 21)})
		d.wait(second)
		d.sees("cannot attach 21 images at once, but up to 20")
		d.seesNot("[image 1")
	})
}

func TestImageWithoutModelThatCanSee(t *testing.T) {
	file, _ := paint(t)
	model := seeing()
	model.Models = model.Models[:1]
	drive(t, 40, 15, with(model), func(d *driver) {
		d.drop(file)
		d.press("enter").wait(2 * second)
		d.press("esc").wait(second)
		d.sees("The model test:8b cannot see images.", "Choose a model with vision.", "› [image 1: a.png")
	})
}

func TestQueuedImagesAreSentInTheirOrder(t *testing.T) {
	file, data := paint(t)
	model := seeing(blocked("Half"), chunks(0, "Fine."), chunks(0, "Good."))
	model.Models[0].Vision = true
	drive(t, 80, 24, with(model), func(d *driver) {
		d.typeText("Go\n").wait(second)
		for _, text := range []string{"one", "two"} {
			d.drop(file)
			d.wait(second)
			d.typeText(text + "\n").wait(second)
		}
		d.press("tab")
		d.sees("A message with attachments waits for the end of the answer")
		d.press("up")
		d.sees("› [image 1: a.png", "two\n")
		d.press("enter", "esc").wait(second)
		d.press("enter").wait(second)
		d.sees("Good.")
		asked := model.Requests()
		for i, text := range []string{"one", "two"} {
			all := asked[i+1].Messages
			question := all[len(all)-1]
			if !strings.HasSuffix(question.Text, text) || len(question.Images) == 0 || !bytes.Equal(question.Images[0], data) {
				t.Errorf("sent %+v", question)
			}
		}
	})
}

func TestImagesAreNotKeptInHistory(t *testing.T) {
	file, _ := paint(t)
	o := with(says(chunks(0, "Fine.")))
	o.History = filepath.Join(t.TempDir(), "history")
	drive(t, 80, 24, o, func(d *driver) {
		d.drop(file)
		d.press("enter").wait(second)
		d.sees("Fine.")
	})
	if _, err := os.Stat(o.History); !os.IsNotExist(err) {
		t.Errorf("the history has the mark of an image: %v", err)
	}
}

func TestEditedQuestionKeepsImages(t *testing.T) {
	file, data := paint(t)
	model := says(chunks(0, "A cat."), chunks(0, "A dog."))
	drive(t, 80, 24, with(model), func(d *driver) {
		d.drop(file)
		d.typeText("what?\n").wait(second)
		d.press("esc", "esc").wait(second)
		d.press("enter").wait(second)
		d.sees("› [image 1: a.png ", "] what?")
		d.typeText(" really?\n").wait(second)
		d.sees("A dog.")
		asked := model.Requests()[1].Messages
		if question := asked[len(asked)-1]; len(question.Images) != 1 || !bytes.Equal(question.Images[0], data) {
			t.Errorf("sent %+v", question)
		}
	})
}
