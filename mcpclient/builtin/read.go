package builtin

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/mark3labs/mcp-go/mcp"
	"golang.org/x/text/encoding/unicode"
)

const (
	maxText  = 32 << 10 // bytes of one answer: about 8,000 tokens, what a small context still bears
	maxLines = 1000     // of one answer, unless more are asked for
)

// read gives a file's lines from offset on, as many as asked for and fit, and says how to go on.
func (f folder) read(ctx context.Context, r mcp.CallToolRequest) (string, error) {
	argument, err := text(r, "path")
	if err != nil {
		return "", err
	}
	name, err := f.file(&argument)
	if err != nil {
		return "", err
	}
	file, err := f.open(name)
	if err != nil {
		return "", err
	}
	defer file.Close()

	in := bufio.NewReaderSize(file, maxText)
	head, err := in.Peek(512)
	if err != nil && !errors.Is(err, io.EOF) {
		return "", explain(name, err)
	}
	switch kind := contentType(head); {
	case strings.Contains(kind, "utf-16"):
		in = bufio.NewReaderSize(unicode.UTF16(unicode.LittleEndian, unicode.UseBOM).NewDecoder().Reader(in), maxText)
	case !strings.HasPrefix(kind, "text/"):
		size := ""
		if info, err := file.Stat(); err == nil {
			size = ", " + bytesOf(info.Size())
		}
		return "", fmt.Errorf("%q is not text (%s%s)", name, kind, size)
	}
	p := page{first: max(r.GetInt("offset", 1), 1)}
	if err := p.read(ctx, in, max(r.GetInt("limit", maxLines), 1)); err != nil {
		return "", explain(name, err)
	}
	return p.String(), nil
}

// page is a piece of a text, by lines.
type page struct {
	first   int // number of its first line, from 1
	next    int // number of the line after it
	cut     bool
	more    bool
	content strings.Builder
}

func (p *page) read(ctx context.Context, in *bufio.Reader, lines int) error {
	p.next = 1
	for p.next < p.first {
		err := skipLine(in)
		if err == nil {
			_, err = in.Peek(1) // the last line has none after it
		} else {
			p.next-- // there was none
		}
		if errors.Is(err, io.EOF) {
			return fmt.Errorf("the file ends before line %d; it has %d", p.first, p.next)
		} else if err != nil {
			return err
		}
		p.next++
		if err := ctx.Err(); err != nil {
			return err
		}
	}
	for p.next < p.first+lines {
		line, err := in.ReadSlice('\n')
		long := errors.Is(err, bufio.ErrBufferFull)
		if err != nil && !errors.Is(err, io.EOF) && !long {
			return err
		}
		if p.content.Len() > 0 && p.content.Len()+len(line) > maxText {
			p.more = true
			return nil
		}
		p.content.Write(line)
		if len(line) > 0 {
			p.next++
		}
		if long {
			p.cut = true
			if err = skipLine(in); err == nil {
				_, err = in.Peek(1)
			}
			p.more = err == nil
			return nil
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
	}
	_, err := in.Peek(1)
	p.more = err == nil
	return nil
}

// String is the text and, if there is more, how to get it.
func (p *page) String() string {
	content := strings.ToValidUTF8(p.content.String(), "\ufffd")
	if content == "" {
		return "[The file is empty.]"
	}
	if p.cut {
		content += fmt.Sprintf("…\n[Line %d is longer than %d bytes and was cut.]", p.next-1, maxText)
	}
	if p.more {
		content = strings.TrimSuffix(content, "\n") + fmt.Sprintf("\n[Lines %d to %d. There is more: go on with offset %d.]", p.first, p.next-1, p.next)
	}
	return content
}

// skipLine reads to the end of a line. io.EOF: there was none.
func skipLine(in *bufio.Reader) error {
	for begun := false; ; begun = true {
		part, err := in.ReadSlice('\n')
		if errors.Is(err, bufio.ErrBufferFull) {
			continue
		}
		if errors.Is(err, io.EOF) && (begun || len(part) > 0) {
			return nil
		}
		return err
	}
}
