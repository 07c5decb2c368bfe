// Package provider turns a question into an answer: a conversation, a model behind one small interface, and the loop that lets the model use tools.
//
// [Chat.Send] runs one turn and tells everything that happens as a sequence of events. It asks the [Model] for a reply, runs the calls in it through
// [Tools], gives the results back, and goes on until one of nine reasons ends the turn. A [Conversation] is a value that never changes, so going
// back and branching cost nothing. [Script] is a model for tests; Ollama, other servers and the demo have packages of their own below this one.
//
// # A round
//
// Small models get much of this wrong. Package provider/repair wraps a model so that its replies are usable; see Chat.Repair. The steps of a
// round are called in this order, and each is a file:
//
//	offer.go      which tools the context has room for, and how much is said of each
//	compact.go    older messages make room (summary.go) when the context is nearly full
//	ask.go        a request, made again without what the server refused
//	request.go    what the model gets (view.go), how large its context has to be, what a refusal teaches
//	stream.go     the reply, piece by piece: receive.go and silence.go watch the stream, bounds.go ends one that never stops
//	job.go        a call: its tool, its arguments, its id
//	calls.go      which calls run, which are answered without (repeats.go, approve.go, readmore.go), and what failures lead to
//	run.go        the calls, several at a time where none of them changes anything
//	log.go        what the program's log is told of all that
//	limits.go     when the work ends (remaining.go warns, worktime.go has the clock), and last.go the last request, which has no tools
//
// # The line
//
// All along a turn tells what it is doing (phases.go), each phase when it is seen and with the time it is likely to take, where package
// provider/pace remembers one. While tools run caption.go has the words: how far they are (progress.go), else a sentence that the model writes
// (sentences.go) or a smaller one (statusmodel.go), else the tool's title (title.go). naps.go keeps time in which nothing ran off the clocks. In
// the end laps.go and receipt.go say what took how long.
//
// What needs nothing of a turn is below this package: provider/repair makes the replies of weak models usable, provider/window knows what fits, provider/pace remembers how long
// models take.
//
// The package knows nothing of screens, files or wire formats. Text of models and tools passes through it as it came, made valid UTF-8:
// whoever shows it sanitises it.
package provider
