package loop

import "github.com/aloudchat/aloud/provider"

// Sizes of contexts and results.
const (
	smallestWindow = 8192     // tokens: fewer do not hold a few tools and their results
	unknownWindow  = 32768    // tokens: for a model of unknown context
	reserve        = 2048     // tokens kept free for the reply
	largestResult  = 64 << 10 // bytes of one tool result: more would keep doubling the context and its memory
)

// step rounds a context that memory limits, so that it does not look like an exact measurement.
const step = 1024

// windowFor returns the smallest context that holds need tokens and a reply: smallestWindow, doubled as needed, up to
// limit. It returns current if that is enough, since every change reloads the model.
func windowFor(need, current, limit int) int {
	if current-reserve >= need {
		return min(current, limit)
	}
	size := max(smallestWindow, current)
	for size < limit && size-reserve < need {
		size *= 2
		if size <= 0 { // overflow
			return limit
		}
	}
	return min(size, limit)
}

// affordable returns the largest context, in tokens, for a model trained for trained tokens, if each token takes
// perToken bytes and memory bytes are available. Values of 0 or less are unknown and set no limit; the result is 0 if
// there is no limit. Memory never limits the context below smallestWindow: it is only an estimate, and less is
// useless for tools.
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

// resultRoom returns how many bytes each of n tool results may have if used tokens of the window are taken.
func resultRoom(used, window, n int) int {
	left := (window - used - reserve) * 7 / 2 / max(n, 1)
	return max(provider.MinResult, min(left, largestResult))
}
