// Aloud is a terminal chat for local models. It streams answers, lets models use tools from MCP servers, and shows in
// one line what is going on.
//
// # The tour
//
// main calls [github.com/aloudchat/aloud/cli], which has the commands. parts.go there reads the configuration and
// builds the parts of a chat, from the bottom up:
//
//   - config turns flags, environment and the TOML file into one value. Only cli imports it: other packages take
//     options. The tags of its structs are the table of keys. config/importer reads the servers of other programs.
//   - mcpclient has the words for MCP: servers, tools, calls and results, and the policy that decides which calls need
//     approval. mcpclient/servers is the running set: it starts servers, lists their tools and calls them.
//     mcpclient/conn is the connection to one server, with messages of mcpclient/jsonrpc over mcpclient/stdio or HTTP.
//     mcpclient/oauth logs in, mcpclient/elicit passes the requests of servers to you, and mcpclient/builtin has the
//     built-in servers files, fetch and clock, and the shop of the demo.
//   - provider has the conversation and the Model interface. provider/ollama and provider/openai implement it, with
//     requests by provider/endpoint, and so does provider/demo. provider/pace remembers how fast models are.
//   - provider/event has the events and the result of a turn, and provider/loop runs it: it asks the model, runs the
//     tools it calls, and repeats, until one of ten reasons ends the turn. provider/repair fixes what weak models
//     write, and provider/attach adds the files, resources and images of your message.
//   - status makes the live line from the events of a turn, and status/tape its time axis.
//   - session saves a conversation as it happens. session/live is the conversation while it goes on: it sends your
//     messages, records and observes the events of each turn, and can retry, continue or start a new one.
//   - headless draws it without a screen (-p and --plain), ui with one. ui/transcript draws the conversation and
//     ui/markdown its text, ui/composer is where you type, and ui/dialog has the dialogs.
//   - eval asks models questions with known answers, and checks what came of each (aloud eval).
//
// internal has what every package may use: sanitize makes text from outside safe to show, secret finds and hides
// secrets, jsonschema reads and completes JSON Schemas, sse reads server-sent events, netaddr judges network addresses,
// suggest finds the word meant by a misspelled one, quantity formats times, counts and sizes, atomicfile replaces files
// atomically, theme has the colours of the screen, and picture draws previews of images.
//
// docs/architecture.md follows a message and a key press through these packages, and internal/shape tests which package
// imports which. The scripts in cli/testdata/script run the program as you would. The tests in e2e run it in a real
// terminal with a real Ollama and real MCP servers.
package main

import (
	"os"

	"github.com/aloudchat/aloud/cli"
)

// version is set by the release build.
var version = ""

func main() { os.Exit(cli.Run(version)) }
