// Package e2e tries the whole program as a person would, with real parts: an Ollama server, MCP servers from npm, a terminal.
//
//	go test -tags e2e ./e2e
//
// What the tests need they build or install themselves, into ~/.cache/aloud-e2e; the first run takes some minutes.
// The tests run on Linux and macOS. The models are those of [github.com/aloudchat/aloud/e2e/tinymodel]: a message with a [[name]] in it
// makes them play the script of that name.
package e2e
