package ui

import (
	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"
)

// redraw writes the whole screen anew, and lets all its rows scroll together. The renderer scrolls some of them at a time, and after that sets the
// rows that scroll to those of the window it knows. Where the window has grown meanwhile they end in its middle, and what is written below is
// scrolled away until the next time. The cursor goes home when the rows are set, so it is put back: another frame may be written in between.
func redraw() tea.Cmd {
	return tea.Sequence(tea.Raw(ansi.SaveCursor+ansi.SetTopBottomMargins(0, 0)+ansi.RestoreCursor), tea.ClearScreen)
}
