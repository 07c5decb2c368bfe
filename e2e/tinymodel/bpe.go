package tinymodel

import (
	_ "embed"
	"regexp"
	"strings"
)

// sample is text like that of prompts: what aloud says, schemas of tools, results.
//
//go:embed sample.txt
var sample string

// mergeCount makes the model read about three bytes to a token, as real ones do with what a chat with tools holds.
const mergeCount = 500

// pieces are what byte-level BPE never joins with each other: a word with the space before it, a run of other signs.
var pieces = regexp.MustCompile(` ?[A-Za-z]+| ?[0-9]+| ?[^\sA-Za-z0-9]+|\s+`)

// A pair is two tokens that a merge makes one of.
type pair struct{ left, right string }

// merges learns from text which tokens to join: n times the pair that is most frequent.
func merges(text string, n int) []pair {
	counts := map[string]int{}
	for _, piece := range pieces.FindAllString(text, -1) {
		counts[piece]++
	}
	words := map[string][]string{}
	for piece := range counts {
		words[piece] = strings.Split(stored(piece), "")
	}
	list := make([]pair, 0, n)
	for range n {
		best, times := mostFrequent(words, counts)
		if times < 2 {
			break
		}
		list = append(list, best)
		for piece, tokens := range words {
			words[piece] = best.join(tokens)
		}
	}
	return list
}

// mostFrequent is the pair that occurs most often; of several the one that comes first by its text.
func mostFrequent(words map[string][]string, counts map[string]int) (best pair, times int) {
	seen := map[pair]int{}
	for piece, tokens := range words {
		for i := range len(tokens) - 1 {
			seen[pair{tokens[i], tokens[i+1]}] += counts[piece]
		}
	}
	for p, n := range seen {
		if n > times || n == times && p.before(best) {
			best, times = p, n
		}
	}
	return best, times
}

func (p pair) before(q pair) bool {
	return p.left < q.left || p.left == q.left && p.right < q.right
}

// join makes one token of each occurrence of the pair.
func (p pair) join(tokens []string) []string {
	out := tokens[:0]
	for i := 0; i < len(tokens); i++ {
		if i+1 < len(tokens) && tokens[i] == p.left && tokens[i+1] == p.right {
			out = append(out, p.left+p.right)
			i++
			continue
		}
		out = append(out, tokens[i])
	}
	return out
}
