// Package e2e tests the whole program with real parts: an Ollama server, MCP servers from npm and PyPI, and a terminal.
//
//	go test -tags e2e ./e2e
//
// The tests build or install what they need into ~/.cache/aloud-e2e. The first run takes some minutes. They run on
// Linux and macOS. The models are those of [github.com/aloudchat/aloud/e2e/tinymodel]: a message with [[name]] makes
// them play the script of that name. real_test.go has a real one.
package e2e
