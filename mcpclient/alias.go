package mcpclient

import (
	"github.com/aloudchat/aloud/mcpclient/content"
	"github.com/aloudchat/aloud/mcpclient/login"
)

// What a Set is given and gives, under the names that whoever has a Set meets every day. The packages that have them say more.
type (
	// Result is what a call gave, in the form the model reads.
	Result = content.Result
	// PromptMessage is one message of a prompt.
	PromptMessage = content.Message
	// Contents is what a resource holds.
	Contents = content.Resource
	// Browser shows a person the page where they log in.
	Browser = login.Browser
)
