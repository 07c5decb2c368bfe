package builtin

import (
	"bufio"
	"compress/gzip"
	"io"
	"net/http"
	"strings"

	"github.com/andybalholm/brotli"
)

// uncompressed returns the body of a response. The client has undone gzip where the server declares it. Some servers
// declare nothing, and some send Brotli unasked.
func uncompressed(response *http.Response) (io.Reader, error) {
	if strings.EqualFold(response.Header.Get("Content-Encoding"), "br") {
		return brotli.NewReader(response.Body), nil
	}
	body := bufio.NewReader(response.Body)
	if magic, _ := body.Peek(3); string(magic) == "\x1f\x8b\x08" {
		return gzip.NewReader(body)
	}
	return body, nil
}
