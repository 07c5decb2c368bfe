package picture_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"hash/crc32"
	"image"
	"image/color"
	"image/gif"
	"image/jpeg"
	"image/png"
	"slices"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"github.com/aloudchat/aloud/internal/picture"
)

var (
	red   = color.NRGBA{200, 0, 0, 255}
	green = color.NRGBA{0, 200, 0, 255}
	clear = color.NRGBA{}
)

// paint makes an image in which each pixel has the colour that of returns.
func paint(width, height int, of func(x, y int) color.Color) image.Image {
	img := image.NewNRGBA(image.Rect(0, 0, width, height))
	for y := range height {
		for x := range width {
			img.Set(x, y, of(x, y))
		}
	}
	return img
}

func plain(width, height int) image.Image {
	return paint(width, height, func(int, int) color.Color { return red })
}

func pngOf(t *testing.T, img image.Image) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := png.Encode(&b, img); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// header returns a PNG that only has a header, for an image of some size.
func header(width, height uint32) []byte {
	chunk := append([]byte("IHDR"), binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint32(nil, width), height)...)
	chunk = append(chunk, 8, 6, 0, 0, 0)
	b := append([]byte("\x89PNG\r\n\x1a\n"), 0, 0, 0, 13)
	return binary.BigEndian.AppendUint32(append(b, chunk...), crc32.ChecksumIEEE(chunk))
}

func TestSizeKeepsProportions(t *testing.T) {
	for _, test := range []struct{ width, height, room, cells, rows int }{
		{640, 480, 100, 32, 12},
		{640, 480, 38, 19, 7},
		{640, 480, 18, 8, 3},
		{1200, 100, 100, 60, 3},
		{10, 2000, 100, 1, 12},
		{16, 16, 100, 16, 8},
		{1, 1, 100, 1, 1},
		{3, 3, 100, 3, 2},
		{5000, 1, 1, 1, 1},
	} {
		p := picture.New(pngOf(t, plain(test.width, test.height)))
		before := p.Rows(test.room)
		rows := p.Decode(t.Context()).Rows(test.room)
		if len(before) != test.rows || len(rows) != test.rows {
			t.Errorf("%+v: %d rows, then %d", test, len(before), len(rows))
		}
		for _, row := range rows {
			if ansi.StringWidth(row) != test.cells {
				t.Errorf("%+v: a row has %d cells", test, ansi.StringWidth(row))
			}
		}
	}
}

func TestCellShowsTwoPixels(t *testing.T) {
	const (
		redOnGreen   = "\x1b[38;2;200;0;0;48;2;0;200;0m▀\x1b[m"
		whiteOnWhite = "\x1b[38;2;255;255;255;48;2;255;255;255m▀\x1b[m"
	)
	columns := [][2]color.NRGBA{{red, green}, {clear, clear}}
	img := paint(len(columns), 2, func(x, y int) color.Color { return columns[x][y] })
	p := picture.New(pngOf(t, img)).Decode(t.Context())
	if rows := p.Rows(80); len(rows) != 1 || rows[0] != redOnGreen+whiteOnWhite {
		t.Errorf("got %q", rows)
	}
}

func TestFormats(t *testing.T) {
	var jpegFile, gifFile bytes.Buffer
	frame := image.NewPaletted(image.Rect(10, 10, 20, 20), color.Palette{red, green})
	err := gif.EncodeAll(&gifFile, &gif.GIF{Image: []*image.Paletted{frame, frame}, Delay: []int{1, 1},
		Config: image.Config{Width: 40, Height: 20, ColorModel: frame.Palette}})
	if err != nil {
		t.Fatal(err)
	}
	if err := jpeg.Encode(&jpegFile, plain(40, 20), nil); err != nil {
		t.Fatal(err)
	}
	for kind, data := range map[string][]byte{
		"PNG": pngOf(t, plain(40, 20)), "JPEG": jpegFile.Bytes(), "GIF": gifFile.Bytes(),
	} {
		p := picture.New(data).Decode(t.Context())
		if rows := p.Rows(80); !strings.HasPrefix(p.Caption, kind+" image · 40×20 · ") || len(rows) != 10 ||
			!strings.Contains(rows[9], "▀") {
			t.Errorf("%s: %q, %q", kind, p.Caption, rows)
		}
	}
}

func TestImageThatCannotBeShown(t *testing.T) {
	good := pngOf(t, paint(300, 300, func(x, y int) color.Color { return color.Gray{uint8(x * y)} }))
	changed := bytes.Clone(good)
	copy(changed[len(changed)/2:], "some other bytes")
	for name, test := range map[string]struct {
		data    []byte
		caption string
	}{
		"no image":       {[]byte("<svg/>"), "Image · 6 bytes · cannot be shown"},
		"empty":          {nil, "Image · 0 bytes · cannot be shown"},
		"only magic":     {good[:8], "Image · 8 bytes · cannot be shown"},
		"only a header":  {header(300, 300), "PNG image · 300×300 · 33 bytes · cannot be shown"},
		"huge":           {header(100_000, 100_000), "Image · 33 bytes · cannot be shown"},
		"largest":        {header(1<<31-1, 1<<31-1), "Image · 33 bytes · cannot be shown"},
		"no pixels":      {header(0, 7), "Image · 33 bytes · cannot be shown"},
		"truncated":      {good[:len(good)/2], ""},
		"changed":        {changed, ""},
		"too many bytes": {append(good, make([]byte, 10<<20)...), ""},
	} {
		p := picture.New(test.data)
		if p.IsPending() {
			p = p.Decode(t.Context())
		}
		if len(p.Rows(80)) > 0 || p.IsPending() || strings.Count(p.Caption, " · cannot be shown") != 1 ||
			test.caption != "" && p.Caption != test.caption {
			t.Errorf("%s: %q and %d rows, want %q and none", name, p.Caption, len(p.Rows(80)), test.caption)
		}
	}
}

func TestChecksumOfInformationIsIgnored(t *testing.T) {
	data := pngOf(t, plain(4, 4))
	const afterHeader = 8 + 12 + 13
	odd := slices.Insert(data, afterHeader, []byte("\x00\x00\x00\x04iCCPdatawrng")...)
	if rows := picture.New(odd).Decode(t.Context()).Rows(80); len(rows) != 2 {
		t.Errorf("%d rows, want 2", len(rows))
	}
}

func TestDecodeEndsWithContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	noise := paint(100, 100, func(x, y int) color.Color { return color.Gray{uint8(x * x * y)} })
	if p := picture.New(pngOf(t, noise)).Decode(ctx); len(p.Rows(80)) > 0 {
		t.Error("the image was decoded after its context was cancelled")
	}
}

func TestManyPixelsAreShrunk(t *testing.T) {
	stripes := paint(600, 240, func(x, _ int) color.Color {
		if x < 300 {
			return red
		}
		return green
	})
	rows := picture.New(pngOf(t, stripes)).Decode(t.Context()).Rows(80)
	left, right := strings.Count(rows[0], "38;2;200;0;0;"), strings.Count(rows[0], "38;2;0;200;0;")
	if len(rows) != 12 || left != 30 || right != 30 {
		t.Errorf("%d rows, %d red and %d green cells", len(rows), left, right)
	}
}
