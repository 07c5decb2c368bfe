// Package mcpclient runs a set of MCP servers and calls their tools.
//
// Start begins to start all servers of the configuration, each on its own: processes on stdio, streamable HTTP, SSE for old ones,
// and built-in servers that run in this process. What becomes of each is told on a Board; one that fails never hurts the others.
// The tools of those that are ready are offered under names unique over all of them, and Call runs one:
//
//	set := mcpclient.Start(ctx, servers, mcpclient.Options{Board: board})
//	defer set.Close()
//	result, err := set.Call(ctx, "files__read_file", json.RawMessage(`{"path":"a.txt"}`), nil)
//
// What servers offer besides is fetched after the tools and kept up to date: Prompts and Resources, which Prompt and Read get, with what
// Complete suggests for their arguments. Package policy decides which calls run without asking.
//
// Servers are not trusted: they may hang, die, lie about their tools or flood us. Their text is handed on as it came, without the secrets of the
// configuration, and must pass sanitize on its way to a terminal.
//
// # Reading order
//
// Start with conn, one live connection to one server, which stands on stdio (processes) and elicit (what servers ask). policy says which tools are
// wanted, and which calls run without asking.
//
// Then the set, here: set.go has the front door, peer.go one server of it, life.go how it starts, is lost and comes back, control.go what you
// change; call.go runs tools and catalog.go has prompts and resources. alias.go has the names that callers meet every day.
package mcpclient
