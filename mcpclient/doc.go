// Package mcpclient runs a set of MCP servers and calls their tools.
//
// Start starts all servers of the configuration, each on its own: processes on stdio, servers over streamable HTTP or the old SSE,
// and built-in servers that run in this process. A Board shows the state of each; a server that fails does not affect the others.
// The tools of ready servers are offered under names unique over all of them, and Call runs one:
//
//	set := mcpclient.Start(ctx, servers, mcpclient.Options{Board: board})
//	defer set.Close()
//	result, err := set.Call(ctx, "files__read_file", json.RawMessage(`{"path":"a.txt"}`), nil)
//
// Prompts and resources are fetched after the tools and kept up to date: see Prompts, Prompt, Resources and Read. A
// Policy decides which calls run without asking.
//
// Servers are not trusted: they may hang, die, lie about their tools or flood us. Their text is passed on without the secrets of the
// configuration, and must pass sanitize on its way to a terminal.
//
// # Reading order
//
// Start with conn, one live connection to one server, which stands on stdio (processes) and elicit (what servers ask).
//
// Then the set, here: set.go has the front door, peer.go one server of it, life.go how it starts, is lost and comes back, control.go what you
// change. policy.go says which calls run without asking, call.go runs them, and catalog.go has prompts and resources. alias.go has the types of other
// packages that callers need.
package mcpclient
