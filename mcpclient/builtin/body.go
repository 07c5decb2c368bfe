package builtin

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"mime"
	"net/http"
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/andybalholm/brotli"
	"golang.org/x/net/html/charset"
	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/transform"

	"github.com/aloudchat/aloud/internal/sanitize"
)

// uncompressed returns the body of a response. The client has undone gzip where the server declares it. Some servers
// declare nothing, and some send Brotli unasked.
func uncompressed(response *http.Response) (io.Reader, error) {
	if strings.EqualFold(response.Header.Get("Content-Encoding"), "br") {
		response.Header.Del("Content-Encoding")
		return brotli.NewReader(response.Body), nil
	}
	body := bufio.NewReader(response.Body)
	if magic, _ := body.Peek(3); string(magic) == "\x1f\x8b\x08" {
		return gzip.NewReader(body)
	}
	return body, nil
}

// checkUncompressed returns an error if the body from uncompressed is compressed in another way. Some servers declare
// an encoding for plain text.
func checkUncompressed(response *http.Response, body []byte) error {
	encoding := response.Header.Get("Content-Encoding")
	if encoding == "" || strings.EqualFold(encoding, "identity") || isUnicode(body) || isTextual(body) {
		return nil
	}
	return fmt.Errorf("%s is compressed as %q. Only gzip and Brotli can be read", response.Request.URL,
		sanitize.Clip(encoding, 60))
}

// decode returns a body as UTF-8, without a byte order mark. The mark decides before everything else.
func decode(body []byte, contentType string) string {
	return strings.ToValidUTF8(string(convert(body, charsetOf(body, contentType))), "\ufffd")
}

// convert returns a body as UTF-8. Without a byte order mark it is in the encoding e.
func convert(body []byte, e encoding.Encoding) []byte {
	text, _, _ := transform.Bytes(unicode.BOMOverride(e.NewDecoder()), body) // decoders replace what they cannot read
	return text
}

// declaration finds the charset in the declaration of XML or in a meta tag, which may come late.
var declaration = regexp.MustCompile(
	`(?i)^\s*<\?xml[^>]*?encoding\s*=\s*["']([\w.:-]+)|<meta\s[^>]*?charset\s*=\s*["']?\s*([\w.:-]+)`)

// charsetOf returns the encoding of a body. Servers often declare a wrong one, so UTF-8 is recognised by its bytes,
// which text in other charsets never has by chance. JSON is UTF-8 unless its charset is declared and its bytes are not.
func charsetOf(body []byte, contentType string) encoding.Encoding {
	media, params, _ := mime.ParseMediaType(contentType)
	// UTF-16 and charsets of seven bits, which need NUL and ESC, are valid UTF-8 too.
	if utf8.Valid(body) && (strings.HasSuffix(media, "json") || !bytes.ContainsAny(body, "\x00\x1b")) {
		return encoding.Nop
	}
	if e, _ := charset.Lookup(params["charset"]); e != nil && e != encoding.Replacement {
		return e
	}
	if strings.HasSuffix(media, "json") {
		return encoding.Nop
	}
	if m := declaration.FindSubmatch(body); m != nil {
		e, name := charset.Lookup(string(append(m[1], m[2]...)))
		if e != nil && e != encoding.Replacement && !strings.HasPrefix(name, "utf-16") { // the tag is not in UTF-16
			return e
		}
	}
	if mostlyUTF8(body) {
		return encoding.Nop
	}
	return charmap.Windows1252
}

// mostlyUTF8 reports whether more characters than broken bytes are outside ASCII.
func mostlyUTF8(body []byte) bool {
	n := 0
	for _, r := range string(body) {
		switch {
		case r == utf8.RuneError:
			n--
		case r >= utf8.RuneSelf:
			n++
		}
	}
	return n > 0
}

// isUnicode reports whether a body is UTF-8, or UTF-16 with a byte order mark, without NUL. Then it is text, whatever
// its content type says.
func isUnicode(body []byte) bool {
	text := convert(body, encoding.Nop)
	return utf8.Valid(text) && bytes.IndexByte(text, 0) < 0
}

// complete returns a body without the incomplete character at its end, if there is one.
func complete(body []byte) []byte {
	for i := len(body) - 1; i >= max(0, len(body)-utf8.UTFMax); i-- {
		if utf8.RuneStart(body[i]) {
			if !utf8.FullRune(body[i:]) {
				return body[:i]
			}
			break
		}
	}
	return body
}
