package stdio

import (
	"bufio"
	"bytes"
	"errors"
	"io"
)

const headOfLong = 1 << 10 // bytes kept of a line over the limit

// readLines calls line for every line of r, with its full size. Of a line over max bytes head is only the beginning.
// head is valid only during the call.
func readLines(r io.Reader, max int, line func(head []byte, size int)) {
	in := bufio.NewReaderSize(r, 64<<10)
	var head []byte
	size := 0
	for {
		part, err := in.ReadSlice('\n')
		if size += len(part); size <= max {
			head = append(head, part...)
		} else if len(head) != headOfLong {
			head = bytes.Clone(append(head, part...)[:min(size, headOfLong)])
		}
		if errors.Is(err, bufio.ErrBufferFull) {
			continue
		}
		if size > 0 {
			line(head, size)
		}
		if err != nil {
			return
		}
		size = 0
		if head = head[:0]; cap(head) > 1<<20 {
			head = nil // free the memory of a large message
		}
	}
}
