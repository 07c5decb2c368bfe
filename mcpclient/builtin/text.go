package builtin

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/transform"
)

// contentType returns the content type of a file or page, from all of it or at least its first kilobytes. Unlike
// http.DetectContentType, it does not take text for an image because of how it begins.
func contentType(data []byte) string {
	kind := http.DetectContentType(data)
	switch wide, known := strings.Contains(kind, "utf-16"), strings.HasPrefix(kind, "text/"); {
	case wide && !isUnicode(data), !wide && known && !isTextual(data):
		return "application/octet-stream"
	case !known && isTextual(data):
		return "text/plain; charset=utf-8"
	}
	return kind
}

// isTextual reports whether data is UTF-8 without NUL, or has no control characters but those of terminals. The latter
// includes most other encodings of text, but neither images nor archives.
func isTextual(data []byte) bool {
	data = complete(data)
	const controls = "\x00\x01\x02\x03\x04\x05\x06\x0b\x0e\x0f\x10\x11\x12\x13\x14\x15\x16\x17\x18\x19\x1a" +
		"\x1c\x1d\x1e\x1f"
	return bytes.IndexByte(data, 0) < 0 && utf8.Valid(data) || !bytes.ContainsAny(data, controls)
}

// isUTF8 reports whether a content type is text, but not UTF-16.
func isUTF8(kind string) bool {
	return strings.HasPrefix(kind, "text/") && !strings.Contains(kind, "utf-16")
}

// textFile is an open text file, decoded. Its buffer has maxText bytes.
type textFile struct {
	*bufio.Reader
	io.Closer
}

// openText opens a text file for reading.
func (f folder) openText(name string) (textFile, error) {
	file, err := f.open(name)
	if err != nil {
		return textFile{}, err
	}
	return decoded(file, name)
}

// decoded returns an open file as text, or closes it.
func decoded(file *os.File, name string) (textFile, error) {
	in := bufio.NewReaderSize(file, maxText)
	start, _ := in.Peek(maxText)
	switch kind := contentType(start); {
	case !strings.HasPrefix(kind, "text/"):
		file.Close()
		return textFile{}, fmt.Errorf("%q is not text (%s)", name, kind)
	case !isUTF8(kind):
		in = bufio.NewReaderSize(transform.NewReader(in, unicode.BOMOverride(transform.Nop)), maxText)
	}
	return textFile{in, file}, nil
}
