package markdown

import east "github.com/yuin/goldmark/extension/ast"

// definitions draws a list of terms, each above what it means.
func (d *drawing) definitions(n *east.DefinitionList, width int, p pen) []string {
	const indent = "  "
	var rows []string
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		if c.Kind() == east.KindDefinitionDescription {
			rows = append(rows, d.beside(indent, indent, width, func(w int) []string { return d.flow(c, w, p) })...)
			continue
		}
		if before := c.PreviousSibling(); before != nil && before.Kind() == east.KindDefinitionDescription {
			rows = append(rows, "")
		}
		bold := p
		bold.bold = true
		rows = append(rows, d.paragraph(c, width, bold)...)
	}
	return rows
}
