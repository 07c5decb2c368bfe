package builtin

import (
	"cmp"
	"context"
	"fmt"
	"net/url"
	"strings"

	"github.com/JohannesKaufmann/html-to-markdown/v2/converter"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/base"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/commonmark"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/table"
	"golang.org/x/net/html"
)

// readable turns a page into markdown: what you would read of it, without menus, scripts and pictures. The error is that of ctx.
func readable(ctx context.Context, page string, address *url.URL) (string, error) {
	o, err := newOutline(ctx, page)
	if err != nil {
		return "", err
	}
	markdown := converter.NewConverter(
		// A column as wide as its widest cell would make gigabytes of a table with one long cell.
		converter.WithPlugins(base.NewBasePlugin(), commonmark.NewCommonmarkPlugin(),
			table.NewTablePlugin(table.WithCellPaddingBehavior(table.CellPaddingBehaviorMinimal))),
		converter.WithEscapeMode(converter.EscapeModeDisabled), // a model needs no backslashes, and finding where they go takes the longest
	)
	stop := func(ctx converter.Context, _ converter.Writer, _ *html.Node) converter.RenderStatus {
		if ctx.Err() != nil {
			return converter.RenderSuccess
		}
		return converter.RenderTryNext
	}
	markdown.Register.Renderer(stop, converter.PriorityEarly)
	body := o.main
	if body == nil {
		body = o.doc
	}
	text, err := markdown.ConvertNode(body, converter.WithContext(ctx), converter.WithDomain(address.Scheme+"://"+address.Host))
	if ctx.Err() != nil || err != nil {
		return "", cmp.Or(ctx.Err(), err)
	}
	readable := strings.TrimSpace(join(o.title, strings.TrimSpace(string(text))))
	if o.full() {
		readable += fmt.Sprintf("\n[The page has more than %d elements; the rest is missing.]", maxNodes)
	}
	return readable, nil
}

// join puts the title over the text unless the text begins with it anyway.
func join(title, text string) string {
	if title == "" || strings.HasPrefix(strings.TrimLeft(text, "# "), title) {
		return text
	}
	return "# " + title + "\n\n" + text
}
