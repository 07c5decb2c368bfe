// Package provider turns a question into an answer: a conversation, a model behind one small interface, and the loop that lets the model use tools.
//
// [Chat.Send] runs one turn and tells everything that happens as a sequence of events. It asks the [Model] for a reply, runs the calls in it through
// [Tools], gives the results back, and goes on until one of nine reasons ends the turn. A [Conversation] is a value that never changes, so going
// back and branching cost nothing. [Script] is a model for tests; Ollama and the demo have packages of their own below this one.
//
// The package knows nothing of screens, files or wire formats. Text of models and tools passes through it as it came, made valid UTF-8:
// whoever shows it sanitises it.
package provider
