// Package elicit answers what servers ask: forms and pages for you, text from the model, and the folders they may work in. It knows nothing of
// connections, which hand in requests and send the answers.
//
// Read host.go first: a [Host] answers in the end. answerer.go asks it one question, questions.go has the open questions of one connection, and
// rounds.go those that come in place of an answer. tally.go stops the clock of a server's calls while it waits for the host. form.go makes a
// [Form] of the schema of a question, whose fields read what you type; nothing here draws.
package elicit

import (
	"context"
	"encoding/json"
)

// Host answers what servers ask. Its methods are called from several goroutines at once. ctx ends when the server takes its question back, when it
// is gone, and when the set is closed; the answer is then dropped. The time limits of the server's calls are paused while a method runs.
type Host interface {
	// Elicit asks you for something. The server gets the text of the error.
	Elicit(ctx context.Context, q Elicitation) (Elicited, error)
	// Sample has the model write something. The server gets the text of the error.
	Sample(ctx context.Context, q Sampling) (Sampled, error)
}

// Listener is an optional second interface of a Host that gets everything servers log, at every level.
type Listener interface {
	// Logged gets one safe line, before the next message of the server. It must not wait: the server is not read meanwhile.
	Logged(server, line string)
}

// Listener returns the host as a Listener, or nil.
func (a *Answerer) Listener() Listener {
	l, _ := a.Host.(Listener)
	return l
}

// Elicitation asks you to fill in a form or to visit a page. Its texts are the server's, as they came.
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
	Decline Action = "decline" // you said no
	Cancel  Action = "cancel"  // you did not answer
)

// Elicited is the answer to an Elicitation. Only an accepted form has Content.
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
