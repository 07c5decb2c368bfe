// Package mcpclient has what others say about MCP servers: a [Server] and its [ServerStatus], a [Tool] with its
// [Call] and [Result], a [Prompt], a [Resource], the [Tools] that a turn calls, and the [Policy] that decides which
// calls run without asking.
//
// Package servers runs a set of servers, with package conn for the connection to each, jsonrpc for its messages and
// stdio for processes. Package oauth logs in, elicit passes on what servers ask of you, and builtin has the built-in
// servers.
//
// Servers are not trusted: they may hang, exit, send false tool hints or flood the client. Their texts must pass
// sanitize before they are displayed.
package mcpclient
