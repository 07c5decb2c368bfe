package mcpclient

import "github.com/aloudchat/aloud/mcpclient/conn"

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

// Progress is one notification of a running call.
type Progress = conn.Progress

// ErrUnconfirmed is matched by the error of a stopped call whose server may still be working on it.
var ErrUnconfirmed = conn.ErrUnconfirmed

// ErrUnasked is matched by the error of a call that was stopped before anything was sent.
var ErrUnasked = conn.ErrUnasked

// Browser shows the page for logging in.
type Browser = conn.Browser
