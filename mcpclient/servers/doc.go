// Package servers runs a set of MCP servers and calls their tools.
//
// Start starts all configured servers: processes on stdio, servers over streamable HTTP or the old SSE, and built-in
// servers. A Board shows the state of each. A server that fails does not affect the others. The tools of all servers
// get unique names, and Call calls one:
//
//	set := servers.Start(ctx, configured, servers.Options{Board: board})
//	defer set.Close()
//	call := mcpclient.Call{Tool: "files__read_file", Arguments: json.RawMessage(`{"path":"a.txt"}`)}
//	result, err := set.Call(ctx, call, nil)
//
// Prompts and resources are fetched after the tools and kept up to date: see Prompts, Prompt, Resources and Read.
// Configured secrets are hidden in the texts of servers.
//
// # Reading order
//
// Start with set.go, peer.go (one server of the set), life.go (how it starts, is lost and restarts) and control.go
// (what you change). call.go makes calls, and catalog.go has prompts and resources. Package conn is the connection to
// one server.
package servers
