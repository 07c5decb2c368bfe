// Package provider has what models, the turns with them and those who show a turn have in common: a [Conversation] of messages, the [Model]
// interface with its [Request] and [Chunk], and the events and the [Result] of a turn.
//
// Package provider/loop runs turns. Ollama, other servers and the demo are models in packages of their own below this one; package
// provider/providertest has a model for tests.
//
//	conversation.go  messages, with what is attached to them (attachment.go); a Conversation never changes, so going back and branching cost nothing
//	view.go          a conversation as a model reads it, with summaries in place of what they cover
//	model.go         what a model is, is asked and answers, and how it fails; choose.go finds the one to talk to
//	plain.go         a model whose replies are bounded (bounds.go) and logged (log.go)
//	tokens.go        about how many tokens all of that takes
//	pace.go          how fast models are here, kept in a file
//	event.go         what happens in a turn; result.go is what comes of it, sources.go what it read
//
// The package knows nothing of screens or wire formats. Text of models and tools passes through it as it came, made valid UTF-8:
// whoever shows it sanitises it.
package provider
