package builtin

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
)

const (
	maxText  = 32 << 10 // bytes of a result: about 8,000 tokens, which fit into a small context
	maxLines = 1000     // default limit of lines
)

// read is the handler of read_file.
func (f folder) read(ctx context.Context, a arguments) (string, error) {
	name, err := f.file(a)
	if err != nil {
		return "", err
	}
	in, err := f.openText(name)
	if err != nil {
		return "", err
	}
	defer in.Close()
	text, err := readLines(ctx, in.Reader, max(a.number("offset", 1), 1), max(a.number("limit", maxLines), 1))
	return text, explain(name, err)
}

// readLines returns up to limit lines from the line first on, as far as they fit, and a note on how to continue.
func readLines(ctx context.Context, in *bufio.Reader, first, limit int) (string, error) {
	var text strings.Builder
	number, full := 1, false // number of the next line; full: no more lines fit
	for ; ctx.Err() == nil; number++ {
		line, isLong, err := nextLine(in)
		switch {
		case err != nil && !errors.Is(err, io.EOF):
			return "", err
		case err != nil && number == 1:
			return "[The file is empty.]", nil
		case err != nil && number <= first:
			return "", fmt.Errorf("the file has only %d lines", number-1)
		case err != nil:
			return text.String(), nil
		case number < first:
			continue
		case full || number >= first+limit || text.Len() > 0 && text.Len()+len(line) > maxText:
			return strings.TrimSuffix(text.String(), "\n") +
				fmt.Sprintf("\n[Lines %d to %d. Continue with offset %d.]", first, number-1, number), nil
		}
		text.WriteString(strings.ToValidUTF8(string(line), "\ufffd"))
		if full = isLong; isLong {
			fmt.Fprintf(&text, "…\n[Line %d was truncated to %d bytes.]", number, maxText)
		}
	}
	return "", ctx.Err()
}

// nextLine returns the next line with its newline, or the start of a line that is longer than the buffer. It returns
// io.EOF after the last line.
func nextLine(in *bufio.Reader) (line []byte, isLong bool, err error) {
	line, err = in.ReadSlice('\n')
	if isLong = errors.Is(err, bufio.ErrBufferFull); isLong {
		line = bytes.Clone(line)
	}
	for errors.Is(err, bufio.ErrBufferFull) {
		_, err = in.ReadSlice('\n')
	}
	if errors.Is(err, io.EOF) && len(line) > 0 {
		err = nil
	}
	return line, isLong, err
}
