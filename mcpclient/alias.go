package mcpclient

import (
	"github.com/aloudchat/aloud/mcpclient/conn"
	"github.com/aloudchat/aloud/mcpclient/elicit"
)

// Types and errors of other packages that callers of a Set need.

type (
	// Tool is what a server offers to the model.
	Tool = conn.Tool
	// Prompt is a message that a server prepares for you to send.
	Prompt = conn.Prompt
	// PromptArgument is one argument of a Prompt.
	PromptArgument = conn.PromptArgument
	// Resource is what a server offers to read, or a template of many.
	Resource = conn.Resource
)

type (
	// Result is what a call gave, in the form the model reads.
	Result = conn.Result
	// PromptMessage is one message of a Prompt.
	PromptMessage = conn.PromptMessage
	// Contents is what a Resource holds.
	Contents = conn.Contents
)

type (
	// Host answers what servers ask.
	Host = elicit.Host
	// Elicitation is what a server asks you for.
	Elicitation = elicit.Elicitation
	// Elicited is the answer to an Elicitation.
	Elicited = elicit.Elicited
	// Action is how you answered an Elicitation.
	Action = elicit.Action
	// Root is a folder that servers may work in.
	Root = elicit.Root
)

// The actions, as the protocol writes them.
const (
	Accept  = elicit.Accept
	Decline = elicit.Decline // you said no
	Cancel  = elicit.Cancel  // you did not answer
)

// RootOf is the root of a folder, which has to be there. The error is one sentence.
func RootOf(folder string) (Root, error) { return elicit.RootOf(folder) }

// Progress is one notification of a running call.
type Progress = conn.Progress

// ErrUnconfirmed is matched by the error of a stopped call whose server may still be working on it.
var ErrUnconfirmed = conn.ErrUnconfirmed

// ErrUnasked is matched by the error of a call that was stopped before anything was sent.
var ErrUnasked = conn.ErrUnasked

// Browser shows the page for logging in.
type Browser = conn.Browser
