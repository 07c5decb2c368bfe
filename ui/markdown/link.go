package markdown

import (
	"net/url"
	"strings"

	"github.com/charmbracelet/x/ansi"
	"github.com/yuin/goldmark/ast"

	"github.com/aloudchat/aloud/internal/sanitize"
)

// link writes the text of a link and its title, and the address unless it is the same as the text, because the text
// could show another address.
func (in *inline) link(n ast.Node, destination, title []byte, p pen) {
	address := sanitize.Line(unescape(string(destination)))
	p = in.linked(p, address)
	before := in.out.Len()
	in.children(n, p)
	shown := ansi.Strip(in.out.String()[before:])
	if shown == address || "mailto:"+shown == address {
		address = ""
	} else if in.style.HideAddresses && p.link != "" && shown != "" {
		address = hostBeyond(shown, address)
	}
	about := sanitize.Line(unescape(string(title)))
	if about != "" {
		about = `"` + about + `"`
		if address != "" {
			about = " " + about
		}
	}
	if address == "" && about == "" {
		return
	}
	bracket, open := pen{color: in.style.Quote}, " ("
	if shown == "" {
		open = "("
	}
	bracket.write(&in.out, open)
	pen{color: in.style.Quote, link: p.link}.write(&in.out, address)
	bracket.write(&in.out, about+")")
}

func (in *inline) linked(p pen, address string) pen {
	p.color, p.under, p.link = in.style.Link, true, ""
	if sanitize.IsLink(address) {
		p.link = address
	}
	return p
}

// hostBeyond returns the host of an address for the web, or "" if text shows this host already. It returns all of
// another address.
func hostBeyond(text, address string) string {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" {
		return address
	}
	text = strings.TrimSpace(text)
	if !strings.Contains(text, "://") {
		text = "https://" + text
	}
	if said, err := url.Parse(text); err == nil && said.User == nil && strings.EqualFold(said.Host, u.Host) {
		return ""
	}
	return u.Host
}
