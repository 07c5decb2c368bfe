package attach

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/aloudchat/aloud/internal/picture"
	"github.com/aloudchat/aloud/internal/quantity"
	"github.com/aloudchat/aloud/internal/sanitize"
	"github.com/aloudchat/aloud/provider"
)

// Image is an image in an input.
type Image struct {
	About string // "photo.png 1.2 MB"
	Mark  string // represents it in the text, as a foreign part: "[image 1: photo.png 1.2 MB]"
	Data  []byte
}

// ReadImages reads image files. It does not wait for pipes.
func ReadImages(files []string) (all []Image, err error) {
	if len(files) > maxMentions {
		return nil, fmt.Errorf("cannot attach %d images at once, but up to %d", len(files), maxMentions)
	}
	for _, file := range files {
		if info, err := os.Stat(file); err != nil {
			return nil, err
		} else if !info.Mode().IsRegular() {
			return nil, fmt.Errorf("cannot attach %q: it is not a regular file", sanitize.Line(filepath.Base(file)))
		}
		f, err := os.Open(file)
		if err != nil {
			return nil, err
		}
		image, err := NewImage(filepath.Base(file), f)
		f.Close()
		if err != nil {
			return nil, err
		}
		all = append(all, image)
	}
	return all, nil
}

// NewImage reads an image, and gives it a name.
func NewImage(name string, from io.Reader) (Image, error) {
	data, err := io.ReadAll(io.LimitReader(from, picture.MaxBytes+1))
	name = sanitize.Line(name)
	if err = cmp.Or(err, check(data)); err != nil {
		return Image{}, fmt.Errorf("cannot attach %q: %w", name, err)
	}
	return Image{About: sanitize.CutMiddle(name, 40) + " " + quantity.Bytes(int64(len(data))), Data: data}, nil
}

// check returns an error for data that is not an image that models can see.
func check(data []byte) error {
	if !picture.New(data).IsPending() {
		return errors.New("it is not a PNG, JPEG, GIF or WebP image of up to 10 MB and 20 megapixels")
	}
	return nil
}

// Said returns the input as a message.
func (in Input) Said() provider.Message {
	m := provider.Message{Role: provider.RoleUser, Text: in.Text, Foreign: in.Foreign}
	for _, i := range in.Images {
		m.Images = append(m.Images, i.Data)
	}
	return m
}

// Again returns a message as the input that it was, without its attachments.
func Again(m provider.Message) Input {
	in := Input{Text: m.Text, Foreign: m.Foreign}
	for _, f := range m.Foreign {
		mark := m.Text[f.From:f.Until]
		_, about, _ := strings.Cut(mark, ": ")
		if n := len(in.Images); n < len(m.Images) && strings.HasPrefix(mark, "[image ") {
			in.Images = append(in.Images, Image{strings.TrimSuffix(about, "]"), mark, m.Images[n]})
		}
	}
	return in
}

// BlindError reports that a model cannot see the images of a message, and suggests another.
type BlindError string

func (e BlindError) Error() string { return string(e) }

// blind returns the error for a model, with one on this machine that can see images.
func (r Reader) blind(ctx context.Context, model string) error {
	other := "a model with vision"
	if library, ok := r.Model.(provider.Library); ok {
		models, _ := library.List(ctx) // none after an error
		if i := slices.IndexFunc(models, func(i provider.Info) bool { return i.Vision && !i.Remote }); i >= 0 {
			other = sanitize.Line(models[i].Name) + ", which can"
		}
	}
	return BlindError("the model " + model + " cannot see images. Choose " + other)
}
