// Package picture draws small previews of images with half blocks, which show two pixels in each cell.
package picture

import (
	"bytes"
	"cmp"
	"context"
	"encoding/binary"
	"fmt"
	"image"
	"image/color"
	_ "image/gif" // formats that New knows
	_ "image/jpeg"
	_ "image/png"
	"math"
	"strings"
	"time"

	"github.com/charmbracelet/x/ansi"
	_ "golang.org/x/image/webp" // another one

	"github.com/aloudchat/aloud/internal/quantity"
)

// MaxBytes is the size of the largest image file. Images come from servers, and some are made to exhaust memory or
// time.
const MaxBytes, maxPixels, maxTime = 10_000_000, 20_000_000, 5 * time.Second

// The size of the largest preview, in cells.
const maxColumns, maxRows = 60, 12

// Picture is an image and its preview. Its methods do not change it.
type Picture struct {
	Caption string      // what it is, in words: "PNG image · 640×480 · 32 kB"
	size    image.Point // in pixels; zero if it cannot be shown
	data    []byte      // nil after Decode
	preview *image.RGBA // nil before Decode
}

// New returns the picture of a PNG, JPEG, GIF or WebP file. It reads only the header. The data must not be changed.
func New(data []byte) Picture {
	text, size := quantity.Bytes(int64(len(data))), len(data)
	if size <= MaxBytes {
		data = essential(data)
	}
	c, format, err := image.DecodeConfig(bytes.NewReader(data))
	if err != nil || size > MaxBytes || c.Width <= 0 || c.Height <= 0 || c.Width > maxPixels/c.Height {
		return Picture{Caption: "Image · " + text + " · cannot be shown"}
	}
	caption := fmt.Sprintf("%s image · %d×%d · %s", strings.ToUpper(format), c.Width, c.Height, text)
	return Picture{Caption: caption, size: image.Pt(c.Width, c.Height), data: data}
}

// essential returns a PNG file without the chunks that only inform. Programs write wrong checksums into them, which
// other viewers ignore.
func essential(data []byte) []byte {
	const signature, frame = "\x89PNG\r\n\x1a\n", 12 // bytes around the data of a chunk
	rest, found := bytes.CutPrefix(data, []byte(signature))
	if !found {
		return data
	}
	kept := []byte(signature)
	for len(rest) >= frame {
		n := min(int64(binary.BigEndian.Uint32(rest))+frame, int64(len(rest)))
		if name := rest[4:8]; name[0] < 'a' || string(name) == "tRNS" {
			kept = append(kept, rest[:n]...)
		}
		rest = rest[n:]
	}
	return append(kept, rest...)
}

// IsPending reports whether Decode would make a preview.
func (p Picture) IsPending() bool { return p.data != nil }

// Decode returns the picture with its preview and without the data. It may take seconds.
func (p Picture) Decode(ctx context.Context) Picture {
	ctx, cancel := context.WithTimeout(ctx, maxTime)
	defer cancel()
	rest := bytes.NewReader(p.data)
	decoded, _, err := image.Decode(reader(func(b []byte) (int, error) {
		n, err := rest.Read(b[:min(len(b), 512)]) // a few bytes of a JPEG can repaint the whole image
		return n, cmp.Or(ctx.Err(), err)
	}))
	img, ok := decoded.(image.RGBA64Image) // as all formats are
	if p.data = nil; err != nil || !ok {
		return Picture{Caption: p.Caption + " · cannot be shown"}
	}
	p.preview = shrink(img, p.fit(maxColumns))
	return p
}

type reader func([]byte) (int, error)

// Read implements io.Reader.
func (r reader) Read(b []byte) (int, error) { return r(b) }

// Rows draws the preview at most width cells wide, in the colours of the image. Before Decode the rows are empty, so
// that text below does not move. There are none for an image that cannot be shown.
func (p Picture) Rows(width int) []string {
	size := p.fit(width)
	rows := make([]string, size.Y/2)
	if p.preview == nil {
		return rows
	}
	small := p.preview
	if size != small.Rect.Max {
		small = shrink(small, size)
	}
	for i := range size.X * len(rows) {
		x, y := i%size.X, i/size.X
		rows[y] += ansi.NewStyle().ForegroundColor(small.At(x, 2*y)).BackgroundColor(small.At(x, 2*y+1)).Styled("▀")
	}
	return rows
}

// fit returns the size of the preview in pixels. A narrow screen is often low as well, so its previews are lower.
func (p Picture) fit(width int) image.Point {
	w, h := float64(p.size.X), float64(p.size.Y)
	scale := min(1, max(1, float64(min(width, maxColumns)))/w, 2*max(1, float64(min(width/5, maxRows)))/h)
	return image.Pt(int(math.Ceil(w*scale-1e-9)), 2*int(math.Ceil(h*scale/2-1e-9))) // not one more by rounding
}

// shrink scales an image down, on white. Each pixel is the average of 64 samples.
func shrink(img image.RGBA64Image, size image.Point) *image.RGBA {
	small, all := image.NewRGBA(image.Rectangle{Max: size}), img.Bounds()
	for i := range size.X * size.Y {
		var r, g, b uint32
		x, y := i%size.X, i/size.X
		for s := range 64 {
			dx, dy := (8*x+s%8)*all.Dx()/(8*size.X), (8*y+s/8)*all.Dy()/(8*size.Y)
			cr, cg, cb, ca := img.RGBA64At(all.Min.X+dx, all.Min.Y+dy).RGBA()
			r, g, b = r+cr+0xffff-ca, g+cg+0xffff-ca, b+cb+0xffff-ca
		}
		small.SetRGBA(x, y, color.RGBA{uint8(r / 64 >> 8), uint8(g / 64 >> 8), uint8(b / 64 >> 8), 255})
	}
	return small
}
