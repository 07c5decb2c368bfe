package builtin

import (
	"net/url"
	"strconv"
	"strings"

	"golang.org/x/net/html"

	"github.com/aloudchat/aloud/internal/netaddr"
	"github.com/aloudchat/aloud/internal/sanitize"
)

const (
	maxRefresh = 10 // seconds until a page sends the reader on. Later, it is to be read first.

	// Names of the elements before the body of a page.
	inHead = " html head meta title link style script base noscript template "
)

// refreshTo matches the content of a refresh: the seconds, a separator and the address, which may be empty.
var refreshTo = sanitize.Pattern(`(?i)^\s*(\d{1,9})[\d.]*(?:\s*[;,]|\s)\s*(?:url\s*=\s*)?["']?([^"'\s]*)`)

// refreshed returns the address to which a page at this address sends browsers with a meta tag, nil if it sends them
// nowhere.
func refreshed(page string, address *url.URL) *url.URL {
	tags := html.NewTokenizer(strings.NewReader(page))
	skipped := 0 // open elements whose content is not for browsers
	for {
		kind := tags.Next()
		switch kind {
		case html.ErrorToken:
			return nil
		case html.TextToken, html.CommentToken, html.DoctypeToken:
			continue
		}
		name, more := tags.TagName()
		tag := string(name)
		switch {
		case tag == "noscript", tag == "template":
			skipped += step(kind)
		case kind == html.EndTagToken:
		case !contains(inHead, tag):
			return nil
		case tag == "meta" && skipped <= 0:
			if next := refreshOf(tags, more); next != "" {
				return elsewhere(next, address)
			}
		}
	}
}

// refreshOf returns the address in a meta tag that sends browsers on, "" for another tag.
func refreshOf(tags *html.Tokenizer, more bool) string {
	attributes := map[string]string{}
	for more {
		var key, value []byte
		key, value, more = tags.TagAttr()
		attributes[string(key)] = string(value)
	}
	parts := refreshTo().FindStringSubmatch(attributes["content"])
	if parts == nil || !strings.EqualFold(strings.TrimSpace(attributes["http-equiv"]), "refresh") {
		return ""
	}
	if seconds, _ := strconv.Atoi(parts[1]); seconds > maxRefresh || len(parts[2]) > maxLink {
		return ""
	}
	return parts[2]
}

// elsewhere returns the web address of a link in a page, nil if it leads to no web page or back to the same.
func elsewhere(link string, page *url.URL) *url.URL {
	next, err := page.Parse(link)
	if err != nil || !netaddr.IsWeb(next) {
		return nil
	}
	next.Fragment = ""
	if next.String() == page.String() {
		return nil
	}
	return next
}
