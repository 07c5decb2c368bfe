package transcript

import (
	"bytes"
	"image"
	"image/png"
	"slices"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"github.com/aloudchat/aloud/internal/picture"
	"github.com/aloudchat/aloud/provider/event"
	"github.com/aloudchat/aloud/ui/look"
)

func photo(t *testing.T) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := png.Encode(&b, image.NewRGBA(image.Rect(0, 0, 640, 480))); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestPictureFitsEveryWidth(t *testing.T) {
	p := &pictureEntry{Picture: picture.New(photo(t)).Decode(t.Context())}
	for width := 1; width < 70; width++ {
		rows := p.lines(width, &look.Look{Styles: look.NewStyles(true)})
		checkRows(t, rows, width, ansi.WcWidth)
		if len(rows) < 2 || len(rows) > 13 {
			t.Errorf("%d rows at a width of %d", len(rows), width)
		}
	}
}

// A call of several may finish above the view.
func TestViewStaysWhenPicturesComeAboveIt(t *testing.T) {
	tr := New()
	tr.Resize(60, 6)
	s := NewScribe(tr)
	var calls []event.ToolCall
	for _, id := range []string{"a", "b", "c", "d", "e", "f", "g", "h", "i", "j"} {
		calls = append(calls, event.ToolCall{ID: id, Title: "Draw " + id, Status: event.CallPending})
		s.Write(event.ToolCalled{Call: calls[len(calls)-1]})
	}
	tr.Scroll(-2)
	before := slices.Clone(tr.View())
	calls[0].Status = event.CallOK
	s.Write(event.ToolFinished{Call: calls[0], Images: [][]byte{photo(t), photo(t)}})
	if after := tr.View(); !slices.Equal(before, after) {
		t.Errorf("the view was\n%q, and is\n%q", before, after)
	}
	tr.Scroll(-100)
	if all := tr.View(); ansi.Strip(all[1]) != "    PNG image · 640×480 · 2.2 kB" {
		t.Errorf("the view begins with %q", all)
	}
}

// A copy for the pager is drawn in another goroutine, while the pictures of the original are decoded.
func TestPagerWhilePicturesAreDecoded(t *testing.T) {
	tr := New()
	tr.illustrate(nil, [][]byte{photo(t), photo(t)})
	pager, done := tr.Unfolded(), make(chan string)
	go func() { done <- dump(pager) }()
	for decode := tr.Undecoded(); decode != nil; decode = tr.Undecoded() {
		decode(t.Context())()
	}
	if got := <-done; got != "  PNG image · 640×480 · 2.2 kB\n  PNG image · 640×480 · 2.2 kB\n" {
		t.Errorf("the pager shows %q", got)
	}
	if shown := len(tr.View()); shown != 24 || tr.Undecoded() != nil {
		t.Errorf("%d rows are in view", shown)
	}
}
