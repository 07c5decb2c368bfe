// Package provider has the two types that models and turns share: a [Conversation] of messages, and the [Model]
// interface with its [Request] and [Chunk].
//
// Package provider/loop runs turns, provider/event has their events, and provider/pace knows how fast models are.
// Ollama, other servers and the demo are models in packages below this one. Package provider/providertest has a model
// for tests.
//
//	conversation.go  messages and their attachments (attachment.go); a Conversation is immutable
//	view.go          a conversation as a model reads it, with summaries
//	model.go         the Model interface and its errors; choose.go picks the model to use
//	plain.go         limits the size of replies (bounds.go) and logs them (log.go)
//	tokens.go        token estimates
//
// The package knows nothing of screens or wire formats. It makes text of models and tools valid UTF-8 but does not
// sanitise it: the code that displays it must.
package provider
