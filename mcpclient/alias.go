package mcpclient

import "github.com/aloudchat/aloud/mcpclient/conn"

// Types and errors of conn that callers of a Set need.
type (
	// Server configures one server. Exactly one of Command, URL, Local and Broken is set.
	Server = conn.Server
	// Tool is a tool of a server.
	Tool = conn.Tool
	// Result is the result of a call, in the form that the model reads.
	Result = conn.Result
	// Progress is a progress notification of a running call.
	Progress = conn.Progress
	// Prompt is a prompt of a server.
	Prompt = conn.Prompt
	// PromptArgument is an argument of a Prompt.
	PromptArgument = conn.PromptArgument
	// PromptMessage is one message of a Prompt.
	PromptMessage = conn.PromptMessage
	// Resource is a resource of a server, or a template for resources.
	Resource = conn.Resource
	// Contents is the content of a Resource.
	Contents = conn.Contents
	// Browser shows the page for a login.
	Browser = conn.Browser
)

var (
	// ErrUnconfirmed means that the server may still be working on a cancelled call.
	ErrUnconfirmed = conn.ErrUnconfirmed
	// ErrUnasked means that a call was cancelled before it was sent.
	ErrUnasked = conn.ErrUnasked
)
