// Package markdown turns the Markdown of an answer into rows for a terminal, while the answer is still being written.
//
// A [Renderer] takes the text in pieces of any size and returns the rows of each block when the next one begins.
// goldmark parses the block that is open again as it grows, and a block that grows too long is drawn in pieces, so a
// token costs the same at the end of a long answer as at its beginning. Blocks are independent: a link whose address
// is defined in another block stays as it was written.
//
// Nothing is set up before the first block is rendered.
package markdown
