package markdown

import (
	"strings"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
)

// alert is the kind of a block quote that begins with a mark such as [!NOTE].
type alert struct{ mark, title string }

var alertKinds = [...]alert{
	{"[!NOTE]", "ℹ Note"}, {"[!TIP]", "✦ Tip"}, {"[!IMPORTANT]", "◆ Important"}, {"[!WARNING]", "▲ Warning"},
	{"[!CAUTION]", "✗ Caution"},
}

// alerts takes the marks of alerts out of their first paragraphs.
type alerts struct{}

var alertAttribute = []byte("alert")

func (alerts) Transform(p *ast.Paragraph, reader text.Reader, _ parser.Context) {
	quote, ok := p.Parent().(*ast.Blockquote)
	if !ok || p.PreviousSibling() != nil || p.Lines().Len() == 0 {
		return
	}
	first := p.Lines().At(0)
	line := string(first.Value(reader.Source()))
	for _, a := range alertKinds {
		if len(line) < len(a.mark) || !strings.EqualFold(line[:len(a.mark)], a.mark) {
			continue
		}
		quote.SetAttribute(alertAttribute, a)
		first.Start += len(a.mark)
		p.Lines().Set(0, first.TrimLeftSpace(reader.Source()))
		if strings.TrimSpace(line[len(a.mark):]) == "" {
			p.Lines().SetSliced(1, p.Lines().Len())
		}
		if p.Lines().Len() == 0 {
			quote.RemoveChild(quote, p)
		}
		return
	}
}

// quote draws a block quote beside a bar. That of an alert has a title and the colour of its kind.
func (d *drawing) quote(n *ast.Blockquote, width int, p pen) []string {
	bar := pen{color: d.style.Rule}
	title := ""
	if kind, ok := n.Attribute(alertAttribute); ok {
		a := kind.(alert)
		s := d.style
		bar.color = map[string]string{"[!NOTE]": s.Link, "[!TIP]": s.Added, "[!IMPORTANT]": s.Keyword,
			"[!WARNING]": s.Number, "[!CAUTION]": s.Removed}[a.mark]
		title = pen{color: bar.color, bold: true}.paint(a.title)
	} else {
		p.color = d.style.Quote
	}
	mark := bar.paint("▎") + " "
	return d.beside(mark, mark, width, func(w int) []string {
		if title == "" {
			return d.flow(n, w, p)
		}
		return append(Wrap(title, w, d.method), d.flow(n, w, p)...)
	})
}
