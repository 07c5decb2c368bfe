package builtin

import (
	"bufio"
	"compress/gzip"
	"fmt"
	"io"
	"net/http"
	"strings"

	"github.com/andybalholm/brotli"

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
