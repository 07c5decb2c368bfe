// Package elicit answers what servers ask: forms and pages for you, and the folders they may work in. It knows nothing of
// connections, which hand in requests and send the answers.
//
// Read host.go first: a [Host] answers in the end; that of a chat is an [Inbox]. answerer.go asks it one question, questions.go has the open questions of one connection, and
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
