package builtin

import (
	"context"
	"slices"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// The most that is read of a page.
const (
	maxNodes = 100_000 // elements and texts, and as many elements that have not ended
	maxDepth = 64      // elements inside each other; of deeper ones the text is taken
	maxLists = 12      // lists and quotations inside each other; each costs its depth once more for every line in it
	maxCells = 64      // in a row of a table; of more the text is taken
)

// outline is the tree of a page as far as markdown has words for it. It has at most one node for each tag and text of the page, and building
// it takes a time that grows with the page and no faster. html.Parse promises neither: HTML repeats open formatting in every paragraph that
// follows, so 160 kB can become gigabytes.
type outline struct {
	doc   *html.Node
	main  *html.Node // the first <main>, or nil
	title string
	nodes int
	open  []element        // outermost first
	at    map[string][]int // where elements of a name are in open
	cells int              // in the present row
	words struct {         // the text that was added last; more of it becomes part of it
		node *html.Node
		strings.Builder
	}
}

// element is an element that has not ended. node is nil inside of what is left out.
type element struct {
	tag   string
	node  *html.Node
	depth int
}

// newOutline reads a page. The error is that of ctx.
func newOutline(ctx context.Context, page string) (*outline, error) {
	doc := &html.Node{Type: html.DocumentNode}
	o := &outline{doc: doc, open: []element{{node: doc}}, at: map[string][]int{}}
	tags := html.NewTokenizer(strings.NewReader(page))
	for n := 0; !o.full(); n++ {
		if n%1000 == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		switch kind := tags.Next(); kind {
		case html.ErrorToken:
			return o, nil
		case html.TextToken:
			o.text(string(tags.Text()))
		case html.StartTagToken, html.SelfClosingTagToken:
			o.start(tags, kind == html.SelfClosingTagToken)
		case html.EndTagToken:
			name, _ := tags.TagName()
			o.end(string(name))
		}
	}
	return o, nil
}

// full reports whether the rest of the page was left out.
func (o *outline) full() bool { return max(o.nodes, len(o.open)) > maxNodes }

// Names of elements and attributes, with blanks around them.
const (
	leftOut = " aside audio button canvas dialog footer form iframe img input link meta nav noscript picture script style svg template textarea title video "
	ignored = " body font head html span tbody tfoot thead " // their tags say nothing; their content counts
	empty   = " area base br col embed hr img input link meta param source track wbr "
	blocks  = " address article aside blockquote center details dir div dl fieldset figcaption figure footer form h1 h2 h3 h4 h5 h6 header hr main menu nav ol p pre section summary table ul "
	kept    = " align class href role start title " // attributes that markdown has words for
)

func among(names, name string) bool { return strings.Contains(names, " "+name+" ") }

// implied tells which open elements end where another begins, unless one of the elements within is open inside of them.
var implied = map[string]struct{ ends, within []string }{
	"a":      {[]string{"a"}, []string{"td", "th"}},
	"dd":     {[]string{"dd", "dt"}, []string{"dl", "td", "th"}},
	"dt":     {[]string{"dd", "dt"}, []string{"dl", "td", "th"}},
	"li":     {[]string{"li"}, []string{"ul", "ol", "menu", "td", "th"}},
	"option": {[]string{"option"}, []string{"select"}},
	"td":     {[]string{"td", "th"}, []string{"table"}},
	"th":     {[]string{"td", "th"}, []string{"table"}},
	"tr":     {[]string{"tr", "caption"}, []string{"table"}},
}

func (o *outline) start(tags *html.Tokenizer, closed bool) {
	name, more := tags.TagName()
	tag := string(name)
	deep := len(o.at["ul"])+len(o.at["ol"])+len(o.at["blockquote"]) >= maxLists
	if among(ignored, tag) || deep && among(" ul ol blockquote ", tag) {
		return
	}
	if among(blocks, tag) {
		o.endFirst([]string{"p"}, []string{"td", "th"})
	}
	o.endFirst(implied[tag].ends, implied[tag].within)
	switch cell := tag == "td" || tag == "th"; {
	case cell:
		if o.top().tag == "table" {
			o.cells = 0
			o.push("tr", nil)
		}
		if o.cells++; o.top().tag != "tr" || o.cells > maxCells {
			return
		}
	case tag == "tr":
		if o.cells = 0; o.top().tag != "table" {
			return
		}
	case o.betweenCells() && tag != "caption" && (tag == "form" || !among(leftOut, tag)):
		return
	}
	if closed && o.top().node == nil { // what is left out may be XML
		return
	}
	o.push(tag, attributes(tags, more))
	if among(empty, tag) {
		o.cut(len(o.open) - 1)
	}
}

// push opens an element. What is left out, and what is in it, has no node; what is too deep has that of what is around it.
func (o *outline) push(tag string, about []html.Attribute) {
	e := element{tag: tag, depth: o.top().depth + 1}
	switch parent := o.top().node; {
	case parent == nil, among(leftOut, tag):
	case e.depth > maxDepth:
		o.nodes++
		e.node = parent
	default:
		e.node = &html.Node{Type: html.ElementNode, Data: tag, DataAtom: atom.Lookup([]byte(tag)), Attr: about}
		o.nodes++
		parent.AppendChild(e.node)
	}
	if tag == "main" && o.main == nil {
		o.main = e.node
	}
	o.open = append(o.open, e)
	o.at[tag] = append(o.at[tag], len(o.open)-1)
}

func attributes(tags *html.Tokenizer, more bool) (found []html.Attribute) {
	for more {
		var key, value []byte
		key, value, more = tags.TagAttr()
		if among(kept, string(key)) && len(found) < strings.Count(kept, " ") {
			found = append(found, html.Attribute{Key: string(key), Val: string(value)})
		}
	}
	return found
}

func (o *outline) text(text string) {
	top := o.top()
	if top.tag == "title" && o.title == "" {
		o.title = strings.Join(strings.Fields(text), " ")
	}
	if top.node == nil {
		return
	}
	if top.tag == "pre" && top.node.FirstChild == nil {
		text = strings.TrimPrefix(text, "\n")
	}
	parent, next := top.node, (*html.Node)(nil)
	if o.betweenCells() && strings.TrimSpace(text) != "" { // it stands above the table
		if table := o.open[o.last("table")].node; table.Data == "table" {
			parent, next = table.Parent, table
		}
	}
	before := parent.LastChild
	if next != nil {
		before = next.PrevSibling
	}
	if before == nil || before != o.words.node {
		o.words.node, o.words.Builder = &html.Node{Type: html.TextNode}, strings.Builder{}
		o.nodes++
		parent.InsertBefore(o.words.node, next)
	}
	o.words.WriteString(text)
	o.words.node.Data = o.words.String()
}

func (o *outline) top() element { return o.open[len(o.open)-1] }

// last is where the innermost open element of the name is, -1 if none is open.
func (o *outline) last(tag string) int {
	if at := o.at[tag]; len(at) > 0 {
		return at[len(at)-1]
	}
	return -1
}

// betweenCells reports whether a table is open, but none of its cells.
func (o *outline) betweenCells() bool {
	tag := o.top().tag
	return tag == "table" || tag == "tr"
}

// end closes the innermost element of the name, and what is open inside of it. A cell is closed by the tags of its table only.
func (o *outline) end(tag string) {
	i := o.last(tag)
	inTable := slices.Contains([]string{"table", "tr", "td", "th", "caption"}, tag)
	if i < 0 || !inTable && i < max(o.last("td"), o.last("th")) || inTable && i < o.last("table") {
		return
	}
	o.cut(i)
}

// endFirst closes the innermost of the elements, unless it is outside of one of the others.
func (o *outline) endFirst(tags, within []string) {
	i := -1
	for _, tag := range tags {
		i = max(i, o.last(tag))
	}
	for _, tag := range within {
		if o.last(tag) > i {
			return
		}
	}
	if i > 0 {
		o.cut(i)
	}
}

// cut closes the open elements from i on.
func (o *outline) cut(i int) {
	for _, e := range o.open[i:] {
		at := o.at[e.tag]
		o.at[e.tag] = at[:len(at)-1]
	}
	o.open = o.open[:i]
}
