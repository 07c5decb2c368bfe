package loop

import "github.com/aloudchat/aloud/provider"

// What contexts and results may be.
const (
	smallestWindow = 8192     // tokens; less does not hold a few tools and their results
	unknownWindow  = 32768    // tokens; what a model of unknown context is trusted with
	reserve        = 2048     // tokens kept free for the reply
	largestResult  = 64 << 10 // bytes of one tool result; more would double the context, and so the memory, again and again
)

// step is what a context bound by memory is rounded down to, so that a guess about memory does not look like a measurement.
const step = 1024

// windowFor is the smallest context that holds need tokens and a reply: smallestWindow, then doubled, up to limit. It is current if that is
// enough, and never smaller unless limit is, since every change makes the server load the model again.
func windowFor(need, current, limit int) int {
	if current-reserve >= need {
		return min(current, limit)
	}
	size := max(smallestWindow, current)
	for size < limit && size-reserve < need {
		size *= 2
		if size <= 0 { // larger than any number: so is what is needed
			return limit
		}
	}
	return min(size, limit)
}

// affordable is the largest context, in tokens, that a model trained for trained tokens may have where memory bytes are left for it and each
// token takes perToken of them. What is 0 or less is unknown and bounds nothing; the result is 0 when nothing bounds it. Memory never
// bounds a context below smallestWindow: what is known of it is an estimate, and with less no tool can be used.
func affordable(trained int, perToken, memory int64) int {
	trained = max(trained, 0)
	if perToken <= 0 || memory <= 0 {
		return trained
	}
	fits := max(int(min(memory/perToken, 1<<30))/step*step, smallestWindow)
	if trained == 0 {
		return fits
	}
	return min(trained, fits)
}

// resultRoom is how many bytes each of n tool results may have when used tokens of the window are taken.
func resultRoom(used, window, n int) int {
	left := (window - used - reserve) * 7 / 2 / max(n, 1)
	return max(provider.SmallestResult, min(left, largestResult))
}
