package builtin

import (
	"net/url"
	"slices"
	"strings"

	"github.com/JohannesKaufmann/html-to-markdown/v2/converter"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/base"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/commonmark"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/table"
	"golang.org/x/net/html"
)

// readable turns a page into markdown: what a person would read of it, without menus, scripts and pictures.
func readable(page string, address *url.URL) string {
	doc, err := html.Parse(strings.NewReader(page))
	if err != nil {
		return page
	}
	markdown := converter.NewConverter(
		converter.WithPlugins(base.NewBasePlugin(), commonmark.NewCommonmarkPlugin(), table.NewTablePlugin()),
		converter.WithEscapeMode(converter.EscapeModeDisabled), // a model needs no backslashes, and finding where they go takes the longest
	)
	for _, tag := range []string{"nav", "footer", "aside", "form", "button", "svg", "img", "picture", "video", "audio", "canvas", "template", "dialog"} {
		markdown.Register.TagType(tag, converter.TagTypeRemove, converter.PriorityEarly)
	}
	withoutSpans(doc)
	title := strings.Join(strings.Fields(textOf(find(doc, "title"))), " ")
	body := find(doc, "main")
	if body == nil {
		body = doc
	}
	text, err := markdown.ConvertNode(body, converter.WithDomain(address.Scheme+"://"+address.Host))
	if err != nil {
		return page
	}
	return strings.TrimSpace(join(title, strings.TrimSpace(string(text))))
}

// withoutSpans makes every cell of every table a single one: a page may claim that one cell spans a million.
func withoutSpans(doc *html.Node) {
	for n := range doc.Descendants() {
		n.Attr = slices.DeleteFunc(n.Attr, func(a html.Attribute) bool { return a.Key == "colspan" || a.Key == "rowspan" })
	}
}

// join puts the title over the text unless the text begins with it anyway.
func join(title, text string) string {
	if title == "" || strings.HasPrefix(strings.TrimLeft(text, "# "), title) {
		return text
	}
	return "# " + title + "\n\n" + text
}

// find is the first element of that name, in the order of the page, or nil.
func find(n *html.Node, tag string) *html.Node {
	for d := range n.Descendants() {
		if d.Type == html.ElementNode && d.Data == tag {
			return d
		}
	}
	return nil
}

func textOf(n *html.Node) string {
	if n == nil {
		return ""
	}
	var b strings.Builder
	for d := range n.Descendants() {
		if d.Type == html.TextNode {
			b.WriteString(d.Data)
		}
	}
	return b.String()
}
