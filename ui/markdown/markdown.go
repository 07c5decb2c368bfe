// Package markdown turns the Markdown of an answer into rows for a terminal, while the answer is still being written.
//
// A [Splitter] takes the text in pieces of any size and returns each block as soon as it is finished; a [Renderer] turns
// a block into rows. Each byte is looked at once and each finished block is rendered once, so a token costs the same at
// the end of a long answer as at its beginning. Blocks are independent: a link whose address is defined in another block
// stays as it was written.
//
// Nothing is set up before the first block is rendered.
package markdown
