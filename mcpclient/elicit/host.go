// Package elicit handles the requests of servers: forms and pages for you, and the folders shared with servers.
// Connections pass requests to it and send the responses.
//
// Read host.go first: a [Host] answers elicitations. In a chat that is an [Inbox]. handler.go answers one request,
// requests.go has the open requests of one connection, and input.go those that come in place of a result. pace.go slows
// down servers that send too many. timer.go pauses the time limits of calls while the host is asked. form.go parses the
// schema of an elicitation into a [Form], whose fields parse what you type. Nothing here draws.
package elicit

import (
	"context"
	"encoding/json"
)

// Host answers elicitations. Its methods must be safe for concurrent use. ctx ends when the server cancels its request,
// when the connection is lost, and when the set is closed; the response is then dropped. The time limits of the
// server's calls are paused while a method runs.
type Host interface {
	// Elicit asks you for input. The server is sent the text of the error.
	Elicit(ctx context.Context, e Elicitation) (Response, error)
}

// Elicitation asks you to fill in a form or to open a page. Its texts are not sanitized.
type Elicitation struct {
	Server  string
	Message string
	Schema  json.RawMessage // of the form: an object with flat properties; nil if URL is set
	URL     string          // of a page to open instead of a form
	ID      string          // of a page, which the server may report as completed later
}

// Action is how you responded to an elicitation.
type Action string

// The actions, as the protocol writes them.
const (
	Accept  Action = "accept"
	Decline Action = "decline" // you said no
	Cancel  Action = "cancel"  // you closed the dialog without an answer
)

// Response is the response to an Elicitation. Only an accepted form has Content.
type Response struct {
	Action  Action
	Content map[string]any
	Always  bool // the server's further elicitations are declined without asking the Host
}
