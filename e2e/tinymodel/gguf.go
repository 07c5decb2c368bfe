package tinymodel

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
)

// A tensor is a matrix of weights, or a vector if rows is 0.
type tensor struct {
	name       string
	cols, rows int
	half       bool // float16, else float32
	at         func(row, col int) float32
}

func (t tensor) size() int {
	if t.half {
		return 2 * t.cols * max(t.rows, 1)
	}
	return 4 * t.cols * max(t.rows, 1)
}

// alignment is the alignment of tensors in a file.
const alignment = 32

func padding(n int) int { return (alignment - n%alignment) % alignment }

// The type numbers of values and tensors in a GGUF file.
const (
	typeUint32  = 4
	typeInt32   = 5
	typeFloat32 = 6
	typeBool    = 7
	typeString  = 8
	typeArray   = 9

	tensorFloat32 = 0
	tensorFloat16 = 1
)

// writeGGUF writes a GGUF file, version 3.
func writeGGUF(dst io.Writer, meta map[string]any, ts []tensor) error {
	w := &ggufWriter{w: bufio.NewWriterSize(dst, 1<<20)}
	w.raw("GGUF")
	w.put(uint32(3))
	w.put(uint64(len(ts)))
	w.put(uint64(len(meta)))
	for _, key := range slices.Sorted(maps.Keys(meta)) {
		w.str(key)
		w.value(key, meta[key])
	}
	offset := 0
	for _, t := range ts {
		w.header(t, offset)
		offset += t.size() + padding(t.size())
	}
	w.pad()
	for _, t := range ts {
		w.weights(t)
		w.pad()
	}
	if w.err != nil {
		return w.err
	}
	return w.w.Flush()
}

// A ggufWriter counts the bytes written and keeps the first error.
type ggufWriter struct {
	w   *bufio.Writer
	n   int
	err error
}

func (w *ggufWriter) raw(s string) {
	n, err := w.w.WriteString(s)
	w.n += n
	w.fail(err)
}

func (w *ggufWriter) put(v any) {
	w.n += binary.Size(v)
	w.fail(binary.Write(w.w, binary.LittleEndian, v))
}

func (w *ggufWriter) fail(err error) {
	if w.err == nil {
		w.err = err
	}
}

func (w *ggufWriter) str(s string) {
	w.put(uint64(len(s)))
	w.raw(s)
}

func (w *ggufWriter) pad() { w.raw(string(make([]byte, padding(w.n)))) }

func (w *ggufWriter) value(key string, v any) {
	switch v := v.(type) {
	case uint32:
		w.put(uint32(typeUint32))
		w.put(v)
	case float32:
		w.put(uint32(typeFloat32))
		w.put(v)
	case bool:
		w.put(uint32(typeBool))
		w.put(v)
	case string:
		w.put(uint32(typeString))
		w.str(v)
	case []int32:
		w.array(typeInt32, len(v))
		w.put(v)
	case []string:
		w.array(typeString, len(v))
		for _, s := range v {
			w.str(s)
		}
	default:
		w.fail(fmt.Errorf("the value of %q has the unsupported type %T", key, v))
	}
}

func (w *ggufWriter) array(element uint32, n int) {
	w.put(uint32(typeArray))
	w.put(element)
	w.put(uint64(n))
}

func (w *ggufWriter) header(t tensor, offset int) {
	w.str(t.name)
	dims := []uint64{uint64(t.cols)}
	if t.rows > 0 {
		dims = append(dims, uint64(t.rows))
	}
	w.put(uint32(len(dims)))
	w.put(dims)
	kind := uint32(tensorFloat32)
	if t.half {
		kind = tensorFloat16
	}
	w.put(kind)
	w.put(uint64(offset))
}

func (w *ggufWriter) weights(t tensor) {
	full, half := make([]float32, t.cols), make([]uint16, t.cols)
	for row := range max(t.rows, 1) {
		for col := range t.cols {
			full[col] = t.at(row, col)
			half[col] = float16(full[col])
		}
		if t.half {
			w.put(half)
		} else {
			w.put(full)
		}
	}
}

// float16 converts small multiples of a quarter, which are exact.
func float16(f float32) uint16 {
	if f == 0 {
		return 0
	}
	b := math.Float32bits(f)
	exponent := int(b>>23&0xff) - 127 + 15
	return uint16(b>>16&0x8000) | uint16(exponent)<<10 | uint16(b>>13&0x3ff)
}
