package transcript

import (
	"context"
	"slices"

	"github.com/aloudchat/aloud/internal/picture"
	"github.com/aloudchat/aloud/ui/look"
)

// mostPictures is how many images of a message or result are shown, because a tool may return a thousand.
const mostPictures = 4

// pictureEntry is an image of the entry above it, which is your message or a tool call.
type pictureEntry struct {
	picture.Picture
	drawn
}

func (p *pictureEntry) lines(width int, st *look.Look) []string {
	if !p.stale(width, st) {
		return p.rows
	}
	p.rows = []string{st.Clip("  "+st.Dim.Render(p.Caption), width)}
	if st.Mono || st.Printed && p.IsPending() {
		return p.rows
	}
	for _, row := range p.Rows(width - 2) {
		p.rows = append(p.rows, st.Clip("  "+row, width))
	}
	return p.rows
}

func (p *pictureEntry) fresh() entry { return &pictureEntry{Picture: p.Picture} }

// illustrate adds images below an entry.
func (t *Transcript) illustrate(e entry, images [][]byte) {
	for i, data := range images[:min(len(images), mostPictures)] {
		at := slices.Index(t.entries, e) + 1 + i
		t.entries = slices.Insert(t.entries, at, entry(&pictureEntry{Picture: picture.New(data)}))
		for _, place := range t.places() {
			if place.entry >= at {
				place.entry++
			}
		}
		t.illustrated = true
	}
}

// Decoded shows a decoded picture.
type Decoded func()

// Undecoded returns a function that decodes a picture in view, or nil if there is none or one is being decoded. It may
// run for seconds, in another goroutine.
func (t *Transcript) Undecoded() func(context.Context) Decoded {
	if !t.illustrated || t.decoding || t.look.Mono {
		return nil
	}
	t.View()
	for e := range t.before { // the entries in view
		if e, ok := e.(*pictureEntry); ok && e.IsPending() {
			t.decoding = true
			pending := e.Picture
			return func(ctx context.Context) Decoded {
				decoded := pending.Decode(ctx)
				return func() { e.Picture, e.drawn, t.decoding = decoded, drawn{}, false }
			}
		}
	}
	return nil
}
