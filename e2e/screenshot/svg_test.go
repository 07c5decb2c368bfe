//go:build unix

package main

import (
	"encoding/xml"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/aloudchat/aloud/e2e/terminal"
)

func TestSVG(t *testing.T) {
	row := []terminal.Cell{
		{Text: "a", Bold: true, Foreground: "#ff0000"}, {Text: "<", Bold: true, Foreground: "#ff0000"}, {Text: " "}, {Text: "b", Background: "#0000ff"},
	}
	got := string(svg([][]terminal.Cell{row}, `"quoted"`))
	for _, want := range []string{
		`<text x="16.0" y="30" textLength="16.8" fill="#ff0000" font-weight="bold">a&lt;</text>`,
		`<rect x="41.2" y="16" width="8.4" height="19" fill="#0000ff"/>`,
		`aria-label="&#34;quoted&#34;"`,
	} {
		if !strings.Contains(got, want) {
			t.Errorf("there is no %s in\n%s", want, got)
		}
	}
	for d := xml.NewDecoder(strings.NewReader(got)); ; {
		if _, err := d.Token(); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatalf("the picture is not XML: %v", err)
		}
	}
}
