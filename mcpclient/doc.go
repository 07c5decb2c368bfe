// Package mcpclient runs a set of MCP servers and calls their tools.
//
// Start starts all configured servers: processes on stdio, servers over streamable HTTP or the old SSE, and built-in
// servers. A Board shows the state of each. A server that fails does not affect the others. The tools of all servers
// get unique names, and Call calls one:
//
//	set := mcpclient.Start(ctx, servers, mcpclient.Options{Board: board})
//	defer set.Close()
//	call := mcpclient.Call{Tool: "files__read_file", Arguments: json.RawMessage(`{"path":"a.txt"}`)}
//	result, err := set.Call(ctx, call, nil)
//
// Prompts and resources are fetched after the tools and kept up to date: see Prompts, Prompt, Resources and Read. A
// Policy decides which calls run without asking.
//
// Servers are not trusted: they may hang, exit, send false tool hints or flood the client. Configured secrets are
// hidden in their texts, which must pass sanitize before they are displayed.
//
// # Reading order
//
// Start with conn, one connection to one server. It uses stdio for processes and elicit for requests of servers.
//
// Then read set.go, peer.go (one server of the set), life.go (how it starts, is lost and restarts) and control.go (what
// you change). policy.go decides which calls run without asking, call.go runs them, and catalog.go has prompts and
// resources. alias.go has the types of conn that callers need.
package mcpclient
