package tinymodel

import (
	"fmt"
	"math"
	"math/bits"
	"math/rand/v2"
)

const (
	codeWords = 4              // 64-bit words per code
	codeSize  = 64 * codeWords // dimensions of +1 and -1

	hubMin   = 5  // a token with at least as many predecessors gets its own dimension
	hubIn    = 16 // value of that dimension in the embeddings of the predecessors
	hubOut   = 4  // value in the token's output row
	outScale = 0.25

	// minMargin is the minimum lead of the right token in logits before the last norm. It is enough for all common
	// temperatures.
	minMargin = 24
)

// codes are the weights. The embedding of a token is a random vector of +1 and -1. Its output row is the sum of the
// embeddings of its predecessors. Random vectors are nearly orthogonal, so only these match the sum.
type codes struct {
	next  []int
	prevs [][]int
	code  [][codeWords]uint64
	hub   []int // the token's own dimension, or -1
	hubs  int
}

func newCodes(next []int) (*codes, error) {
	c := &codes{next: next}
	c.prevs, c.code, c.hub = make([][]int, len(next)), make([][codeWords]uint64, len(next)), make([]int, len(next))
	for token, n := range next {
		c.prevs[n] = append(c.prevs[n], token)
	}
	for token := range c.hub {
		c.hub[token] = -1
		if len(c.prevs[token]) >= hubMin {
			c.hub[token] = codeSize + c.hubs
			c.hubs++
		}
	}
	for seed := range uint64(20) {
		c.draw(seed)
		if c.margin() >= minMargin {
			return c, nil
		}
	}
	return nil, fmt.Errorf("no codes separate %d tokens by %d: increase codeWords", len(next), minMargin)
}

func (c *codes) draw(seed uint64) {
	random := rand.New(rand.NewPCG(seed, 1))
	for token := range c.code {
		for w := range codeWords {
			c.code[token][w] = random.Uint64()
		}
	}
}

// dim returns the size of embeddings. The engine requires a multiple of 32.
func (c *codes) dim() int { return (codeSize + c.hubs + 31) / 32 * 32 }

func (c *codes) embedding(token, i int) float32 {
	if i < codeSize {
		if c.code[token][i/64]>>(i%64)&1 == 1 {
			return 1
		}
		return -1
	}
	if c.hub[c.next[token]] == i {
		return hubIn
	}
	return 0
}

func (c *codes) output(token, i int) float32 {
	if c.hub[token] >= 0 {
		if i == c.hub[token] {
			return hubOut
		}
		return 0
	}
	if i >= codeSize {
		return 0
	}
	var sum float32
	for _, p := range c.prevs[token] {
		sum += c.embedding(p, i)
	}
	return outScale * sum
}

// margin returns the smallest lead of a right successor over any other token.
func (c *codes) margin() int {
	least := math.MaxInt
	logits := make([]int, len(c.next))
	for token := range c.next {
		for t := range logits {
			logits[t] = c.logit(token, t)
		}
		right := c.next[token]
		for t, l := range logits {
			if t != right {
				least = min(least, logits[right]-l)
			}
		}
	}
	return least
}

// logit returns the logit of t after token.
func (c *codes) logit(token, t int) int {
	if c.hub[t] >= 0 {
		if c.next[token] == t {
			return hubIn * hubOut
		}
		return 0
	}
	sum := 0
	for _, p := range c.prevs[t] {
		sum += c.dot(p, token)
	}
	return int(outScale * float64(sum))
}

func (c *codes) dot(a, b int) int {
	d := codeSize
	for w := range codeWords {
		d -= 2 * bits.OnesCount64(c.code[a][w]^c.code[b][w])
	}
	return d
}
