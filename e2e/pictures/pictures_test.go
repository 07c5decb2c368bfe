//go:build unix

package main

import (
	"encoding/xml"
	"errors"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/aloudchat/aloud/e2e/terminal"
)

// TestPageShowsPictures checks that docs/status.md shows every picture of the album.
func TestPageShowsPictures(t *testing.T) {
	page, err := os.ReadFile("../../docs/status.md")
	if err != nil {
		t.Fatal(err)
	}
	var shown, made []string
	for _, link := range regexp.MustCompile(`!\[[^\]]+\]\(status/([a-z-]+)\.svg\)`).FindAllSubmatch(page, -1) {
		shown = append(shown, string(link[1]))
	}
	for _, p := range album {
		made = append(made, p.name)
	}
	files, err := filepath.Glob("../../docs/status/*")
	if err != nil {
		t.Fatal(err)
	}
	for i, file := range files {
		files[i] = strings.TrimSuffix(filepath.Base(file), ".svg")
	}
	slices.Sort(files)
	slices.Sort(shown)
	slices.Sort(made)
	if !slices.Equal(shown, made) || !slices.Equal(shown, files) {
		t.Errorf("docs/status.md shows\n%q,\nthe album has\n%q,\nand the folder has\n%q", shown, made, files)
	}
}

// TestPicturesShowTheirPhase checks that each picture has the row it waited for, and is small.
func TestPicturesShowTheirPhase(t *testing.T) {
	for _, p := range album {
		picture, err := os.ReadFile(filepath.Join("..", "..", folder, p.name+".svg"))
		if err != nil {
			t.Error(err)
			continue
		}
		find, err := finder(p.sees)
		if err != nil {
			t.Fatal(err)
		}
		if text := textOf(t, picture); find(text) < 0 {
			t.Errorf("%s does not show %s but\n%s", p.name, p.sees, text)
		}
		if len(picture) > 8<<10 {
			t.Errorf("%s has %d bytes", p.name, len(picture))
		}
	}
}

// TestFilm checks that the film of the README shows a whole turn and is small.
func TestFilm(t *testing.T) {
	picture, err := os.ReadFile("../../docs/session.svg")
	if err != nil {
		t.Fatal(err)
	}
	text := textOf(t, picture)
	for _, want := range []string{question, "Loading tiny-full", "Thinking…", "Index Repository on code · ", "✓ 2 tools"} {
		if !strings.Contains(text, want) {
			t.Errorf("the film does not show %q", want)
		}
	}
	if len(picture) > 100<<10 {
		t.Errorf("the film has %d bytes", len(picture))
	}
}

// TestEvalFilm checks that the film of aloud eval ends with the table and is small.
func TestEvalFilm(t *testing.T) {
	picture, err := os.ReadFile("../../" + evalFilm)
	if err != nil {
		t.Fatal(err)
	}
	text := textOf(t, picture)
	for _, want := range []string{"24/24", realModels[0].name, realModels[1].name, "It cannot be done", "Writes"} {
		if !strings.Contains(text, want) {
			t.Errorf("the film does not show %q", want)
		}
	}
	if len(picture) > 50<<10 {
		t.Errorf("the film has %d bytes", len(picture))
	}
}

// textOf returns the text of a picture, row by row.
func textOf(t *testing.T, picture []byte) string {
	t.Helper()
	var text strings.Builder
	row := ""
	for d := xml.NewDecoder(strings.NewReader(string(picture))); ; {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return text.String() + "\n"
		}
		if err != nil {
			t.Fatalf("the picture is not XML: %v", err)
		}
		switch token := token.(type) {
		case xml.StartElement:
			for _, a := range token.Attr {
				if token.Name.Local == "text" && a.Name.Local == "y" && a.Value != row {
					row = a.Value
					text.WriteString("\n")
				}
			}
		case xml.CharData:
			text.WriteString(strings.Trim(string(token), "\n"))
		}
	}
}

func TestSVG(t *testing.T) {
	row := []terminal.Cell{
		{Text: "⠹"}, {Text: "a", Bold: true, Foreground: "#ff0000"}, {Text: "<", Bold: true, Foreground: "#ff0000"},
		{Text: " "}, {Text: "b", Background: "#0000ff"}, {Text: " "},
	}
	got := string(darkPaper.svg(calm([][]terminal.Cell{row}), words(row)))
	for _, want := range []string{
		`<text x="10.0" y="24" textLength="8.4">⠋</text>`,
		`<text x="18.4" y="24" textLength="16.8" fill="#ff0000" font-weight="bold">a&lt;</text>`,
		`<rect x="43.6" y="10" width="8.4" height="19" fill="#0000ff"/>`,
		`aria-label="a&lt; b"`,
	} {
		if !strings.Contains(got, want) {
			t.Errorf("there is no %s in\n%s", want, got)
		}
	}
}
