// Aloud is a chat for the terminal that says what it is doing: it streams answers from local models, lets them use tools from
// MCP servers, and one live line tells what is going on.
//
// # The tour
//
// The code is read from the bottom up, each package knowing only those before it:
//
//   - [github.com/aloudchat/aloud/sanitize] makes text from models, tools and files safe to show. Whatever prints uses it.
//   - [github.com/aloudchat/aloud/spelling] finds the word that was meant: a key, a tool, a command, a time zone.
//   - [github.com/aloudchat/aloud/atomicfile] writes small files in one step, [github.com/aloudchat/aloud/filewatch] tells when one has
//     changed, and [github.com/aloudchat/aloud/cause] is what the system says of one that cannot be used.
//   - [github.com/aloudchat/aloud/secret] knows what is secret, by its name, its looks and its place in a text, and hides it.
//   - [github.com/aloudchat/aloud/status] knows what the status line says: phases, tool names in Title Case, two clocks, and the
//     short sentence a model may write about a running tool.
//   - [github.com/aloudchat/aloud/mcpclient] starts MCP servers, lists and calls their tools, and fetches their prompts and
//     resources. mcpclient/policy decides which calls ask first, and mcpclient/link is the connection to one server.
//     The built-in servers (files, fetch, clock) are in mcpclient/builtin and are servers like any other; mcpclient/others reads which
//     servers other programs have, mcpclient/form makes fields of the JSON schemas with which servers ask, mcpclient/oauth gets into
//     servers that want a login, and mcpclient/conformance lets the protocol's own suite judge all that. What a connection stands on
//     (mcpclient/offer, content, asked, fault, login, web, wirelog, stdio) is named in the package comment of mcpclient, in the order to
//     read it, and [github.com/aloudchat/aloud/browser] opens the page of a login.
//   - [github.com/aloudchat/aloud/provider] holds the conversation and runs a turn: ask the model, run the tools it wants, go again,
//     until one of nine reasons ends it. Its package comment follows a round step by step. provider/printed finds the thinking and
//     the calls in what a model writes as text, provider/arguments mends what it gives to a tool (by the schemas that package
//     schema holds values against, as mcpclient does with what tools give), provider/loosejson reads JSON that is nearly right,
//     provider/budget knows what fits into a context, provider/pace how long a model took before. provider/attach makes messages of
//     the resources that a question mentions, and of prompts. The Model interface is filled by provider/ollama and provider/openai,
//     which read with provider/complaint why a server refuses, by provider/demo and, in tests, by a script. provider/desk is where
//     servers ask a person or the model.
//   - [github.com/aloudchat/aloud/session] writes a conversation to disk while it happens, and
//     [github.com/aloudchat/aloud/switches] which tools a person switched off.
//   - [github.com/aloudchat/aloud/headless] answers without a screen, [github.com/aloudchat/aloud/ui] with one. Both pull the same
//     events from the same turn.
//   - [github.com/aloudchat/aloud/config] turns flags, environment and the TOML file into one value. Only this package imports it,
//     config/importing, which plans how servers of other programs come into the file, and config/adding, which makes an entry of a
//     command line: every other one takes its own small options.
//
// Here the parts are made and handed to each other: cli.go has the commands and flags, parts.go builds what a command needs, and
// each command has its file.
package main

import (
	"cmp"
	"context"
	"os"
	"os/signal"
	"syscall"

	"charm.land/fang/v2"
	"github.com/spf13/cobra"
)

// version is set by the release build.
var version = ""

func main() { os.Exit(run()) }

// run executes the command line and returns the exit code. The signals that ask a program to leave end its context, so that
// every way out closes the servers it started; the interactive chat takes ctrl+c as a key.
func run() int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	defer stop()
	// The second ctrl+c ends the program at once, should something not end by itself. A session that closes says so in two signals: they
	// count as one.
	context.AfterFunc(ctx, func() {
		signal.Notify(make(chan os.Signal, 1), syscall.SIGTERM, syscall.SIGHUP)
		stop()
	})
	// Without a receiver a reader of our output that leaves would kill us before the servers are closed. The signal itself says nothing:
	// it comes for the pipe of any server, too. The write that failed tells.
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE)
	out := &stdout{File: os.Stdout}
	root := newRoot()
	root.SetOut(out)
	err := dress(ctx, root)
	if err == nil {
		root.SetArgs(arrange(os.Args[1:]))
		err = root.ExecuteContext(ctx)
	}
	err = cmp.Or(out.lost(), err)
	printError(os.Stderr, err)
	return exitCode(err)
}

// dress gives the commands fang's help, man page and version. fang adds them as it executes a command, and asks the terminal for its colours
// after any error, which takes seconds and the keys typed meanwhile. So fang executes a command that does nothing, and cobra the real one.
func dress(ctx context.Context, root *cobra.Command) error {
	nothing := &cobra.Command{Use: "nothing", Hidden: true, Run: func(*cobra.Command, []string) {}}
	root.AddCommand(nothing)
	defer root.RemoveCommand(nothing)
	root.SetArgs([]string{nothing.Use})
	var options []fang.Option
	if version != "" {
		options = append(options, fang.WithVersion(version))
	}
	return fang.Execute(ctx, root, options...)
}
