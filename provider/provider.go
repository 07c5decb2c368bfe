// Package provider turns a question into an answer: a conversation, a model behind one small interface, and the loop that lets the model use tools.
//
// [Chat.Send] runs one turn and tells everything that happens as a sequence of events. It asks the [Model] for a reply, runs the calls in it through
// [Tools], gives the results back, and goes on until one of nine reasons ends the turn. A [Conversation] is a value that never changes, so going
// back and branching cost nothing. Ollama, other servers and the demo have packages of their own below this one; package
// provider/providertest has a model for tests.
//
// # A round
//
// loop.go has the turn from the first request to its ending. What it calls is in files of their own:
//
//	prepare.go    which servers are there; toolset.go chooses what the model is told of their tools
//	compact.go    older messages make room (summary.go) when the context is nearly full
//	request.go    what the model gets (view.go), and what a refusal teaches; learned.go has all that is known of a model
//	stream.go     the reply, piece by piece: receive.go and silence.go watch the stream, bounds.go ends one that never stops
//	calls.go      the calls of a reply: which run, and which are answered without (repeats.go, approve.go, readmore.go)
//	run.go        the calls, several at a time where none of them changes anything
//	limits.go     when the work ends (worktime.go has the clock)
//	log.go        what the program's log is told of all that
//
// Small models get much of this wrong. Package provider/repair wraps a model so that its replies are usable; see Chat.Repair.
//
// # The line
//
// A turn tells what it is doing as it happens, each [Activity] when it is seen and with the time it is likely to take, if pace.go remembers
// one. It has no words for that: package status makes the line from the events, and asks for sentences about running tools (sentences.go).
//
// The package knows nothing of screens, files or wire formats. Text of models and tools passes through it as it came, made valid UTF-8:
// whoever shows it sanitises it.
package provider
