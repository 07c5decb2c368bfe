package ui

import (
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"charm.land/lipgloss/v2"

	"github.com/aloudchat/aloud/ui/markdown"
)

// clip shortens a row to width cells, with "…" where something is missing.
func clip(row string, width int, st *look) string {
	return markdown.Clip(row, width, "…", st.method)
}

// middle shortens a text without colours to width cells by leaving out its middle: both ends of an address tell where it leads.
func middle(text string, width int, st *look) string {
	if st.method.StringWidth(text) <= width {
		return text
	}
	left := markdown.Clip(text, width/2, "", st.method)
	right := []rune(text[min(len(left), len(text)):])
	right = right[max(0, len(right)-4*width):]
	for len(right) > 0 && st.method.StringWidth(left+"…"+string(right)) > width {
		right = right[1:]
	}
	return clip(left+"…"+string(right), width, st)
}

// paint puts rows into a style, all at once: a style is much slower than what it writes.
func paint(rows []string, style lipgloss.Style) {
	on, off, _ := strings.Cut(style.Render("x"), "x")
	for i, row := range rows {
		if row != "" {
			rows[i] = on + row + off
		}
	}
}

// cut returns at most n bytes of s, whole characters.
func cut(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n]
}

// cutLeft returns the last n bytes of s, or fewer where that would part a character.
func cutLeft(s string, n int) string {
	from := max(0, len(s)-n)
	for from < len(s) && !utf8.RuneStart(s[from]) {
		from++
	}
	return s[from:]
}

// ellipsis returns at most n characters of s, with "…" where something is missing.
func ellipsis(s string, n int) string {
	if utf8.RuneCountInString(s) <= n {
		return s
	}
	return string([]rune(s)[:n-1]) + "…"
}

// lineCount counts the lines of s, blank ones at its end not included.
func lineCount(s string) int {
	s = strings.TrimRight(s, "\n")
	if s == "" {
		return 0
	}
	return strings.Count(s, "\n") + 1
}

// nthLine returns where the n-th line of s ends, -1 when there are fewer.
func nthLine(s string, n int) int {
	at := 0
	for range n {
		i := strings.IndexByte(s[at:], '\n')
		if i < 0 {
			return -1
		}
		at += i + 1
	}
	return at - 1
}

// shortDuration is a time as short as it is useful: 12ms, 3.4s, 2m10s.
func shortDuration(d time.Duration) string {
	switch {
	case d < time.Second:
		return strconv.FormatInt(d.Milliseconds(), 10) + "ms"
	case d < 10*time.Second:
		return strconv.FormatFloat(d.Seconds(), 'f', 1, 64) + "s"
	}
	return d.Round(time.Second).String()
}

// longest returns the first of some texts, from long to short, that fits.
func longest(width int, st *look, forms ...string) string {
	for _, form := range forms {
		if st.method.StringWidth(form) <= width {
			return form
		}
	}
	return forms[len(forms)-1]
}
