// Package elicit answers what servers ask: forms and pages for you, text from the model, and the folders they may work in. It knows nothing of
// connections: they hand in requests, and take the answers where they belong.
//
// Read host.go first: a [Host] answers in the end. answerer.go puts one question to it, questions.go those of one connection while they are
// open, and rounds.go those that come instead of an answer. tally.go counts what waits, for whose servers time stands still meanwhile.
// form.go makes a [Form] of the schema of a question, whose fields read what you type; nothing here draws.
package elicit

import (
	"context"
	"encoding/json"
)

// Host answers what servers ask. Its methods are called on goroutines of their own, several at a time. ctx ends when the server takes its
// question back, when it is gone, and when the set is closed; the answer then goes nowhere. While one runs, the time of the server's calls
// stands still.
type Host interface {
	// Elicit asks you for something. The error is for what went wrong: the server learns its text.
	Elicit(ctx context.Context, q Elicitation) (Elicited, error)
	// Sample has the model write something. The error's text is the server's answer.
	Sample(ctx context.Context, q Sampling) (Sampled, error)
}

// Listener is the optional second interface of a Host that wants to know all that servers write for their logs, from the least level on.
type Listener interface {
	// Logged hears one safe line, before whatever the server says next. It must not wait: the server is not read meanwhile.
	Logged(server, line string)
}

// Listener is the host's; nil when it has none.
func (a *Answerer) Listener() Listener {
	l, _ := a.Host.(Listener)
	return l
}

// Elicitation is what a server wants you to tell it, or to do elsewhere. Its texts are the server's, as they came.
type Elicitation struct {
	Server  string
	Message string
	Schema  json.RawMessage // of the form: an object with flat properties; nil when URL is set
	URL     string          // of a page to visit instead: the answer to it says only whether you go there
	ID      string          // of a visit, which the server may say later is complete
}

// Action is your answer to an elicitation.
type Action string

// The actions, as the protocol writes them.
const (
	Accept  Action = "accept"
	Decline Action = "decline" // said no
	Cancel  Action = "cancel"  // said nothing
)

// Elicited is the answer to an Elicitation. Content is there only when a form was accepted.
type Elicited struct {
	Action  Action
	Content map[string]any
}

// Sampling is what a server wants the model to write.
type Sampling struct {
	Server    string
	Messages  []SampleMessage
	System    string
	MaxTokens int
	Hints     []string // names of models that the server would like, best first
}

// SampleMessage is one message of a Sampling.
type SampleMessage struct {
	Role   string // "user" or "assistant"
	Text   string
	Images [][]byte
	Other  []string // kinds of content that no model here reads: "audio"
}

// Sampled is what the model wrote.
type Sampled struct {
	Model string
	Text  string
	Stop  string // "endTurn" or "maxTokens"
}
