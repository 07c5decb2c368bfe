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
// Complete suggests for their arguments. Which calls run without asking a person is the business of package policy.
//
// Inside, a connection is mcp-go's client on a wire, which adds to every transport what it lacks. Servers are not trusted: they may hang,
// die, lie about their tools or flood us. Their text is handed on as it came and must pass sanitize on its way to a terminal.
//
// # Reading order
//
// First the packages below, each of which knows nothing of connections and sets: login (who lets us in), fault (what went wrong, in our words),
// offer (what servers offer), content (what they give), asked (what they ask), policy (which tools are wanted, and which calls run without asking),
// stdio (their processes), wirelog (what goes over the wire, for the log) and web (the side of HTTP that mcp-go leaves to us).
//
// Then a connection, from its beginning: connect.go, with local.go, remote.go and environment.go for each kind of server; wire.go, converse.go and
// news.go for what goes over it; listing.go, prompts.go and resources.go for what is fetched, tasks.go for calls that take their time.
//
// Then the set: set.go has the front door, peer.go one server of it, attempt.go, life.go and recovery.go how it starts, is lost and comes back,
// switch.go and reload.go what a person changes; call.go, offers.go, complete.go and asking.go what goes on with it.
package mcpclient
