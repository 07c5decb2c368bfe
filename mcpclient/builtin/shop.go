package builtin

import (
	"bytes"
	"cmp"
	"context"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/pelletier/go-toml/v2"
)

// shopFiles has the files of the shop, in the folder shop, and what its tools return.
//
//go:embed shop shop.toml
var shopFiles embed.FS

// Shop returns the server of the demo: a made-up shop with its files in a temporary folder, which Close removes.
func Shop() (*Server, error) {
	var records map[string]record
	text, err := shopFiles.ReadFile("shop.toml")
	dir, noDir := os.MkdirTemp("", "aloud-shop-")
	if err = cmp.Or(err, noDir, toml.Unmarshal(text, &records)); err != nil {
		return nil, err
	}
	var s *Server
	if err = os.CopyFS(dir, shopFiles); err == nil {
		s, err = files(Options{Dir: filepath.Join(dir, "shop"), Write: true, Asks: true})
	}
	if err != nil {
		return nil, errors.Join(err, os.RemoveAll(dir))
	}
	s.name, s.temporary = "shop", dir
	for name, r := range records {
		s.answers[name] = r.answer
	}
	return s, nil
}

// Sources returns the URIs that a call reads, but none in a temporary folder: they are of no use after the demo.
func (s *Server) Sources(tool string, given json.RawMessage) []string {
	if s.temporary != "" {
		return nil
	}
	return s.folder.Sources(tool, given)
}

// record is what a tool of the shop returns. shop.toml explains it.
type record struct {
	Takes           int
	Argument, Error string
	Results         map[string]string
	Chart           []int
}

func (r record) answer(ctx context.Context, a arguments) (string, error) {
	select {
	case <-time.After(time.Duration(r.Takes) * time.Millisecond):
	case <-ctx.Done():
		return "", ctx.Err()
	}
	value := fmt.Sprint(a.values[r.Argument])
	result, ok := r.Results[strings.ToLower(value)]
	if !ok {
		return "", errors.New(cmp.Or(r.Error, fmt.Sprintf("there is no %s %.60q", r.Argument, value)))
	}
	if len(r.Chart) == 0 {
		return result, nil
	}
	chart, blue := image.NewRGBA(image.Rect(0, 0, 30*len(r.Chart), 120)), image.NewUniform(color.RGBA{80, 150, 220, 255})
	for i, value := range r.Chart { // steps of five pixels, so that a small preview is sharp
		draw.Draw(chart, image.Rect(30*i+5, 115-value/15*5, 30*i+25, 115), blue, image.Point{}, draw.Src)
	}
	var picture bytes.Buffer
	err := png.Encode(&picture, chart)
	*a.picture = picture.Bytes()
	return result, err
}
