package builtin

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/JohannesKaufmann/html-to-markdown/v2/converter"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/base"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/commonmark"
	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// Limits for a page.
const (
	maxTags = 100_000
	maxLink = 2000 // bytes of a link
)

// maxDepth is the maximum nesting of elements. Lists and quotations repeat their indentation on every line, and
// html.Parse refuses a nesting of more than 512.
var maxDepth = map[string]int{"blockquote": 6, "div": 100, "dl": 20, "ol": 6, "pre": 6, "ul": 6}

// Names of elements, with spaces around them.
const (
	leftOut = " aside audio button canvas dialog footer iframe nav noscript picture script select style svg template " +
		"textarea title video "
	readTags = " a b blockquote br code dd div dl dt em h1 h2 h3 h4 h5 h6 hr i li main ol p pre strong td th tr ul "
	asDiv    = " address article caption center details fieldset figcaption figure form header option section summary " +
		"table "
)

func contains(names, name string) bool { return strings.Contains(names, " "+name+" ") }

// readable converts a page to markdown, without menus, scripts and pictures.
func readable(ctx context.Context, page string, address *url.URL) (string, error) {
	plain, title, complete := simplify(ctx, page)
	doc, err := html.Parse(bytes.NewReader(plain))
	if err != nil {
		return "", fmt.Errorf("cannot read %s: %w", address, err)
	}
	markdown := converter.NewConverter(
		converter.WithPlugins(base.NewBasePlugin(), commonmark.NewCommonmarkPlugin(commonmark.WithListEndComment(false))),
		converter.WithEscapeMode(converter.EscapeModeDisabled), // models need no escapes, which are slow to compute
	)
	stop := func(ctx converter.Context, _ converter.Writer, _ *html.Node) converter.RenderStatus {
		if ctx.Err() != nil {
			return converter.RenderSuccess
		}
		return converter.RenderTryNext
	}
	markdown.Register.Renderer(stop, converter.PriorityEarly)
	markdown.Register.Renderer(heading, converter.PriorityEarly+1)
	// The base plugin would show < and > as &lt; and &gt;. It finds none in escaped text.
	markdown.Register.TextTransformer(func(_ converter.Context, text string) string {
		return html.EscapeString(text)
	}, converter.PriorityEarly)
	markdown.Register.TextTransformer(func(_ converter.Context, text string) string {
		return html.UnescapeString(text)
	}, converter.PriorityLate)
	body := doc
	for node := range doc.Descendants() {
		if node.DataAtom == atom.Main {
			body = node
			break
		}
	}
	domain := converter.WithDomain(address.Scheme + "://" + address.Host)
	converted, err := markdown.ConvertNode(body, converter.WithContext(ctx), domain)
	if ctx.Err() != nil || err != nil {
		return "", cmp.Or(ctx.Err(), err)
	}
	text := strings.TrimSpace(string(converted))
	if title != "" && !strings.HasPrefix(strings.TrimLeft(text, "# "), title) {
		text = strings.TrimSpace("# " + title + "\n\n" + text)
	}
	if !complete {
		text += fmt.Sprintf("\n[The page has more than %d elements. The rest is missing.]", maxTags)
	}
	return text, nil
}

// heading renders a heading. The plugin's renderer drops the letter before a # at its end.
func heading(ctx converter.Context, out converter.Writer, node *html.Node) converter.RenderStatus {
	level := slices.Index([]atom.Atom{atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6}, node.DataAtom) + 1
	if level == 0 {
		return converter.RenderTryNext
	}
	var content bytes.Buffer
	ctx.RenderChildNodes(ctx, &content, node)
	if words := bytes.Fields(content.Bytes()); len(words) > 0 {
		fmt.Fprintf(out, "\n\n%s %s\n\n", strings.Repeat("#", level), bytes.Join(words, []byte(" ")))
	}
	return converter.RenderSuccess
}

// simplify returns a page with only the tags that markdown supports, and no attributes but links. It protects
// html.Parse and the converter: HTML repeats open formatting in every paragraph that follows, so 160 kB can become
// gigabytes.
func simplify(ctx context.Context, page string) (plain []byte, title string, complete bool) {
	var out bytes.Buffer
	tags := html.NewTokenizer(strings.NewReader(page))
	open := map[string]int{} // number of open elements by name
	left := ""               // the element that is being skipped
	for n := 0; n < maxTags && ctx.Err() == nil; n++ {
		kind := tags.Next()
		if kind == html.ErrorToken {
			return out.Bytes(), title, true
		}
		if kind == html.TextToken {
			if left == "title" && title == "" {
				title = strings.Join(strings.Fields(string(tags.Text())), " ")
			} else if left == "" {
				out.WriteString(html.EscapeString(string(tags.Text()))) // it may look like tags: <xmp><b>, <<font>b>
			}
			continue
		}
		name, more := tags.TagName()
		tag, ends := string(name), kind == html.EndTagToken
		switch {
		case contains(leftOut, tag) && (left == "" || left == tag):
			open[tag] += step(kind)
			if left = tag; open[tag] <= 0 {
				left, open[tag] = "", 0
			}
			continue
		case contains(asDiv, tag):
			tag = "div"
		}
		if left != "" || !contains(readTags, tag) {
			continue
		}
		if most, bounded := maxDepth[tag]; bounded {
			depth := open[tag]
			open[tag] = max(depth+step(kind), 0)
			if max(depth, open[tag]) > most {
				continue
			}
		}
		switch {
		case tag == "tr" && !ends: // a table row becomes a line with separators
			out.WriteString("<br>")
		case tag == "td" && !ends, tag == "th" && !ends:
			out.WriteString(" | ")
		case tag == "tr", tag == "td", tag == "th":
		case ends:
			fmt.Fprintf(&out, "</%s>", tag)
		case tag == "a":
			fmt.Fprintf(&out, `<a href="%s">`, html.EscapeString(link(tags, more)))
		default:
			fmt.Fprintf(&out, "<%s>", tag)
		}
	}
	return out.Bytes(), title, false
}

// step returns the change in the number of open elements after a tag.
func step(kind html.TokenType) int {
	return map[html.TokenType]int{html.StartTagToken: 1, html.EndTagToken: -1}[kind]
}

// link returns the address of an <a>.
func link(tags *html.Tokenizer, more bool) string {
	for more {
		var key, value []byte
		if key, value, more = tags.TagAttr(); string(key) == "href" && len(value) <= maxLink {
			return string(value)
		}
	}
	return ""
}
