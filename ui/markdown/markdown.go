// Package markdown turns the Markdown of an answer into rows for a terminal, while the answer is still being written.
//
// A [Renderer] takes the text in pieces of any size and returns the rows of each block when the next one begins.
// goldmark parses the open block again as it grows, and a block that grows too long is drawn in parts, so a token
// takes the same time at the beginning and the end of a long answer.
//
// Marks become style, and everything else is on the screen: the titles and addresses of links, their definitions, most
// tags, comments, what a fence says, and cells beyond the head of a table. Only addresses that the terminal opens by
// itself may be left out ([Style.HideAddresses]). A formula in TeX is set as text if all of it is understood, and shown
// as its source otherwise or while it is still open. Blocks are independent: a link whose address is defined elsewhere
// is shown unchanged.
//
// Nothing is set up before the first block is rendered.
package markdown
