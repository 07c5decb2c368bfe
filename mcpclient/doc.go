// Package mcpclient runs a set of MCP servers and calls their tools.
//
// Start begins to start all servers of the configuration, each on its own: processes on stdio, streamable HTTP, SSE for old ones,
// and built-in servers that run in this process. What becomes of each is told on a status.Board; one that fails never hurts the others.
// The tools of those that are ready are offered under names unique over all of them, and Call runs one:
//
//	set := mcpclient.Start(ctx, servers, mcpclient.Options{Board: board})
//	defer set.Close()
//	result, err := set.Call(ctx, "files__read_file", json.RawMessage(`{"path":"a.txt"}`), nil)
//
// What servers offer besides is fetched after the tools and kept up to date: Prompts and Resources, which Prompt and Read get, with what
// Complete suggests for their arguments. A Policy says which calls run without asking a person.
//
// Inside, a connection is mcp-go's client on a wire, which adds to every transport what it lacks. Servers are not trusted: they may hang,
// die, lie about their tools or flood us. Their text is handed on as it came and must pass sanitize on its way to a terminal.
package mcpclient
