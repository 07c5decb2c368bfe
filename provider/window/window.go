// Package window knows what fits: how many tokens text costs, how large a context has to be, what of it a tool's result may take, and how
// a result or a schema that is too large is made smaller without losing what matters most.
//
// All of it looks at lengths and text alone, takes time in proportion to what it is given, and gives a result for any input.
// Everything here is safe for concurrent use.
package window

// What contexts and results may be.
const (
	SmallestWindow = 8192     // tokens; less does not hold a few tools and their results
	UnknownWindow  = 32768    // tokens; what a model of unknown context is trusted with
	Reserve        = 2048     // tokens kept free for the reply
	LargestResult  = 64 << 10 // bytes of one tool result; more would double the window, and so the memory, again and again
	SmallestResult = 512      // bytes of a tool result that are kept however full the window is
	Image          = 768      // tokens; about what current vision models spend on one
	Markup         = 8        // tokens around a message or a tool
)

// step is what a window bound by memory is rounded down to, so that a guess about memory does not look like a measurement.
const step = 1024

// Tokens estimates what text of so many bytes costs. English prose has about 4 bytes to a token, code and JSON about 3; 3.5 errs to the safe
// side for what a chat with tools holds.
func Tokens(bytes int) int { return bytes/7*2 + bytes%7*2/7 }

// Window is the smallest context that holds need tokens and a reply: SmallestWindow, then doubled, up to limit. It is current if that is
// enough, and never smaller unless limit is, since every change makes the server load the model again.
func Window(need, current, limit int) int {
	if current-Reserve >= need {
		return min(current, limit)
	}
	size := max(SmallestWindow, current)
	for size < limit && size-Reserve < need {
		size *= 2
		if size <= 0 { // larger than any number: so is what is needed
			return limit
		}
	}
	return min(size, limit)
}

// Affordable is the largest context, in tokens, that a model trained for trained tokens may have where memory bytes are left for it and each
// token takes perToken of them. What is 0 or less is unknown and bounds nothing; the result is 0 when nothing bounds it. Memory never
// bounds a context below SmallestWindow: what is known of it is an estimate, and with less no tool can be used.
func Affordable(trained int, perToken, memory int64) int {
	trained = max(trained, 0)
	if perToken <= 0 || memory <= 0 {
		return trained
	}
	fits := max(int(min(memory/perToken, 1<<30))/step*step, SmallestWindow)
	if trained == 0 {
		return fits
	}
	return min(trained, fits)
}

// Room is how many bytes each of n tool results may have when used tokens of the window are taken.
func Room(used, window, n int) int {
	left := (window - used - Reserve) * 7 / 2 / max(n, 1)
	return max(SmallestResult, min(left, LargestResult))
}
