// Package provider has the types that models, turns and their displays share: a [Conversation] of messages, the [Model]
// interface with its [Request] and [Chunk], and the events and the [Result] of a turn.
//
// Package provider/loop runs turns. Ollama, other servers and the demo are models in packages below this one. Package
// provider/providertest has a model for tests.
//
//	conversation.go  messages and their attachments (attachment.go); a Conversation is immutable
//	view.go          a conversation as a model reads it, with summaries
//	model.go         the Model interface and its errors; choose.go picks the model to use
//	plain.go         limits the size of replies (bounds.go) and logs them (log.go)
//	tokens.go        token estimates
//	pace.go          how fast models are here, kept in a file
//	event.go         the events of a turn; result.go is its outcome, sources.go what it read
//
// The package knows nothing of screens or wire formats. It makes text of models and tools valid UTF-8 but does not
// sanitise it: the code that displays it must.
package provider
