package screen

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"runtime"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"
	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/term"

	"github.com/aloudchat/aloud/internal/sanitize"
)

// display draws views on a terminal's alternate screen. Only one goroutine may use it.
type display struct {
	in            io.Reader
	out           io.Writer
	colors        colorprofile.Profile
	width, height int

	renderer *uv.TerminalRenderer // writes the changes
	changes  bytes.Buffer
	cells    uv.ScreenBuffer
	rows     []string // the rows in cells; nil if the whole screen must be drawn

	modes        bytes.Buffer // sequences to write before the next frame
	shown        tea.View     // the last view that was drawn
	synchronized bool         // the terminal supports synchronized output
	asked        bool         // the terminal's capabilities were requested
	restore      func() error // restores the terminal's input and output modes; nil unless entered
	release      func()       // releases standard error
}

func newDisplay(t Terminal) (*display, error) {
	d := &display{in: t.In, out: t.Out, colors: t.Colors, width: t.Width, height: t.Height}
	if d.width == 0 {
		f, ok := t.Out.(term.File)
		if !ok {
			return nil, errors.New("standard output is not a terminal")
		}
		var err error
		if d.width, d.height, err = term.GetSize(f.Fd()); err != nil {
			return nil, fmt.Errorf("cannot read the size of the terminal: %w", err)
		}
	}
	d.cells = uv.NewScreenBuffer(d.width, d.height)
	d.renderer = uv.NewTerminalRenderer(&d.changes, t.Env)
	d.renderer.SetColorProfile(t.Colors)
	d.renderer.SetFullscreen(true)
	d.renderer.SetRelativeCursor(false)
	d.renderer.SetTabStops(-1)
	return d, nil
}

// Modes that enter sets and leave resets. The kitty keyboard protocol keeps its flags for each screen, so they are
// pushed after entering the alternate screen.
const (
	enterModes = ansi.SetModeAltScreenSaveCursor + ansi.ResetModeTextCursorEnable + ansi.SetModeBracketedPaste +
		ansi.SetModeFocusEvent + ansi.SetModifyOtherKeys2
	leaveModes = ansi.ResetModifyOtherKeys + ansi.ResetModeFocusEvent + ansi.ResetModeBracketedPaste +
		ansi.ResetModeAltScreenSaveCursor + ansi.SetModeTextCursorEnable
	mouseOn  = ansi.SetModeMouseButtonEvent + ansi.SetModeMouseExtSgr
	mouseOff = ansi.ResetModeMouseButtonEvent + ansi.ResetModeMouseExtSgr
)

// windowTitle selects the title among the properties of a window that a terminal saves and restores.
const windowTitle = 2

// enter takes control of the terminal. The next frame is drawn whole.
func (d *display) enter() error {
	restore, err := raw(d.in, d.out)
	if err != nil {
		return fmt.Errorf("cannot set up the terminal: %w", err)
	}
	d.restore, d.release = restore, holdErrors(d.out)
	d.modes.WriteString(ansi.WindowOp(22, windowTitle) + enterModes + ansi.PushKittyKeyboard(1))
	if d.cells.Method == ansi.GraphemeWidth {
		d.modes.WriteString(ansi.SetModeUnicodeCore)
	}
	if !d.asked {
		d.asked = true
		d.modes.WriteString(ansi.RequestModeSynchronizedOutput + ansi.RequestModeUnicodeCore)
	}
	d.shown = tea.View{}
	d.redraw()
	return nil
}

// leave restores the terminal. It does nothing before enter.
func (d *display) leave() error {
	if d.restore == nil {
		return nil
	}
	if d.shown.WindowTitle != "" {
		d.modes.WriteString(ansi.SetWindowTitle("")) // for terminals that do not restore it
	}
	if d.shown.MouseMode != tea.MouseModeNone {
		d.modes.WriteString(mouseOff)
	}
	if d.cells.Method == ansi.GraphemeWidth {
		d.modes.WriteString(ansi.ResetModeUnicodeCore)
	}
	d.modes.WriteString(ansi.PopKittyKeyboard(1) + leaveModes + ansi.WindowOp(23, windowTitle))
	_, err := d.out.Write(d.modes.Bytes())
	d.modes.Reset()
	err = errors.Join(err, d.restore())
	d.release()
	d.restore = nil
	return err
}

// redraw makes the next frame draw the whole screen. The renderer may have set margins for a window that was smaller.
func (d *display) redraw() {
	d.rows = nil
	d.renderer.Erase()
	d.modes.WriteString(ansi.SetTopBottomMargins(0, 0))
}

func (d *display) resize(width, height int) {
	if width == d.width && height == d.height {
		return
	}
	d.width, d.height = width, height
	d.cells.Resize(width, height)
	d.cells.Touched = nil
	d.renderer.Resize(width, height)
	d.redraw()
}

// report handles the terminal's replies to the requests of enter.
func (d *display) report(msg tea.ModeReportMsg) {
	switch msg.Mode {
	case ansi.ModeSynchronizedOutput:
		d.synchronized = msg.Value == ansi.ModeReset || msg.Value == ansi.ModeSet
	case ansi.ModeUnicodeCore:
		if msg.Value == ansi.ModeReset || msg.Value == ansi.ModeSet || msg.Value == ansi.ModePermanentlySet {
			d.cells.Method = ansi.GraphemeWidth
			d.renderer.SetWidthMethod(ansi.GraphemeWidth)
			d.modes.WriteString(ansi.SetModeUnicodeCore)
			d.redraw()
		}
	}
}

// write writes a sequence that does not change the content of the screen.
func (d *display) write(sequence string) { _, _ = io.WriteString(d.out, sequence) }

// draw draws a view in one write. It writes nothing if nothing has changed.
func (d *display) draw(v tea.View) {
	d.setModes(v)
	rows := strings.Split(v.Content, "\n")
	rows = append(rows[:min(len(rows), d.height)], make([]string, max(0, d.height-len(rows)))...)
	changed, moved := 0, 0
	for y, row := range rows {
		if d.rows == nil || row != d.rows[y] {
			uv.NewStyledString(sanitize.HideSemicolons(row)).Draw(d.cells, uv.Rect(0, y, d.width, 1))
			for x := range d.width {
				if c := d.cells.CellAt(x, y); c != nil && c.Link.URL != "" {
					c.Link.URL = strings.ReplaceAll(c.Link.URL, " ", ";")
				}
			}
			changed++
			if d.rows == nil || row != "" && slices.Contains(d.rows, row) {
				moved++
			}
		}
	}
	if changed > 0 {
		d.scope(moved)
		d.renderer.Render(d.cells.RenderBuffer)
	}
	d.rows = rows
	if v.Cursor != nil {
		d.renderer.MoveTo(v.Cursor.X, v.Cursor.Y)
	}
	_ = d.renderer.Flush()
	d.flush(v.Cursor != nil)
	d.shown = v
}

// scrolledRows is the minimum number of rows that the renderer moves when it scrolls.
const scrolledRows = 3

// scope sets the rows that the renderer compares. It rewrites each compared row with wide letters, so these are only
// the changed rows. It needs all rows if it may scroll, because some have moved, or clear the bottom of the screen.
func (d *display) scope(moved int) {
	all := moved >= scrolledRows || strings.TrimSpace(d.cells.Line(d.height-1).String()) == ""
	d.renderer.SetScrollOptim(all && runtime.GOOS != "windows") // microsoft/terminal#19016
	if !all {
		return
	}
	for y := range d.height {
		d.cells.TouchLine(0, y, d.width)
	}
}

// setModes writes the modes that differ from the last view.
func (d *display) setModes(v tea.View) {
	if v.WindowTitle != d.shown.WindowTitle {
		d.modes.WriteString(ansi.SetWindowTitle(v.WindowTitle))
	}
	if v.MouseMode != d.shown.MouseMode {
		if v.MouseMode == tea.MouseModeNone {
			d.modes.WriteString(mouseOff)
		} else {
			d.modes.WriteString(mouseOn)
		}
	}
}

// atOnce is the largest frame that terminals read and draw in one step, so that its cursor is not seen on its way.
const atOnce = 512

// flush writes the modes and the changes. It hides the cursor while it moves in a large frame, unless the terminal
// supports synchronized output. Text that streams in small frames costs little more than its letters.
func (d *display) flush(cursor bool) {
	shown := d.shown.Cursor != nil
	if d.changes.Len() == 0 && d.modes.Len() == 0 && cursor == shown {
		return
	}
	small := d.modes.Len()+d.changes.Len() <= atOnce
	synchronized := d.synchronized && !small
	still := cursor && shown && (small || synchronized)
	var b bytes.Buffer
	_, _ = d.modes.WriteTo(&b)
	if synchronized {
		b.WriteString(ansi.SetModeSynchronizedOutput)
	}
	if shown && !still {
		b.WriteString(ansi.ResetModeTextCursorEnable)
	}
	_, _ = d.changes.WriteTo(&b)
	if cursor && !still {
		b.WriteString(ansi.SetModeTextCursorEnable)
	}
	if synchronized {
		b.WriteString(ansi.ResetModeSynchronizedOutput)
	}
	_, _ = d.out.Write(b.Bytes())
}
