package stdio

import (
	"bufio"
	"errors"
	"io"
)

// keptOfLong is how much of each end is kept of a line over the limit, to find out which call it answers.
const keptOfLong = 512

// readLines calls line for every line until r ends, and long instead for one over max bytes, of which it keeps only both ends.
// The slices are valid during the call only.
func readLines(r io.Reader, max int, line func([]byte), long func(head, tail []byte, size int)) {
	in := bufio.NewReaderSize(r, 64<<10)
	var buffer []byte
	size := 0
	for {
		part, err := in.ReadSlice('\n')
		size += len(part)
		if size <= max {
			buffer = append(buffer, part...)
		} else {
			buffer = keepEnds(buffer, part)
		}
		if errors.Is(err, bufio.ErrBufferFull) {
			continue
		}
		switch {
		case size > max:
			long(buffer[:len(buffer)/2], buffer[len(buffer)/2:], size)
		case size > 0:
			line(buffer)
		}
		if err != nil {
			return
		}
		size = 0
		if buffer = buffer[:0]; cap(buffer) > 1<<20 {
			buffer = nil // one big answer must not stay in memory
		}
	}
}

// keepEnds adds part to buffer and keeps the first and the last bytes of both. It makes a new buffer when the old one was large.
func keepEnds(buffer, part []byte) []byte {
	if len(buffer) > 2*keptOfLong {
		ends := make([]byte, 0, 2*keptOfLong+len(part))
		ends = append(ends, buffer[:keptOfLong]...)
		buffer = append(ends, buffer[len(buffer)-keptOfLong:]...)
	}
	buffer = append(buffer, part...)
	if len(buffer) > 2*keptOfLong {
		copy(buffer[keptOfLong:], buffer[len(buffer)-keptOfLong:])
		buffer = buffer[:2*keptOfLong]
	}
	return buffer
}
