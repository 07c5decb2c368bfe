// Aloud is a chat for the terminal that says what it is doing. It streams answers from local models, lets them use
// tools from MCP servers, and one line at the bottom of the screen tells what is going on.
//
// # The tour
//
// main hands over to [github.com/aloudchat/aloud/cli], which has the commands. parts.go there reads the configuration
// and builds the parts of a chat, from the bottom up:
//
//   - config turns flags, environment and the TOML file into one value. Only cli imports it: other packages take
//     options. The tags of its structs are the table of keys. config/importer reads the servers of other programs.
//   - mcpclient is the set of MCP servers: it starts them, lists and calls their tools, and decides which calls ask
//     first (policy.go). mcpclient/conn is the connection to one server, mcpclient/oauth the login to it, and
//     mcpclient/elicit hands you what servers ask. The built-in servers (files, fetch, clock) are in mcpclient/builtin.
//   - provider has the conversation, the events of a turn and its result, and the Model interface. That is implemented
//     by provider/ollama and provider/openai, which make their requests with provider/endpoint, and by provider/demo.
//   - provider/loop runs a turn: ask the model, run the tools it calls, go again, until one of nine reasons ends the
//     turn. provider/repair mends what weak models write, and provider/attach adds what you mention of servers.
//   - status makes the status line from a turn's events: phases, clocks, and sentences about running tools.
//   - session writes a conversation to disk while it happens.
//   - headless answers without a screen (-p and --plain), ui with one. Both pull the same events from the same turn.
//     ui/transcript draws the conversation, ui/markdown the text in it; ui/composer is where you type, and ui/dialog
//     has everything that asks for something.
//
// Every package may use these: sanitize makes text from models, tools and files safe to show, secret finds and hides
// secrets, jsonschema checks values against JSON Schemas, netaddr judges where a connection goes, quantity writes
// times, counts and sizes, and atomicfile does what its name says.
//
// Each package's comment goes on from here. imports_test.go fixes which package may import which. The stories in
// testdata/script run the program as you would; those in e2e run it in a real terminal, with a real Ollama and real MCP
// servers.
package main

import (
	"os"

	"github.com/aloudchat/aloud/cli"
)

// version is set by the release build.
var version = ""

func main() { os.Exit(cli.Run(version)) }
