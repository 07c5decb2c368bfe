package composer

import (
	"fmt"
	"strings"

	"github.com/aloudchat/aloud/internal/sanitize"
	"github.com/aloudchat/aloud/provider/attach"
	"github.com/aloudchat/aloud/ui/look"
)

// A large paste becomes a chip, because the editor is slow with long text. Earlier inputs and texts of prompts that you
// edit become chips only if they are far too large for the editor.
const (
	chipBytes = 2048
	chipLines = 20
	editBytes = 32 << 10
	editLines = 2000
)

// chip is a label that represents a pasted text or an image.
type chip struct {
	label, text string
	image       attach.Image // without data for a text
}

// Paste inserts text in place of the selection, as a chip if it is large, or if it would attach something.
func (p *Composer) Paste(text string) {
	defer p.changed()
	p.area.DeleteSelection()
	bytes := chipBytes
	if len(attach.Typed(text).Mentions()) > 0 {
		bytes = 0
	}
	p.insert(text, bytes, chipLines)
}

// insert inserts a text at the cursor, as a chip if it exceeds these limits.
func (p *Composer) insert(text string, bytes, rows int) {
	text = sanitize.Text(strings.ReplaceAll(strings.ReplaceAll(text, "\r\n", "\n"), "\r", "\n"))
	if text == "" {
		return
	}
	lines := strings.Count(strings.TrimSuffix(text, "\n"), "\n") + 1
	if len(text) > bytes || lines > rows {
		c := chip{label: chipLabel(len(p.chips)+1, lines, len(text)), text: text}
		p.chips = append(p.chips, c)
		text = c.label
	}
	p.area.InsertString(strings.ReplaceAll(text, "\t", tab))
	p.area, _ = p.area.Update(nil) // scrolls to the cursor
}

// Attach inserts images in place of the selection. A search ends.
func (p *Composer) Attach(images []attach.Image) {
	p.Dismiss()
	defer p.changed()
	p.area.DeleteSelection()
	for _, i := range images {
		p.addImage(i)
		p.insert(" ", chipBytes, chipLines)
	}
}

// addImage inserts an image. It gets a new number if it has none, or if another image in the draft has it.
func (p *Composer) addImage(i attach.Image) {
	number, _, _ := strings.Cut(i.Mark, ":")
	for n := 1; number == "" || strings.Contains(p.area.Value(), number+":"); n++ {
		number = fmt.Sprintf("[image %d", n)
	}
	i.Mark = number + ": " + i.About + "]"
	p.chips = append(p.chips, chip{i.Mark, i.Mark, i})
	p.area.InsertString(i.Mark)
}

// tab stands for a tab in the editor, which would replace it with spaces. Its first character is one that sanitized
// text never has, and that the editor draws as a space.
const tab = "\u2028   "

var tabs = strings.NewReplacer(tab, "\t", tab[:len(tab)-1], "\t", tab[:len(tab)-2], "\t", tab[:len(tab)-3], "\t")

// withTabs returns a text of the editor with its tabs. You may have deleted some of their spaces.
func withTabs(text string) string { return tabs.Replace(text) }

func chipLabel(n, lines, bytes int) string {
	if lines == 1 {
		return fmt.Sprintf("[Pasted text #%d · %s characters]", n, look.Thousands(bytes))
	}
	return fmt.Sprintf("[Pasted text #%d · %s lines]", n, look.Thousands(lines))
}
