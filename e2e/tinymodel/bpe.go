package tinymodel

import (
	_ "embed"
	"regexp"
	"strings"
)

// sample is text like that of prompts: instructions of aloud, schemas of tools, results.
//
//go:embed sample.txt
var sample string

// mergeCount gives about three bytes per token, as with real models in a chat with tools.
const mergeCount = 500

// pieces matches the parts of a text that byte-level BPE keeps apart: a word with the space before it, or a run of
// other characters.
var pieces = regexp.MustCompile(` ?[A-Za-z]+| ?[0-9]+| ?[^\sA-Za-z0-9]+|\s+`)

// A pair is two tokens that a merge joins.
type pair struct{ left, right string }

// merges learns n merges from text, each of the most frequent pair.
func merges(text string, n int) []pair {
	counts := map[string]int{}
	for _, piece := range pieces.FindAllString(text, -1) {
		counts[piece]++
	}
	pieceTokens := map[string][]string{}
	for piece := range counts {
		pieceTokens[piece] = strings.Split(stored(piece), "")
	}
	list := make([]pair, 0, n)
	for range n {
		best, times := mostFrequent(pieceTokens, counts)
		if times < 2 {
			break
		}
		list = append(list, best)
		for piece, tokens := range pieceTokens {
			pieceTokens[piece] = best.join(tokens)
		}
	}
	return list
}

// mostFrequent returns the most frequent pair. Ties are ordered by text.
func mostFrequent(pieceTokens map[string][]string, counts map[string]int) (best pair, times int) {
	seen := map[pair]int{}
	for piece, tokens := range pieceTokens {
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

// join replaces each occurrence of the pair by one token.
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
